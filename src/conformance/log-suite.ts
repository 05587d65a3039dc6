import assert from 'node:assert/strict';
import type { Log } from '../application/ports/log.ts';
import { openedForEach, type TestFunctions } from './test-functions.ts';

/** A log for one check that records every level. */
export interface OpenedLog {
  readonly log: Log;
  /** What was recorded so far, oldest first, one text for each entry, as operators see it. */
  entries(): Promise<readonly string[]>;
  /** Releases everything. Is called once. */
  dispose(): Promise<void>;
}

/** A log as the kit opens it. */
export interface LogUnderTest {
  open(): Promise<OpenedLog>;
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

function cyclic(): object {
  const node: Record<string, unknown> = { name: 'node' };
  node['self'] = node;
  return node;
}

/** Fields on which a careless log throws or loses the entry. */
const AWKWARD: Readonly<Record<string, unknown>> = {
  undefined: undefined,
  null: null,
  'a big integer': 2n ** 70n,
  'a symbol': Symbol('s'),
  'a function': () => 7,
  'an object that contains itself': cyclic(),
  'a date that is none': new Date(Number.NaN),
  'an error': new RangeError('too far'),
  'a map': new Map([['a', 1]]),
  'an object without a prototype': Object.assign(Object.create(null) as object, { a: 1 }),
  'an object whose toJSON throws': {
    toJSON() {
      throw new Error('no JSON');
    },
  },
  'a lone surrogate': '\ud800',
};

/** The contract of the port `Log`. */
export function logSuite({ open }: LogUnderTest, test: TestFunctions): void {
  const { describe, it } = test;
  describe('Log', () => {
    const opened = openedForEach(open, test);

    it('records one entry for each call, in order, with message, level and fields', async () => {
      for (const [i, level] of LEVELS.entries())
        opened.log[level](`message ${i}`, { order: 4_000 + i, pet: `Rex ${i}` });

      const entries = await opened.entries();
      assert.equal(entries.length, LEVELS.length);
      for (const [i, level] of LEVELS.entries()) {
        const entry = entries[i] ?? '';
        for (const part of [`message ${i}`, 'order', `${4_000 + i}`, 'pet', `Rex ${i}`]) {
          assert.ok(entry.includes(part), `${JSON.stringify(part)} is missing in ${entry}`);
        }
        assert.ok(entry.toLowerCase().includes(level), `the level ${level} is missing in ${entry}`);
      }
    });

    it('records a message without fields', async () => {
      opened.log.info('the petstore is ready');

      const entries = await opened.entries();
      assert.equal(entries.length, 1);
      assert.match(entries[0] ?? '', /the petstore is ready/);
    });

    it('records an error with its stack and all its causes', async () => {
      const root = new RangeError('the root of it');
      const error = new Error('the outcome', { cause: new TypeError('in between', { cause: root }) });

      opened.log.error('it failed', { error });

      const [entry = ''] = await opened.entries();
      for (const part of ['the outcome', 'in between', 'the root of it', 'log-suite']) {
        assert.ok(entry.includes(part), `${JSON.stringify(part)} is missing in ${entry}`);
      }
    });

    for (const [what, value] of Object.entries(AWKWARD)) {
      it(`records an entry with ${what} in a field, and throws nothing`, async () => {
        assert.doesNotThrow(() => {
          opened.log.warn('before', { value });
          opened.log.error('an error', { error: value });
          opened.log.info('after');
        });

        const entries = await opened.entries();
        assert.equal(entries.length, 3);
        for (const [i, message] of ['before', 'an error', 'after'].entries()) {
          assert.ok(entries[i]?.includes(message), `${message} is missing in ${entries[i]}`);
        }
      });
    }

    it('records text with line breaks and control characters in one entry, without passing them on', async () => {
      const hostile = 'one\ntwo\r\n{"level":"error","msg":"forged"}\u2028three\u001b[2Jfour\0';

      opened.log.info(hostile, { value: hostile, [hostile]: 'a name' });
      opened.log.info('after');

      const entries = await opened.entries();
      assert.equal(entries.length, 2, entries.join('\n---\n'));
      assert.match(entries[1] ?? '', /after/);
      for (const character of ['\0', '\r', '\u001b', '\u2028']) {
        assert.ok(!entries[0]?.includes(character), `${JSON.stringify(character)} was passed on`);
      }
    });

    it('does not change the fields that it is given', async () => {
      const fields = { error: new Error('no'), nested: { list: [1, { two: 2 }] } };
      const before = { error: fields.error, nested: structuredClone(fields.nested) };

      opened.log.error('it failed', fields);
      await opened.entries();

      assert.deepEqual(fields, before);
    });
  });
}
