import assert from 'node:assert/strict';
import { StorageUnavailable, type WriteScope } from '../../application/ports/unit-of-work.ts';
import { Category } from '../../domain/category.ts';
import { assertInstance, failureOf } from '../assertions.ts';
import { itUnless, openedForEach, type TestFunctions } from '../test-functions.ts';
import { desksOn, pictureOf } from './shop.ts';
import type { StorageUnderTest } from './storage-under-test.ts';

/** Long enough for what is prepared, on a busy machine too. */
const WORK_LIMIT = 750;

export function limitChecks({ open, gaps }: StorageUnderTest, test: TestFunctions): void {
  const { describe, beforeEach } = test;
  const it = itUnless(gaps?.workLimit, test);
  describe('that does not end in time', () => {
    const storage = openedForEach(() => open({ workLimit: WORK_LIMIT }), test);
    beforeEach(async () => {
      assert.equal(
        storage.workLimit,
        WORK_LIMIT,
        'it does not take the limit; if it cannot, declare the gap "workLimit"',
      );
      await desksOn(storage).categories.create({ name: 'Dogs' });
    });

    it('is rolled back and rejected, and the ones after it run', async () => {
      const { work, reader } = storage;
      const before = await pictureOf(storage);
      let kept: WriteScope | undefined;
      const stuck = work.write(async (scope) => {
        kept = scope;
        await scope.categories.save(Category.recall({ id: 1, name: 'Hounds' }));
        await new Promise(() => {});
      });

      assertInstance(await failureOf(stuck), StorageUnavailable);
      assert.deepEqual(await pictureOf(storage), before);
      assertInstance(await failureOf((async () => kept?.categories.nextId())()), Error);
      await desksOn(storage).categories.create({ name: 'Cats' });
      assert.equal(await reader.countCategories({}), 2);
    });

    it('because it waits for another one that it started is rejected too, and the storage still works', async () => {
      const { work, reader } = storage;
      let inner: Promise<unknown> = Promise.resolve();
      const outer = work.write(async ({ categories }) => {
        await categories.save(Category.recall({ id: 1, name: 'Hounds' }));
        inner = work.write(async () => 'inside');
        await inner;
      });

      assertInstance(await failureOf(outer), StorageUnavailable);
      await Promise.allSettled([inner]);
      await desksOn(storage).categories.create({ name: 'Cats' });
      assert.partialDeepStrictEqual(await reader.category(1), { name: 'Dogs' });
      assert.equal(await reader.countCategories({}), 2);
    });
  });
}
