import { expect } from 'chai';
import { StorageUnavailable, type WriteScope } from '../../../src/application/ports/unit-of-work.ts';
import { Category } from '../../../src/domain/category.ts';
import { failureOf } from '../../support/promises.ts';
import { desksOn, type OpenStorage, pictureOf, type StorageUnderTest } from './storage-under-test.ts';

const WORK_LIMIT = 250;

export function describeLimit(open: OpenStorage): void {
  describe('that does not come to its end in time', () => {
    let storage: StorageUnderTest | undefined;

    beforeEach(async function () {
      storage = await open({ workLimit: WORK_LIMIT });
      // An adapter that cannot be given a limit keeps this promise in tests of its own.
      if (storage.workLimit !== WORK_LIMIT) this.skip();
      await desksOn(storage).categories.open({ name: 'Dogs' });
    });
    afterEach(() => storage?.dispose());

    it('is undone and rejected, and those behind it have their turn', async () => {
      const { work, reader } = storage as StorageUnderTest;
      const before = await pictureOf(storage as StorageUnderTest);
      let kept: WriteScope | undefined;
      const stuck = work.write(async (scope) => {
        kept = scope;
        await scope.categories.save(Category.recall({ id: 1, name: 'Hounds' }));
        await new Promise(() => {});
      });

      expect(await failureOf(stuck)).to.be.instanceOf(StorageUnavailable);
      expect(await pictureOf(storage as StorageUnderTest)).to.deep.equal(before);
      expect(await failureOf((async () => kept?.categories.nextId())())).to.be.instanceOf(Error);
      await desksOn(storage as StorageUnderTest).categories.open({ name: 'Cats' });
      expect(await reader.countCategories({})).to.equal(2);
    });

    it('because it waits for another one that it started is rejected too, and the storage goes on', async () => {
      const { work, reader } = storage as StorageUnderTest;
      let inner: Promise<unknown> = Promise.resolve();
      const outer = work.write(async ({ categories }) => {
        await categories.save(Category.recall({ id: 1, name: 'Hounds' }));
        inner = work.write(async () => 'inside');
        await inner;
      });

      expect(await failureOf(outer)).to.be.instanceOf(StorageUnavailable);
      await Promise.allSettled([inner]);
      await desksOn(storage as StorageUnderTest).categories.open({ name: 'Cats' });
      expect(await reader.category(1)).to.include({ name: 'Dogs' });
      expect(await reader.countCategories({})).to.equal(2);
    });
  });
}
