import assert from 'node:assert/strict';
import type { WriteScope } from '../../application/ports/unit-of-work.ts';
import { Category } from '../../domain/category.ts';
import { assertInstance, failureOf } from '../assertions.ts';
import type { TestFunctions } from '../test-functions.ts';
import { desksOn, pictureOf } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

const HOUNDS = Category.recall({ id: 1, name: 'Hounds' });

export function abortChecks(storage: OpenedStorage, { describe, it, beforeEach }: TestFunctions): void {
  describe('whose signal is aborted', () => {
    const tooLate = new Error('too late');
    let controller = new AbortController();
    beforeEach(async () => {
      controller = new AbortController();
      await desksOn(storage).categories.create({ name: 'Dogs' });
    });

    it('while it never ends is rolled back and rejected with the reason, and the ones after it run', async () => {
      const { work, reader } = storage;
      const before = await pictureOf(storage);
      const { promise: begun, resolve: begin } = Promise.withResolvers<WriteScope>();
      const stuck = failureOf(
        work.write(async (scope) => {
          await scope.categories.save(HOUNDS);
          begin(scope);
          await new Promise(() => {});
        }, controller),
      );
      const kept = await begun;
      controller.abort(tooLate);

      assert.equal(await stuck, tooLate);
      assert.deepEqual(await pictureOf(storage), before);
      assertInstance(await failureOf((async () => kept.categories.nextId())()), Error);
      await desksOn(storage).categories.create({ name: 'Cats' });
      assert.equal(await reader.countCategories({}), 2);
    });

    it('because it waits for another one that it started is rejected too, and the storage still works', async () => {
      const { work, reader } = storage;
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      let inner: Promise<unknown> = Promise.resolve();
      const outer = failureOf(
        work.write(async ({ categories }) => {
          await categories.save(HOUNDS);
          inner = Promise.allSettled([work.write(async () => 'inside')]);
          begin();
          await inner;
          await new Promise(() => {});
        }, controller),
      );
      await begun;
      controller.abort(tooLate);

      assertInstance(await outer, Error);
      await inner;
      await desksOn(storage).categories.create({ name: 'Cats' });
      assert.partialDeepStrictEqual(await reader.category(1), { name: 'Dogs' });
      assert.equal(await reader.countCategories({}), 2);
    });

    it('while it waits for another one is rejected with the reason, and changes nothing', async () => {
      const { work, reader } = storage;
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const first = work.write(async ({ categories }) => {
        await categories.lock(1);
        begin();
        await released;
      });
      await begun;
      const second = failureOf(
        work.write(async ({ categories }) => {
          await categories.lock(1);
          await categories.save(HOUNDS);
        }, controller),
      );
      controller.abort(tooLate);

      assert.equal(await second, tooLate);
      release();
      await first;
      await desksOn(storage).categories.create({ name: 'Cats' });
      assert.partialDeepStrictEqual(await reader.category(1), { name: 'Dogs' });
    });

    it('before it begins is rejected with the reason, and not executed', async () => {
      let executed = false;
      controller.abort(tooLate);
      const late = storage.work.write(async () => {
        executed = true;
      }, controller);

      assert.equal(await failureOf(late), tooLate);
      assert.equal(executed, false);
    });

    it('right before the commit is rejected with the reason, and changes nothing', async () => {
      const { work, reader } = storage;
      const late = work.write(async ({ categories }) => {
        await categories.save(HOUNDS);
        controller.abort(tooLate);
      }, controller);

      assert.equal(await failureOf(late), tooLate);
      assert.partialDeepStrictEqual(await reader.category(1), { name: 'Dogs' });
    });

    it('after the commit has no effect', async () => {
      await storage.work.write(({ categories }) => categories.save(HOUNDS), controller);
      controller.abort(tooLate);

      assert.partialDeepStrictEqual(await storage.reader.category(1), { name: 'Hounds' });
    });
  });
}
