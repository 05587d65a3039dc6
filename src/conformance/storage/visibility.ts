import assert from 'node:assert/strict';
import { latch, yieldToEventLoop } from '../scheduling.ts';
import type { TestFunctions } from '../test-functions.ts';
import { desksOn, pictureOf } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

/** How often two pets trade places for a reader that has seen only one of them in its place. */
const MOST_SWAPS = 2_000;

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
      const seen = new Set<number | undefined>();
      let writing = true;
      const swapping = (async () => {
        for (let i = 0; i < 40 || (seen.size < 2 && i < MOST_SWAPS); i++) {
          await work.write(async ({ inventory }) => {
            const items = [await inventory.lock(1), await inventory.lock(2)];
            for (const item of items) {
              item?.setStatus(item.status === 'pending' ? 'available' : 'pending');
              if (item) await inventory.save(item);
              await yieldToEventLoop();
            }
          });
        }
      })().finally(() => {
        writing = false;
      });

      while (writing) {
        const { rows } = await reader.pets({ status: ['available'] }, { sort: { by: 'id' }, limit: 10 });
        const { available, pending } = await reader.summary();
        assert.equal(rows.length, 1);
        assert.deepEqual([available.pets, pending.pets], [1, 1]);
        seen.add(rows[0]?.id);
        await yieldToEventLoop();
      }
      await swapping;

      assert.deepEqual(seen, new Set([1, 2]));
    });

    it('reads consistent stock records while stock changes', async () => {
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
