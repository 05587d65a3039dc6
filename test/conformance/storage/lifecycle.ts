import { expect } from 'chai';
import type { Reader } from '../../../src/application/ports/reader.ts';
import { StorageUnavailable } from '../../../src/application/ports/unit-of-work.ts';
import { failureOf, gate } from '../../support/promises.ts';
import { desksOn, freshStorage, type OpenStorage } from './storage-under-test.ts';

const QUESTIONS: Record<string, (reader: Reader) => Promise<unknown>> = {
  pet: (reader) => reader.pet(1),
  storePet: (reader) => reader.storePet(1, { category: true, inventory: true }),
  pets: (reader) => reader.pets({}, { sort: 'id', limit: 1 }),
  countPets: (reader) => reader.countPets({}),
  category: (reader) => reader.category(1),
  categories: (reader) => reader.categories({}, { sort: 'name', limit: 1 }),
  countCategories: (reader) => reader.countCategories({}),
  order: (reader) => reader.order(1),
  orders: (reader) => reader.orders({}, { sort: 'id', limit: 1 }),
  countOrders: (reader) => reader.countOrders({}),
  inventoryItem: (reader) => reader.inventoryItem(1),
  inventory: (reader) => reader.inventory({}, { sort: 'petId', limit: 1 }),
  countInventory: (reader) => reader.countInventory({}),
  summary: (reader) => reader.summary(),
  movements: (reader) => reader.movements(1, { sort: '-id', limit: 1 }),
  countMovements: (reader) => reader.countMovements(1),
  stockRecords: async (reader) => {
    for await (const _ of reader.stockRecords()) return;
  },
};

export function describeLifecycle(open: OpenStorage): void {
  describe('as long as it is open and after,', () => {
    const storage = freshStorage(open);

    beforeEach(async () => {
      const { categories, pets } = desksOn(storage());
      await categories.open({ name: 'Dogs' });
      await pets.welcome({ name: 'Rex', categoryId: 1 });
    });

    it('answers when it is asked whether it does', async () => {
      await storage().storage.check();
    });

    it('is closed more than once without harm', async () => {
      await storage().storage.close();
      await storage().storage.close();
    });

    it('rejects everything with StorageUnavailable once it is closed', async () => {
      const { work, reader, storage: whole } = storage();
      let worked = false;
      await whole.close();

      const write = work.write(async () => {
        worked = true;
      });

      expect(await failureOf(write), 'write').to.be.instanceOf(StorageUnavailable);
      expect(worked).to.equal(false);
      expect(await failureOf(whole.check()), 'check').to.be.instanceOf(StorageUnavailable);
      for (const [name, ask] of Object.entries(QUESTIONS)) {
        expect(await failureOf(ask(reader)), name).to.be.instanceOf(StorageUnavailable);
      }
    });

    it('brings what is under way or waiting to an end when it is closed', async () => {
      const { work, storage: whole } = storage();
      const begun = gate();
      const mayEnd = gate();
      const units = [
        work.write(async ({ categories }) => {
          await categories.lock(1);
          begun.open();
          await mayEnd.opened;
        }),
        ...Array.from({ length: 5 }, () => work.write(({ pets }) => pets.find(1))),
      ];
      const settled = Promise.allSettled(units);
      await begun.opened;

      const closing = whole.close();
      mayEnd.open();
      await closing;

      for (const unit of await settled) {
        if (unit.status === 'rejected') expect(unit.reason).to.be.instanceOf(StorageUnavailable);
      }
    });
  });
}
