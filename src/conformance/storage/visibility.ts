import assert from 'node:assert/strict';
import { ApiKey } from '../../domain/api-key.ts';
import { Category } from '../../domain/category.ts';
import { Order } from '../../domain/order.ts';
import { Pet } from '../../domain/pet.ts';
import { latch, yieldToEventLoop } from '../scheduling.ts';
import type { TestFunctions } from '../test-functions.ts';
import { desksOn, pictureOf } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

/** The number of changes during the reads: more of them while the reads have seen only one of two states. */
const [FEWEST_CHANGES, MOST_CHANGES] = [40, 2_000];

export function visibilityChecks(storage: OpenedStorage, { describe, it, beforeEach }: TestFunctions): void {
  describe('is invisible until it is committed, so that a reader', () => {
    beforeEach(async () => {
      const { categories, pets, stock, orders } = desksOn(storage);
      await categories.create({ name: 'Dogs' });
      await pets.create({ name: 'Rex', categoryId: 1 });
      await pets.create({ name: 'Bello', categoryId: 1, status: 'pending' });
      await stock.count(1, 5);
      await orders.place({ petId: 1, quantity: 2 });
    });

    it('sees the previous state while one is in progress, and does not wait for it', async () => {
      const before = await pictureOf(storage);
      const worked = latch();
      const mayEnd = latch();
      const underWay = storage.work.write(async (scope) => {
        const { categories, pets, stock, orders } = desksOn(storage, { write: (work) => work(scope) });
        await categories.change(1, { name: 'Hounds' });
        await categories.create({ name: 'Cats' });
        await pets.create({ name: 'Tom', categoryId: 2 });
        await pets.delete(2);
        await stock.count(1, 9);
        await orders.change(1, { complete: true });
        await orders.place({ petId: 1, quantity: 1 });
        worked.open();
        await mayEnd.opened;
      });
      await worked.opened;

      const meanwhile = await pictureOf(storage).finally(mayEnd.open);
      await underWay;
      const afterwards = await pictureOf(storage);

      assert.deepEqual(meanwhile, before);
      assert.deepEqual(
        afterwards.categories.map(({ name }) => name),
        ['Hounds', 'Cats'],
      );
      assert.deepEqual(
        afterwards.pets.map(({ name }) => name),
        ['Rex', 'Tom'],
      );
      assert.deepEqual(
        afterwards.orders.map(({ complete }) => complete),
        [true, false],
      );
      assert.partialDeepStrictEqual(afterwards.inventory[0], { quantity: 7, reserved: 1 });
    });

    it('never sees a part of one', async () => {
      const { reader, work } = storage;
      const swap = () =>
        work.write(async ({ inventory }) => {
          for (const item of [await inventory.lock(1), await inventory.lock(2)]) {
            item?.setStatus(item.status === 'pending' ? 'available' : 'pending');
            if (item) await inventory.save(item);
            await yieldToEventLoop();
          }
        });

      await whileWriting(swap, async (seen) => {
        const { rows } = await reader.pets({ status: ['available'] }, { sort: { by: 'id' }, limit: 10 });
        const { available, pending } = await reader.summary();
        assert.equal(rows.length, 1);
        assert.deepEqual([available.pets, pending.pets], [1, 1]);
        seen.add(rows[0]?.id);
      });
    });

    it('reads by id sees the previous state while one is in progress, and does not wait for it', async () => {
      const { reader, work } = storage;
      const apiKey = { id: 1, name: 'till', scopes: [], digest: 'd', createdAt: 0 };
      await work.write(({ apiKeys }) => apiKeys.add(ApiKey.issue(apiKey)));
      const readAll = async () => ({
        pets: [await reader.pet(1), await reader.pet(2), await reader.pet(3)],
        storePets: await Promise.all([1, 2, 3].map((id) => reader.storePet(id, { category: true, inventory: true }))),
        categories: [await reader.category(1), await reader.category(2)],
        orders: [await reader.order(1), await reader.order(2)],
        inventory: [await reader.inventoryItem(1), await reader.inventoryItem(2), await reader.inventoryItem(3)],
        movements: [await reader.movements(1, { limit: 9 }), await reader.movements(3, { limit: 9 })],
        counts: [await reader.countMovements(1), await reader.countPets({}), await reader.countInventory({ below: 9 })],
        apiKey: await reader.apiKey(1),
      });
      const before = await readAll();
      const worked = latch();
      const mayEnd = latch();
      const underWay = work.write(async (scope) => {
        const { categories, pets, stock, orders } = desksOn(storage, { write: (act) => act(scope) });
        await categories.change(1, { name: 'Hounds', description: 'They bark.' });
        await categories.create({ name: 'Cats' });
        await pets.create({ name: 'Tom', categoryId: 2 });
        await pets.change(1, { name: 'Max', status: 'pending' });
        await pets.delete(2);
        await stock.count(1, 9);
        await orders.change(1, { complete: true });
        await scope.orders.add(Order.recall({ id: 2, petId: 1, quantity: 1, complete: true }));
        await scope.apiKeys.save(ApiKey.recall({ ...apiKey, revokedAt: 5 }));
        worked.open();
        await mayEnd.opened;
      });
      await worked.opened;

      const meanwhile = await readAll().finally(mayEnd.open);
      await underWay;
      const afterwards = await readAll();

      assert.deepEqual(meanwhile, before);
      assert.deepEqual(
        afterwards.pets.map((pet) => pet?.name),
        ['Max', undefined, 'Tom'],
      );
      assert.partialDeepStrictEqual(afterwards.storePets[0], {
        category: { name: 'Hounds' },
        inventory: { quantity: 7 },
      });
      assert.equal(afterwards.orders.length, 2);
      assert.equal(afterwards.apiKey?.revokedAt, 5);
    });

    it('sees a pet, its category and its stock from one moment', async () => {
      const { reader, work } = storage;
      const change = (turn: number) =>
        work.write(async ({ categories, pets, inventory }) => {
          const item = await inventory.lock(1);
          item?.setStatus(turn % 2 ? 'pending' : 'available');
          if (item) await inventory.save(item);
          await categories.save(Category.recall({ id: 1, name: `Name ${turn}` }));
          await pets.save(Pet.recall({ id: 1, name: `Name ${turn}`, categoryId: 1 }));
        });
      await change(0);

      await whileWriting(change, async (seen) => {
        const pet = await reader.storePet(1, { category: true, inventory: true });
        assert.equal(pet?.category?.name, pet?.name, 'the category is from another moment than the pet');
        assert.equal(pet?.inventory?.status, pet?.status, 'the stock is from another moment than the pet');
        seen.add(pet?.status);
      });
    });

    it('reads each stock record from one moment, while stock changes', async () => {
      const { reader } = storage;
      const { orders, auditor } = desksOn(storage);

      await whileWriting(
        async (turn) => {
          const { id } = await orders.place({ petId: 1, quantity: 1 });
          // Out of step with the reads.
          await yieldToEventLoop(1 + (turn % 3));
          await orders.cancel(id);
        },
        async (seen) => {
          assert.deepEqual((await auditor.audit()).findings, []);
          for await (const { petId, openOrders } of reader.stockRecords()) if (petId === 1) seen.add(openOrders);
        },
      );
    });

    it('reads consistent stock records of many pets, while stock changes', async () => {
      const { pets, orders, stock, auditor } = desksOn(storage);
      await pets.createAll(Array.from({ length: 30 }, (_, i) => ({ name: `Pet ${i}`, categoryId: 1 })));
      for (let petId = 3; petId <= 32; petId++) await stock.count(petId, 10);
      const moving = [0, 1, 2].flatMap((round) =>
        Array.from({ length: 30 }, async (_, i) => {
          const { id } = await orders.place({ petId: i + 3, quantity: 1 + round });
          await orders.change(id, { complete: true });
        }),
      );

      const reports = Promise.all(Array.from({ length: 10 }, () => yieldToEventLoop().then(() => auditor.audit())));
      await Promise.all(moving);

      for (const report of await reports) assert.deepEqual(report, { pets: 32, findings: [] });
    });

    it('may write between two stock records, and stop before the last', async () => {
      const { stock } = desksOn(storage);

      for await (const { petId } of storage.reader.stockRecords()) {
        assert.equal(petId, 1);
        await stock.count(1, 8);
        break;
      }

      assert.partialDeepStrictEqual(await stock.get(1), { quantity: 8 });
    });
  });
}

/**
 * Reads again and again, while changes between two states are committed one after the other. Each read notes the state that
 * it saw, and both must have been seen in the end.
 */
async function whileWriting(
  change: (turn: number) => Promise<unknown>,
  read: (seen: Set<unknown>) => Promise<void>,
): Promise<void> {
  const seen = new Set<unknown>();
  let [writing, reading] = [true, true];
  const changing = (async () => {
    for (let turn = 1; reading && (turn <= FEWEST_CHANGES || (seen.size < 2 && turn < MOST_CHANGES)); turn++) {
      await change(turn);
      await yieldToEventLoop();
    }
  })().finally(() => {
    writing = false;
  });
  try {
    while (writing) {
      await read(seen);
      await yieldToEventLoop();
    }
  } finally {
    reading = false;
    await changing;
  }
  assert.equal(seen.size, 2, 'the reads did not see both states');
}
