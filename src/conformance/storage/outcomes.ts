import assert from 'node:assert/strict';
import { type Outcome, RequestInProgress, type RequestName } from '../../application/ports/outcome-repository.ts';
import { Category } from '../../domain/category.ts';
import { assertInstance, failureOf } from '../assertions.ts';
import { Dice } from '../dice.ts';
import { pass } from '../turns.ts';
import type { OpenedStorage, StoragePlan } from './storage-under-test.ts';

const REQUEST: RequestName = { caller: 'key:1', operation: 'POST /pets', key: 'k-1' };
const OUTCOME: Outcome = { fingerprint: 'f-1', answer: '{"status":201}', at: 1_000 };

/** Pairs of texts that are two names, however alike they look, sort or read. */
const DIFFERENT: Record<string, readonly [string, string]> = {
  'their case': ['Rex', 'rex'],
  'their normal form': ['Zo\u00eb', 'Zoe\u0308'],
  'the width of their letters': ['Rex', '\uff32\uff45\uff58'],
  'what is not seen': ['Rex', 'Re\u200bx'],
  'white space at an end': ['Rex', 'Rex '],
  'a wildcard': ['a_b', 'axb'],
  'a quote': ["o'm", "o''m"],
  'nothing but what one of them lacks': ['Rex', ''],
  'a character beyond the first plane': ['\u{1f600}', '\u{1f601}'],
};

/** Pairs of requests that are told apart only by where one text ends and the next begins. */
const SHIFTED: readonly (readonly [RequestName, RequestName])[] = [
  [
    { caller: 'ab', operation: 'c', key: 'd' },
    { caller: 'a', operation: 'bc', key: 'd' },
  ],
  [
    { caller: 'a', operation: 'bc', key: 'd' },
    { caller: 'a', operation: 'b', key: 'cd' },
  ],
  [
    { caller: '', operation: 'a', key: 'b' },
    { caller: 'a', operation: '', key: 'b' },
  ],
  [
    { caller: 'a","b', operation: 'c', key: 'd' },
    { caller: 'a', operation: 'b","c', key: 'd' },
  ],
  [
    { caller: 'a b', operation: 'c', key: 'd' },
    { caller: 'a', operation: 'b c', key: 'd' },
  ],
  [
    { caller: 'a\\', operation: '"b', key: 'd' },
    { caller: 'a', operation: '\\"b', key: 'd' },
  ],
];

