import assert from 'node:assert/strict';
import { DomainError, InsufficientStock, PetNotAvailable } from '../../domain/refusals.ts';
import { assertInstance, failureOf } from '../assertions.ts';
import { FailingUnitOfWork } from '../failing-unit-of-work.ts';
import { SeededRandom } from '../seeded-random.ts';
import type { TestFunctions } from '../test-functions.ts';
import { desksOn, eventsIn, pictureOf } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

/** What holds when one unit of work does much, or when many fail concurrently. */
export function batchesChecks(storage: OpenedStorage, { describe, it, beforeEach }: TestFunctions): void {
  describe('is consistent in batches, so that', () => {
    beforeEach(async () => {
      const { categories, pets, stock } = desksOn(storage);
      await categories.create({ name: 'Dogs' });
      await pets.createAll(['Rex', 'Bello', 'Hasso'].map((name) => ({ name, categoryId: 1 })));
      for (const petId of [1, 2, 3]) await stock.count(petId, 50);
    });

    it('orders of one pet in one batch sell no unit twice', async () => {
      const kept = await storage.work.write(async (scope) => {
        const { orders } = desksOn(storage, { write: (work) => work(scope) });
        let placed = 0;
        for (let i = 0; i < 20; i++) {
          const refusal = await orders.place({ petId: 1, quantity: 3 }).then(
            () => undefined,
            (error: unknown) => error,
          );
          if (refusal === undefined) placed += 1;
          else assertInstance(refusal, InsufficientStock);
        }
        return placed;
      });

      assert.equal(kept, 16);
      assert.partialDeepStrictEqual(await storage.reader.inventoryItem(1), { quantity: 50, reserved: 48 });
      assert.equal(await storage.reader.countOrders({ petId: 1 }), 16);
      assert.deepEqual((await desksOn(storage).auditor.audit()).findings, []);
    });

    it('a batch whose last order exceeds the stock keeps none of its orders', async () => {
      const before = await pictureOf(storage);

      const failing = storage.work.write(async (scope) => {
        const { orders } = desksOn(storage, { write: (work) => work(scope) });
        for (const petId of [1, 2, 3, 1, 2, 3]) await orders.place({ petId, quantity: 25 });
        await orders.place({ petId: 2, quantity: 1 });
      });

      assertInstance(await failureOf(failing), PetNotAvailable);
      assert.deepEqual(await pictureOf(storage), before);
    });

    it('concurrent batches for the same pets sell the stock on hand, each completely or not at all', async () => {
      const batch = () =>
        storage.work.write(async (scope) => {
          const { orders } = desksOn(storage, { write: (work) => work(scope) });
          for (const petId of [1, 2, 3]) await orders.place({ petId, quantity: 4 });
        });

      const settled = await Promise.allSettled(Array.from({ length: 20 }, batch));

      for (const one of settled) if (one.status === 'rejected') assertInstance(one.reason, DomainError);
      assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 12);
      for (const petId of [1, 2, 3]) {
        assert.partialDeepStrictEqual(await storage.reader.inventoryItem(petId), { reserved: 48 });
        assert.equal(await storage.reader.countOrders({ petId }), 12);
      }
    });

    it('of many concurrent ones that fail at any step, exactly the others are committed', async () => {
      const random = new SeededRandom(7);
      const before = (await eventsIn(storage)).length;

      const settled = await Promise.allSettled(
        Array.from({ length: 40 }, (_, i) => {
          const failing = new FailingUnitOfWork(storage.work, 1 + random.nextInt(6), random.oneOf(['before', 'after']));
          return desksOn(storage, i % 2 ? failing : storage.work).orders.place({ petId: 1 + (i % 3), quantity: 1 });
        }),
      );

      const kept = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value.id] : []));
      assert.equal(kept.length, 20);
      const { rows } = await storage.reader.orders({}, { sort: { by: 'id' }, limit: 100 });
      assert.deepEqual(new Set(rows.map(({ id }) => id)), new Set(kept));
      assert.equal((await eventsIn(storage)).length - before, 20);
      assert.deepEqual(await desksOn(storage).auditor.audit(), { pets: 3, findings: [] });
    });
  });
}
