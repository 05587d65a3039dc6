import assert from 'node:assert/strict';
import { type IdempotencyRecord, RequestInProgress } from '../../application/ports/idempotency-store.ts';
import { Category } from '../../domain/category.ts';
import { assertInstance, failureOf } from '../assertions.ts';
import { yieldToEventLoop } from '../scheduling.ts';
import { SeededRandom } from '../seeded-random.ts';
import type { TestFunctions } from '../test-functions.ts';
import type { OpenedStorage } from './storage-under-test.ts';

const REQUEST = 'request-1';
const RECORD: IdempotencyRecord = { fingerprint: 'f-1', response: '{"status":201}', savedAt: 1_000 };

/** Pairs of different request ids, however alike they look, sort or read. */
const DIFFERENT: Record<string, readonly [string, string]> = {
  'their case': ['Rex', 'rex'],
  'their normal form': ['Zo\u00eb', 'Zoe\u0308'],
  'the width of their letters': ['Rex', '\uff32\uff45\uff58'],
  'invisible characters': ['Rex', 'Re\u200bx'],
  'white space at an end': ['Rex', 'Rex '],
  'a wildcard': ['a_b', 'axb'],
  'a quote': ["o'm", "o''m"],
  'a missing text': ['Rex', ''],
  'a character outside the basic plane': ['\u{1f600}', '\u{1f601}'],
};

