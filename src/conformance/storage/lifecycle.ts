import assert from 'node:assert/strict';
import type { Reader } from '../../application/ports/reader.ts';
import { StorageUnavailable } from '../../application/ports/unit-of-work.ts';
import { assertInstance, failureOf } from '../assertions.ts';
import { latch, yieldToEventLoop } from '../scheduling.ts';
import type { TestFunctions } from '../test-functions.ts';
import { desksOn } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

const READS: Record<keyof Reader, (reader: Reader) => Promise<unknown>> = {
  pet: (reader) => reader.pet(1),
  storePet: (reader) => reader.storePet(1, { category: true, inventory: true }),
  pets: (reader) => reader.pets({}, { sort: { by: 'id' }, limit: 1 }),
  countPets: (reader) => reader.countPets({}),
  category: (reader) => reader.category(1),
  categories: (reader) => reader.categories({}, { sort: { by: 'name' }, limit: 1 }),
  countCategories: (reader) => reader.countCategories({}),
  order: (reader) => reader.order(1),
  orders: (reader) => reader.orders({}, { sort: { by: 'id' }, limit: 1 }),
  countOrders: (reader) => reader.countOrders({}),
  inventoryItem: (reader) => reader.inventoryItem(1),
  inventory: (reader) => reader.inventory({}, { sort: { by: 'petId' }, limit: 1 }),
  countInventory: (reader) => reader.countInventory({}),
  summary: (reader) => reader.summary(),
  summaryRecord: (reader) => reader.summaryRecord(),
  movements: (reader) => reader.movements(1, { limit: 1 }),
  countMovements: (reader) => reader.countMovements(1),
  apiKey: (reader) => reader.apiKey(1),
  apiKeys: (reader) => reader.apiKeys(),
  webhook: (reader) => reader.webhook(1),
  webhooks: (reader) => reader.webhooks({ limit: 1 }),
  countWebhooks: (reader) => reader.countWebhooks(),
  webhookDeliveries: (reader) => reader.webhookDeliveries(1, { limit: 1 }),
  countWebhookDeliveries: (reader) => reader.countWebhookDeliveries(1),
  stockRecords: async (reader) => {
    for await (const _ of reader.stockRecords()) return;
  },
};

export function lifecycleChecks(storage: OpenedStorage, { describe, it, beforeEach }: TestFunctions): void {
  describe('while it is open and after,', () => {
    beforeEach(async () => {
      const { categories, pets } = desksOn(storage);
      await categories.create({ name: 'Dogs' });
      await pets.create({ name: 'Rex', categoryId: 1 });
    });

    it('responds to a check', async () => {
      await storage.storage.check();
    });

    it('can be closed more than once', async () => {
      await storage.storage.close();
      await storage.storage.close();
    });

    it('rejects every call with StorageUnavailable once it is closed', async () => {
      const { work, reader, eventLog, storage: whole } = storage;
      let worked = false;
      await whole.close();

      const write = work.write(async () => {
        worked = true;
      });

      assertInstance(await failureOf(write), StorageUnavailable, 'write');
      assert.equal(worked, false);
      assertInstance(await failureOf(whole.check()), StorageUnavailable, 'check');
      for (const [name, read] of Object.entries(READS)) {
        assertInstance(await failureOf(read(reader)), StorageUnavailable, name);
      }
      assertInstance(await failureOf(eventLog.read({ limit: 1 })), StorageUnavailable, 'read');
      assertInstance(await failureOf(eventLog.range()), StorageUnavailable, 'range');
    });

    it('ends the units of work that run or wait when it is closed', async () => {
      const { work, storage: whole } = storage;
      const begun = latch();
      const mayEnd = latch();
      const units = [
        work.write(async ({ categories }) => {
          await categories.lock(1);
          begun.open();
          await mayEnd.opened;
        }),
        // They wait for the first, and are more than the connections of a storage.
        ...Array.from({ length: 40 }, () => work.write(({ categories }) => categories.lock(1))),
      ];
      const settled = Promise.allSettled(units);
      await begun.opened;

      let left = units.length;
      for (const unit of units) void Promise.allSettled([unit]).then(() => left--);
      const closing = whole.close().then(async () => {
        // Units that have settled by now are counted in this turn of the event loop.
        await yieldToEventLoop();
        return left;
      });
      // A storage that does not wait for running units has closed long before.
      await yieldToEventLoop(100);
      mayEnd.open();

      assert.equal(await closing, 0, 'it was closed while units of work had not ended');
      for (const unit of await settled) {
        if (unit.status === 'rejected') assertInstance(unit.reason, StorageUnavailable);
      }
    });
  });
}