export function planOutcomes({ group }: StoragePlan): void {
  group(
    'of outcomes',
    ({ group, check }) => {
      const lock = (storage: OpenedStorage, request: RequestName) =>
        storage.work.write(({ outcomes }) => outcomes.lock(request));
      const keep = (storage: OpenedStorage, request: RequestName, outcome: Outcome) =>
        storage.work.write(({ outcomes }) => outcomes.keep(request, outcome));
      const forget = (storage: OpenedStorage, keptBefore: number, most: number) =>
        storage.work.write(({ outcomes }) => outcomes.forget(keptBefore, most));
      const keysKept = async (storage: OpenedStorage, ...keys: readonly string[]) => {
        const kept: string[] = [];
        for (const key of keys) if (await lock(storage, { ...REQUEST, key })) kept.push(key);
        return kept;
      };

      check('knows nothing of a request that it was never told of', async (storage) => {
        assert.equal(await lock(storage, REQUEST), undefined);
      });

      check('gives back what was kept, in the unit of work that kept it and in every later one', async (storage) => {
        await storage.work.write(async ({ outcomes }) => {
          await outcomes.keep(REQUEST, OUTCOME);
          assert.deepEqual(await outcomes.lock(REQUEST), OUTCOME);
        });

        assert.deepEqual(await lock(storage, REQUEST), OUTCOME);
        assert.deepEqual(await lock(storage, REQUEST), OUTCOME);
      });

      check('keeps an outcome together with what was done, or neither of them', async (storage) => {
        const { work, reader } = storage;
        const act = (end: () => void) =>
          work.write(async ({ outcomes, categories }) => {
            const id = await categories.nextId();
            await categories.add(Category.open({ id, name: 'Dogs' }));
            await outcomes.keep(REQUEST, OUTCOME);
            end();
            return id;
          });
        const categories = () => reader.countCategories({});

        await failureOf(
          act(() => {
            throw new Error('undone');
          }),
        );
        assert.deepEqual([await lock(storage, REQUEST), await categories()], [undefined, 0]);

        const id = await act(() => {});
        assert.deepEqual([await lock(storage, REQUEST), await reader.category(id)], [OUTCOME, { id, name: 'Dogs' }]);
      });

      check('puts an outcome in the place of the one before, and has that back when it is undone', async (storage) => {
        const newer: Outcome = { fingerprint: 'f-2', answer: '', at: 500 };
        await keep(storage, REQUEST, OUTCOME);
        const failing = storage.work.write(async ({ outcomes }) => {
          await outcomes.keep(REQUEST, newer);
          await outcomes.forget(2_000, 9);
          throw new Error('undone');
        });
        await failureOf(failing);
        assert.deepEqual(await lock(storage, REQUEST), OUTCOME);

        await keep(storage, REQUEST, newer);
        assert.deepEqual(await lock(storage, REQUEST), newer);
        assert.equal(await forget(storage, 500, 9), 0);
        assert.equal(await forget(storage, 501, 9), 1);
        assert.equal(await lock(storage, REQUEST), undefined);
      });

      check('lets one unit of work at a time have a request', async (storage) => {
        const seen: (Outcome | undefined)[] = [];
        const unit = (turn: number) =>
          storage.work.write(async ({ outcomes }) => {
            const kept = await outcomes.lock(REQUEST);
            seen.push(kept);
            await pass(turn);
            if (!kept) await outcomes.keep(REQUEST, { ...OUTCOME, fingerprint: `f-${turn}` });
            await pass(turn);
          });

        const settled = await Promise.allSettled([3, 1, 2, 0].map(unit));

        for (const one of settled) {
          if (one.status === 'rejected') assertInstance(one.reason, RequestInProgress);
        }
        const kept = await lock(storage, REQUEST);
        const [first, ...others] = seen;
        assert.equal(first, undefined);
        assert.notEqual(kept, undefined);
        for (const other of others) assert.deepEqual(other, kept);
      });

      check('lets the next one have a request when whoever had it failed', async (storage) => {
        const failing = storage.work.write(async ({ outcomes }) => {
          await outcomes.lock(REQUEST);
          await outcomes.keep(REQUEST, OUTCOME);
          await pass(2);
          throw new Error('undone');
        });
        const [failure, next] = await Promise.all([failureOf(failing), pass(9).then(() => lock(storage, REQUEST))]);

        assert.equal((failure as Error).message, 'undone');
        assert.equal(next, undefined);
      });

      check('takes and gives copies', async (storage) => {
        const request = { ...REQUEST };
        const outcome = { ...OUTCOME };
        await storage.work.write(async ({ outcomes }) => {
          await outcomes.keep(request, outcome);
          Object.assign(request, { key: 'spoilt' });
          Object.assign(outcome, { answer: 'spoilt' });
          Object.assign((await outcomes.lock(REQUEST)) ?? {}, { answer: 'spoilt' });
        });

        assert.deepEqual(await lock(storage, REQUEST), OUTCOME);
        assert.equal(await lock(storage, request), undefined);
      });

      check('keeps large answers, in whatever characters, exactly', async (storage) => {
        const answers = [
          'x'.repeat(1_048_576),
          '\u{1f600}'.repeat(262_144),
          '\ud7ff\ue000\uffff\u0000\r\n\t"\\\u2028\ufeff e\u0301 \u00e9 \u{10ffff}',
          '',
        ];
        for (const [i, answer] of answers.entries()) {
          await keep(storage, { ...REQUEST, key: `${i}` }, { ...OUTCOME, answer, fingerprint: answer.slice(0, 50) });
        }

        for (const [i, answer] of answers.entries()) {
          const kept = await lock(storage, { ...REQUEST, key: `${i}` });
          // Not by `equal`: it would write a megabyte into its message.
          assert.ok(kept?.answer === answer, `answer ${i} is another`);
          assert.equal(kept?.fingerprint, answer.slice(0, 50));
        }
      });

      check('keeps any text exactly, under any name', async (storage) => {
        const dice = new Dice(20261121);
        for (let round = 0; round < 60; round++) {
          const text = () => dice.text(20);
          const request = { caller: text(), operation: text(), key: text() };
          const outcome = { fingerprint: text(), answer: text(), at: dice.below(2 ** 32) * dice.below(2 ** 21) };

          await keep(storage, request, outcome);

          assert.deepEqual(await lock(storage, request), outcome);
        }
      });

      for (const part of ['caller', 'operation', 'key'] as const) {
        for (const [what, [one, other]] of Object.entries(DIFFERENT)) {
          check(`tells requests apart by ${what} in the ${part}`, async (storage) => {
            await keep(storage, { ...REQUEST, [part]: one }, OUTCOME);

            assert.equal(await lock(storage, { ...REQUEST, [part]: other }), undefined);
            await keep(storage, { ...REQUEST, [part]: other }, { ...OUTCOME, answer: 'other' });
            assert.deepEqual(await lock(storage, { ...REQUEST, [part]: one }), OUTCOME);
            assert.deepEqual(await lock(storage, { ...REQUEST, [part]: other }), { ...OUTCOME, answer: 'other' });
          });
        }

        check(`tells requests apart by the last of 300 characters of the ${part}`, async (storage) => {
          const begin = '\u{1f600}'.repeat(299);
          await keep(storage, { ...REQUEST, [part]: `${begin}a` }, OUTCOME);

          assert.equal(await lock(storage, { ...REQUEST, [part]: `${begin}b` }), undefined);
          assert.deepEqual(await lock(storage, { ...REQUEST, [part]: `${begin}a` }), OUTCOME);
        });
      }

      check('tells requests apart by where one text ends and the next begins', async (storage) => {
        for (const [one, other] of SHIFTED) {
          await storage.work.write(({ outcomes }) => outcomes.forget(Number.MAX_SAFE_INTEGER, 9));
          await keep(storage, one, OUTCOME);

          assert.equal(await lock(storage, other), undefined, JSON.stringify(other));
          assert.deepEqual(await lock(storage, one), OUTCOME);
        }
      });

      group('forgets', ({ prepare, check }) => {
        prepare(async (storage) => {
          // Neither in the order of their names nor in that of their time.
          for (const [key, at] of [
            ['c', 30],
            ['a', 20],
            ['e', 50],
            ['b', 10],
            ['d', 20],
          ] as const) {
            await keep(storage, { ...REQUEST, key }, { ...OUTCOME, at });
          }
        });

        check('what was kept before an instant, and says how many that were', async (storage) => {
          assert.equal(await forget(storage, 10, 9), 0);
          assert.equal(await forget(storage, 30, 9), 3);
          assert.deepEqual(await keysKept(storage, 'a', 'b', 'c', 'd', 'e'), ['c', 'e']);
          assert.equal(await forget(storage, 30, 9), 0);
        });

        check('no more than it is told to, the oldest first', async (storage) => {
          assert.equal(await forget(storage, 1_000, 0), 0);
          assert.equal(await forget(storage, 1_000, 1), 1);
          assert.deepEqual(await keysKept(storage, 'a', 'b', 'c', 'd', 'e'), ['a', 'c', 'd', 'e']);
          assert.equal(await forget(storage, 1_000, 2), 2);
          assert.deepEqual(await keysKept(storage, 'a', 'c', 'd', 'e'), ['c', 'e']);
          assert.equal(await forget(storage, 1_000, 3), 2);
          assert.deepEqual(await keysKept(storage, 'c', 'e'), []);
        });

        check('what its own unit of work kept too, and by the time that it was kept at last', async (storage) => {
          const gone = await storage.work.write(async ({ outcomes }) => {
            await outcomes.keep({ ...REQUEST, key: 'f' }, { ...OUTCOME, at: 15 });
            await outcomes.keep({ ...REQUEST, key: 'b' }, { ...OUTCOME, at: 60 });
            await outcomes.keep({ ...REQUEST, key: 'e' }, { ...OUTCOME, at: 5 });
            return [
              await outcomes.forget(20, 1),
              await outcomes.lock({ ...REQUEST, key: 'e' }),
              await outcomes.forget(60, 3),
            ];
          });

          assert.deepEqual(gone, [1, undefined, 3]);
          assert.deepEqual(await keysKept(storage, 'a', 'b', 'c', 'd', 'e', 'f'), ['b', 'c']);
        });

        check('nothing for ever when it is undone, and nothing that is kept anew', async (storage) => {
          const failing = storage.work.write(async ({ outcomes }) => {
            assert.equal(await outcomes.forget(1_000, 9), 5);
            throw new Error('undone');
          });
          await failureOf(failing);
          assert.equal((await keysKept(storage, 'a', 'b', 'c', 'd', 'e')).length, 5);

          await forget(storage, 1_000, 9);
          await keep(storage, { ...REQUEST, key: 'a' }, { ...OUTCOME, at: 70 });
          assert.deepEqual(await keysKept(storage, 'a', 'b'), ['a']);
        });
      });
    },
    { port: 'OutcomeRepository' },
  );
}
