import assert from 'node:assert/strict';
import type { OrderSort } from '../../application/ports/reader.ts';
import type { TestFunctions } from '../test-functions.ts';
import { desksOn, walk } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

/** 1970-01-01T00:00:00Z: a date like any other, although its number 0 is easily taken for a missing one. */
const FIRST = 0;
const BEFORE = -1;

export function shipDatesChecks(storage: OpenedStorage, { describe, it, beforeEach }: TestFunctions): void {
  describe('distinguishes the earliest instant from none, so that an order', () => {
    const orders = (storage: OpenedStorage, sort: OrderSort) =>
      walk((page) => storage.reader.orders({}, page), sort, 1);
    const idsBy = async (storage: OpenedStorage, sort: OrderSort) => (await orders(storage, sort)).map(({ id }) => id);

    beforeEach(async () => {
      const { categories, pets, stock, orders: desk } = desksOn(storage);
      await categories.create({ name: 'Dogs' });
      await pets.create({ name: 'Rex', categoryId: 1 });
      await stock.count(1, 9);
      for (const shipDate of [undefined, BEFORE, 1]) await desk.place({ petId: 1, quantity: 1, shipDate });
    });

    it('is sorted by that ship date, and disappears when it is cancelled', async () => {
      const { orders: desk } = desksOn(storage);
      assert.deepEqual(await idsBy(storage, { by: 'shipDate' }), [2, 3, 1]);

      await desk.change(1, { shipDate: FIRST });
      assert.deepEqual(await idsBy(storage, { by: 'shipDate' }), [2, 1, 3]);
      assert.deepEqual(await idsBy(storage, { by: 'shipDate', descending: true }), [3, 1, 2]);
      assert.partialDeepStrictEqual(await storage.reader.order(1), { shipDate: FIRST });
      assert.equal(await storage.reader.countOrders({ shipDateFrom: FIRST }), 2);

      await desk.cancel(1);
      assert.deepEqual(await idsBy(storage, { by: 'shipDate' }), [2, 3]);
    });

    it('comes last when it loses that ship date', async () => {
      const { orders: desk } = desksOn(storage);
      await desk.place({ petId: 1, quantity: 1, shipDate: FIRST });
      assert.deepEqual(await idsBy(storage, { by: 'shipDate', descending: true }), [3, 4, 2, 1]);

      await desk.change(4, { shipDate: null });
      assert.deepEqual(await idsBy(storage, { by: 'shipDate' }), [2, 3, 1, 4]);
      assert.deepEqual(await idsBy(storage, { by: 'shipDate', descending: true }), [3, 2, 4, 1]);
      assert.equal('shipDate' in ((await storage.reader.order(4)) ?? {}), false);
    });
  });
}
