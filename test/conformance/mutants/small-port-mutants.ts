import { PinoLog } from '../../../src/adapters/logging/pino-log.ts';
import { NodeSecrets } from '../../../src/adapters/node-crypto/node-secrets.ts';
import { Clock } from '../../../src/application/ports/clock.ts';
import { Log } from '../../../src/application/ports/log.ts';
import type { Secrets } from '../../../src/application/ports/secrets.ts';
import { clockSuite } from '../../../src/conformance/clock-suite.ts';
import { logSuite } from '../../../src/conformance/log-suite.ts';
import { secretsSuite } from '../../../src/conformance/secrets-suite.ts';
import type { TestFunctions } from '../../../src/conformance/test-functions.ts';
import { altered } from './mutant-storage.ts';

interface SmallPortMutant {
  readonly caughtBy: string;
  suite(test: TestFunctions): void;
}

const dispose = async () => undefined;

function clock(caughtBy: string, now: () => number): SmallPortMutant {
  const open = async () => ({
    clock: new (class extends Clock {
      override now = now;
    })(),
    dispose,
  });
  return { caughtBy: `Clock ${caughtBy}`, suite: (test) => clockSuite({ open }, test) };
}

function secrets(caughtBy: string, alter: (own: Secrets) => Partial<Secrets>): SmallPortMutant {
  const open = async () => {
    const own = new NodeSecrets();
    return { secrets: altered<Secrets>(own, alter(own)), dispose };
  };
  return { caughtBy: `Secrets ${caughtBy}`, suite: (test) => secretsSuite({ open }, test) };
}

type Write = (level: string, message: string, fields?: object) => string;

/** A log whose entries are made by `write`. */
function log(caughtBy: string, write: Write): SmallPortMutant {
  const open = async () => {
    const entries: string[] = [];
    const add = (level: string) => (message: string, fields?: object) => {
      entries.push(...write(level, message, fields).split('\n'));
    };
    const made = new (class extends Log {
      override debug = add('debug');
      override info = add('info');
      override warn = add('warn');
      override error = add('error');
    })();
    return { log: made, entries: async () => entries, dispose };
  };
  return { caughtBy: `Log ${caughtBy}`, suite: (test) => logSuite({ open }, test) };
}

/** What the log of this package writes. */
const correct: Write = (level, message, fields) => {
  let entry = '';
  const own = new PinoLog('debug', { write: (line: string) => void (entry += line) });
  own[level as 'debug'](message, fields as Record<string, unknown>);
  return entry.trimEnd();
};

/** Faults in clocks, logs and secrets. */
export const SMALL_PORT_MUTANTS: Readonly<Record<string, SmallPortMutant>> = {
  'a clock that counts in seconds': clock('returns milliseconds since 1970-01-01T00:00:00Z', () =>
    Math.floor(Date.now() / 1000),
  ),
  'a clock with fractions of milliseconds': clock(
    'returns a whole number of milliseconds, every time',
    () => performance.timeOrigin + performance.now() + 0.25,
  ),
  'a clock beyond the calendar': clock('returns an instant from the years 0 to 9999', () => 8.64e15),
  'a log that throws on fields that are not JSON': log(
    'records an entry with an object that contains itself in a field, and throws nothing',
    (level, message, fields) => JSON.stringify({ level, message, ...fields }),
  ),
  'a log that omits the causes of an error': log(
    'records an error with its stack and all its causes',
    (level, message, fields = {}) => {
      const error: unknown = Reflect.get(fields, 'error');
      return error instanceof Error
        ? JSON.stringify({ level, message, stack: error.stack })
        : correct(level, message, fields);
    },
  ),
  'a log that passes line breaks on': log(
    'records text with line breaks and control characters in one entry, without passing them on',
    (level, message, fields) => `${level} ${message} ${correct(level, '', fields)}`,
  ),
  'a log without levels': log(
    'records one entry for each call, in order, with message, level and fields',
    (_, message, fields) => correct('info', message, fields),
  ),
  'secrets of few random characters': secrets(
    'makes texts of at least 43 letters, digits, "-" and "_", each another one',
    () => ({ make: () => Math.random().toString(36).slice(2) }),
  ),
  'secrets that count': secrets('makes texts that share no pattern', () => {
    let made = 0;
    return { make: () => `${'a'.repeat(40)}${++made}`.slice(-43).padStart(43, 'b') };
  }),
  'digests of the first 72 characters': secrets('digests different texts differently', (own) => ({
    digest: (text) => own.digest(text.slice(0, 72)),
  })),
  'digests with a salt of each instance': secrets(
    'digests a text to the same letters, digits, "-" and "_" each time, in every instance',
    (own) => {
      const salt = own.make();
      return { digest: (text) => own.digest(salt + text) };
    },
  ),
  'digests that contain the text': secrets(
    'digests a text to nothing that contains it or depends on its length',
    (own) => ({ digest: (text) => `${own.digest(text)}${text.replace(/[^\w-]/g, '_').slice(0, 99)}` }),
  ),
  'a comparison regardless of case': secrets('compares digests exactly, of any length', (own) => ({
    same: (digest, other) => own.same(digest.toLowerCase(), other.toLowerCase()),
  })),
};