export function idempotencyStoreChecks(storage: OpenedStorage, { describe, it, beforeEach }: TestFunctions): void {
  describe('IdempotencyStore', () => {
    const lock = (storage: OpenedStorage, requestId: string) =>
      storage.work.write(({ idempotency }) => idempotency.lock(requestId));
    const save = (storage: OpenedStorage, requestId: string, record: IdempotencyRecord) =>
      storage.work.write(({ idempotency }) => idempotency.save(requestId, record));
    const deleteExpired = (storage: OpenedStorage, savedBefore: number, most: number) =>
      storage.work.write(({ idempotency }) => idempotency.deleteExpired(savedBefore, most));
    const keysKept = async (storage: OpenedStorage, ...keys: readonly string[]) => {
      const kept: string[] = [];
      for (const key of keys) if (await lock(storage, key)) kept.push(key);
      return kept;
    };

    it('returns undefined for an unknown request', async () => {
      assert.equal(await lock(storage, REQUEST), undefined);
    });

    it('returns what was saved, in the unit of work that saved it and in every later one', async () => {
      await storage.work.write(async ({ idempotency }) => {
        await idempotency.save(REQUEST, RECORD);
        assert.deepEqual(await idempotency.lock(REQUEST), RECORD);
      });

      assert.deepEqual(await lock(storage, REQUEST), RECORD);
      assert.deepEqual(await lock(storage, REQUEST), RECORD);
    });

    it('commits a record together with the changes, or neither', async () => {
      const { work, reader } = storage;
      const act = (end: () => void) =>
        work.write(async ({ idempotency, categories }) => {
          const id = await categories.nextId();
          await categories.add(Category.create({ id, name: 'Dogs' }));
          await idempotency.save(REQUEST, RECORD);
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
      assert.deepEqual([await lock(storage, REQUEST), await reader.category(id)], [RECORD, { id, name: 'Dogs' }]);
    });

    it('replaces a record, and restores it when the unit of work is rolled back', async () => {
      const newer: IdempotencyRecord = { fingerprint: 'f-2', response: '', savedAt: 500 };
      await save(storage, REQUEST, RECORD);
      const failing = storage.work.write(async ({ idempotency }) => {
        await idempotency.save(REQUEST, newer);
        await idempotency.deleteExpired(2_000, 9);
        throw new Error('undone');
      });
      await failureOf(failing);
      assert.deepEqual(await lock(storage, REQUEST), RECORD);

      await save(storage, REQUEST, newer);
      assert.deepEqual(await lock(storage, REQUEST), newer);
      assert.equal(await deleteExpired(storage, 500, 9), 0);
      assert.equal(await deleteExpired(storage, 501, 9), 1);
      assert.equal(await lock(storage, REQUEST), undefined);
    });

    it('locks a request for one unit of work at a time', async () => {
      /** Returns the record that it found; `undefined` if it saved its own. */
      const unit = (turn: number) =>
        storage.work.write(async ({ idempotency }) => {
          const found = await idempotency.lock(REQUEST);
          await yieldToEventLoop(turn);
          if (!found) await idempotency.save(REQUEST, { ...RECORD, fingerprint: `f-${turn}` });
          await yieldToEventLoop(turn);
          return found;
        });

      const settled = await Promise.allSettled([3, 1, 2, 0].map(unit));

      const found = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      for (const one of settled) {
        if (one.status === 'rejected') assertInstance(one.reason, RequestInProgress);
      }
      const saved = await lock(storage, REQUEST);
      assert.notEqual(saved, undefined);
      assert.equal(found.filter((record) => record === undefined).length, 1, 'several units saved a record');
      for (const record of found) if (record) assert.deepEqual(record, saved);
    });

    it('releases the lock of a request when its unit of work fails', async () => {
      const failing = storage.work.write(async ({ idempotency }) => {
        await idempotency.lock(REQUEST);
        await idempotency.save(REQUEST, RECORD);
        await yieldToEventLoop(2);
        throw new Error('undone');
      });
      const [failure, next] = await Promise.all([
        failureOf(failing),
        yieldToEventLoop(9).then(() => lock(storage, REQUEST)),
      ]);

      assert.equal((failure as Error).message, 'undone');
      assert.equal(next, undefined);
    });

    it('accepts and returns copies', async () => {
      await storage.work.write(async ({ idempotency }) => {
        const record = { ...RECORD };
        await idempotency.save(REQUEST, record);
        Object.assign(record, { response: 'changed' });
        Object.assign((await idempotency.lock(REQUEST)) ?? {}, { response: 'changed' });
      });

      assert.deepEqual(await lock(storage, REQUEST), RECORD);
    });

    it('stores large responses exactly, with any characters', async () => {
      const responses = [
        'x'.repeat(1_048_576),
        '\u{1f600}'.repeat(262_144),
        '\ud7ff\ue000\uffff\u0000\r\n\t"\\\u2028\ufeff e\u0301 \u00e9 \u{10ffff}',
        '',
      ];
      for (const [i, response] of responses.entries()) {
        await save(storage, `${i}`, { ...RECORD, response, fingerprint: response.slice(0, 50) });
      }

      for (const [i, response] of responses.entries()) {
        const kept = await lock(storage, `${i}`);
        // Not by `equal`: it would write a megabyte into its message.
        assert.ok(kept?.response === response, `response ${i} is another`);
        assert.equal(kept?.fingerprint, response.slice(0, 50));
      }
    });

    it('stores any text exactly, under any id', async () => {
      const random = new SeededRandom(20261121);
      for (let round = 0; round < 60; round++) {
        const text = () => random.text(20);
        const id = text();
        const record = {
          fingerprint: text(),
          response: text(),
          savedAt: random.nextInt(2 ** 32) * random.nextInt(2 ** 21),
        };

        await save(storage, id, record);

        assert.deepEqual(await lock(storage, id), record);
      }
    });

    for (const [what, [one, other]] of Object.entries(DIFFERENT)) {
      it(`distinguishes requests by ${what} in the id`, async () => {
        await save(storage, one, RECORD);

        assert.equal(await lock(storage, other), undefined);
        await save(storage, other, { ...RECORD, response: 'other' });
        assert.deepEqual(await lock(storage, one), RECORD);
        assert.deepEqual(await lock(storage, other), { ...RECORD, response: 'other' });
      });
    }

    it('distinguishes requests by the last of 300 characters of the id', async () => {
      const begin = '\u{1f600}'.repeat(299);
      await save(storage, `${begin}a`, RECORD);

      assert.equal(await lock(storage, `${begin}b`), undefined);
      assert.deepEqual(await lock(storage, `${begin}a`), RECORD);
    });

    describe('deletes', () => {
      beforeEach(async () => {
        // Neither in the order of their ids nor in that of their time.
        for (const [key, savedAt] of [
          ['c', 30],
          ['a', 20],
          ['e', 50],
          ['b', 10],
          ['d', 20],
        ] as const) {
          await save(storage, key, { ...RECORD, savedAt });
        }
      });

      it('the records saved before an instant, and returns their number', async () => {
        assert.equal(await deleteExpired(storage, 10, 9), 0);
        assert.equal(await deleteExpired(storage, 30, 9), 3);
        assert.deepEqual(await keysKept(storage, 'a', 'b', 'c', 'd', 'e'), ['c', 'e']);
        assert.equal(await deleteExpired(storage, 30, 9), 0);
      });

      it('no more than requested, the oldest first', async () => {
        assert.equal(await deleteExpired(storage, 1_000, 0), 0);
        assert.equal(await deleteExpired(storage, 1_000, 1), 1);
        assert.deepEqual(await keysKept(storage, 'a', 'b', 'c', 'd', 'e'), ['a', 'c', 'd', 'e']);
        assert.equal(await deleteExpired(storage, 1_000, 2), 2);
        assert.deepEqual(await keysKept(storage, 'a', 'c', 'd', 'e'), ['c', 'e']);
        assert.equal(await deleteExpired(storage, 1_000, 3), 2);
        assert.deepEqual(await keysKept(storage, 'c', 'e'), []);
      });

      it('records of its own unit of work too, by the time of their last save', async () => {
        const gone = await storage.work.write(async ({ idempotency }) => {
          await idempotency.save('f', { ...RECORD, savedAt: 15 });
          await idempotency.save('b', { ...RECORD, savedAt: 60 });
          await idempotency.save('e', { ...RECORD, savedAt: 5 });
          return [
            await idempotency.deleteExpired(20, 1),
            await idempotency.lock('e'),
            await idempotency.deleteExpired(60, 3),
          ];
        });

        assert.deepEqual(gone, [1, undefined, 3]);
        assert.deepEqual(await keysKept(storage, 'a', 'b', 'c', 'd', 'e', 'f'), ['b', 'c']);
      });

      it('nothing permanently when it is rolled back, and no record that is saved again', async () => {
        const failing = storage.work.write(async ({ idempotency }) => {
          assert.equal(await idempotency.deleteExpired(1_000, 9), 5);
          throw new Error('undone');
        });
        await failureOf(failing);
        assert.equal((await keysKept(storage, 'a', 'b', 'c', 'd', 'e')).length, 5);

        await deleteExpired(storage, 1_000, 9);
        await save(storage, 'a', { ...RECORD, savedAt: 70 });
        assert.deepEqual(await keysKept(storage, 'a', 'b'), ['a']);
      });
    });
  });
}
