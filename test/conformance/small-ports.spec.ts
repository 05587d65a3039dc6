import { mock } from 'node:test';
import { inspect } from 'node:util';
import { ConsoleLog } from '../../src/adapters/logging/console-log.ts';
import { PinoLog } from '../../src/adapters/logging/pino-log.ts';
import { NodeSecrets } from '../../src/adapters/node-crypto/node-secrets.ts';
import { SystemClock } from '../../src/adapters/system-clock/system-clock.ts';
import { WebSecrets } from '../../src/adapters/web-crypto/web-secrets.ts';
import { type ClockUnderTest, clockSuite } from '../../src/conformance/clock-suite.ts';
import { FixedClock } from '../../src/conformance/fixed-clock.ts';
import { type LogUnderTest, logSuite } from '../../src/conformance/log-suite.ts';
import { secretsSuite } from '../../src/conformance/secrets-suite.ts';

const dispose = async () => undefined;

/** Each entry of this log is one write to its output. */
function logTo(isTTY: boolean): LogUnderTest {
  return {
    async open() {
      const entries: string[] = [];
      const log = new PinoLog('debug', { isTTY, write: (entry) => void entries.push(entry) });
      return { log, entries: async () => entries, dispose };
    },
  };
}

/** A console shows each call as one entry, and text in it as text. */
const consoleLog: LogUnderTest = {
  async open() {
    const entries: string[] = [];
    for (const level of ['debug', 'info', 'warn', 'error'] as const) {
      mock.method(console, level, (...shown: unknown[]) => {
        const texts = shown.map((value) => inspect(value, { depth: 9 }));
        entries.push([level, ...texts].join(' ').replaceAll('\u2028', '\\u2028'));
      });
    }
    return { log: new ConsoleLog('debug'), entries: async () => entries, dispose: async () => mock.restoreAll() };
  },
};

const systemClock: ClockUnderTest = { open: async () => ({ clock: new SystemClock(), dispose }) };
const fixedClock: ClockUnderTest = {
  open: async () => ({ clock: new FixedClock(), dispose }),
  gaps: { realTime: 'It stands still until it is set.' },
};

describe('The clock of the system', () => clockSuite(systemClock, { describe, it, beforeEach, afterEach }));
describe('The clock of the tests', () => clockSuite(fixedClock, { describe, it, beforeEach, afterEach }));
describe('The log in JSON', () => logSuite(logTo(false), { describe, it, beforeEach, afterEach }));
describe('The log for a terminal', () => logSuite(logTo(true), { describe, it, beforeEach, afterEach }));
describe('The log of a browser', () => logSuite(consoleLog, { describe, it, beforeEach, afterEach }));
for (const [where, Kind] of Object.entries({ Node: NodeSecrets, 'Web Crypto': WebSecrets })) {
  describe(`The secrets of ${where}`, () =>
    secretsSuite({ open: async () => ({ secrets: new Kind(), dispose }) }, { describe, it, beforeEach, afterEach }));
}
