import assert from 'node:assert/strict';
import type { StockRecord } from '../../domain/audit.ts';
import { InventoryItem } from '../../domain/inventory-item.ts';
import { Pet } from '../../domain/pet.ts';
import type { TestFunctions } from '../test-functions.ts';
import { desksOn, walk } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

const TOP = Number.MAX_SAFE_INTEGER;

export function viewsChecks(storage: OpenedStorage, { describe, it, beforeEach }: TestFunctions): void {
  describe('shows', () => {
    /** Pet 1 has five units, two of them reserved; pet 2 is held; pet 3 is sold. */
    beforeEach(async () => {
      const { clock, categories, pets, stock, orders } = desksOn(storage);
      clock.set(1000);
      await categories.create({ name: 'Dogs', description: 'They bark.' });
      await categories.create({ name: 'Cats' });
      await pets.create({ name: 'Rex', categoryId: 1 });
      await pets.create({ name: 'Tom', categoryId: 2, status: 'pending' });
      await pets.create({ name: 'Bello', categoryId: 1, status: 'sold' });
      clock.set(2000);
      await stock.count(1, 6);
      await orders.place({ petId: 1, quantity: 2 });
      await orders.place({ petId: 1, quantity: 1, shipDate: 0, complete: true });
    });

    it('a pet with its status', async () => {
      const { reader } = storage;

      assert.deepEqual(await reader.pet(1), { id: 1, name: 'Rex', categoryId: 1, status: 'available' });
      assert.deepEqual(await reader.pet(2), { id: 2, name: 'Tom', categoryId: 2, status: 'pending' });
      assert.deepEqual(await reader.pet(3), { id: 3, name: 'Bello', categoryId: 1, status: 'sold' });
    });

    it('a pet with the related resources that were requested', async () => {
      const { reader } = storage;
      const rex = { id: 1, name: 'Rex', categoryId: 1, status: 'available' };
      const category = { id: 1, name: 'Dogs', description: 'They bark.' };
      const inventory = { petId: 1, quantity: 5, reserved: 2, status: 'available' };

      assert.deepEqual(await reader.storePet(1, { category: false, inventory: false }), rex);
      assert.deepEqual(await reader.storePet(1, { category: true, inventory: false }), { ...rex, category });
      assert.deepEqual(await reader.storePet(1, { category: false, inventory: true }), { ...rex, inventory });
      assert.deepEqual(await reader.storePet(1, { category: true, inventory: true }), {
        ...rex,
        category,
        inventory,
      });
      assert.deepEqual(await reader.storePet(2, { category: true, inventory: true }), {
        id: 2,
        name: 'Tom',
        categoryId: 2,
        status: 'pending',
        category: { id: 2, name: 'Cats' },
        inventory: { petId: 2, quantity: 1, reserved: 0, status: 'pending' },
      });
    });

    it('categories and orders without absent facts', async () => {
      const { reader } = storage;

      assert.deepEqual(await reader.category(1), { id: 1, name: 'Dogs', description: 'They bark.' });
      assert.deepEqual(await reader.category(2), { id: 2, name: 'Cats' });
      assert.deepEqual(await reader.order(1), { id: 1, petId: 1, quantity: 2, complete: false });
      assert.deepEqual(await reader.order(2), { id: 2, petId: 1, quantity: 1, shipDate: 0, complete: true });
    });

    it('an empty description as an empty text', async () => {
      await desksOn(storage).categories.change(1, { description: '' });

      assert.deepEqual(await storage.reader.category(1), { id: 1, name: 'Dogs', description: '' });
    });

    it('inventory entries', async () => {
      const { reader } = storage;

      assert.deepEqual(await reader.inventoryItem(1), { petId: 1, quantity: 5, reserved: 2, status: 'available' });
      assert.deepEqual(await reader.inventoryItem(3), { petId: 3, quantity: 0, reserved: 0, status: 'sold' });
    });

    it('undefined for what does not exist', async () => {
      const { reader } = storage;

      assert.equal(await reader.countMovements(4, 1), undefined);
      for (const id of [4, 99, TOP]) {
        assert.equal(await reader.pet(id), undefined);
        assert.equal(await reader.storePet(id, { category: true, inventory: true }), undefined);
        assert.equal(await reader.category(id), undefined);
        assert.equal(await reader.order(id), undefined);
        assert.equal(await reader.inventoryItem(id), undefined);
        assert.equal(await reader.movements(id, { limit: 9 }), undefined);
        assert.equal(await reader.countMovements(id), undefined);
      }
    });

    it('every status in the summary, the pets and the units on hand', async () => {
      assert.deepEqual(await storage.reader.summary(), {
        available: { pets: 1, units: 5 },
        pending: { pets: 1, units: 1 },
        sold: { pets: 1, units: 0 },
      });
    });

    it('the movements of one pet, newest first', async () => {
      const page = await storage.reader.movements(1, { limit: 9 });

      const movements = page?.rows.map(({ id: _, ...movement }) => movement);
      assert.deepEqual(movements, [
        { petId: 1, kind: 'shipped', quantity: -1, reserved: -1, orderId: 2, at: 2000 },
        { petId: 1, kind: 'reserved', quantity: 0, reserved: 1, orderId: 2, at: 2000 },
        { petId: 1, kind: 'reserved', quantity: 0, reserved: 2, orderId: 1, at: 2000 },
        { petId: 1, kind: 'counted', quantity: 5, reserved: 0, at: 2000 },
        { petId: 1, kind: 'opened', quantity: 1, reserved: 0, at: 1000 },
      ]);
      const ids = page?.rows.map(({ id }) => id) ?? [];
      assert.deepEqual(
        ids,
        [...new Set(ids)].sort((a, b) => b - a),
      );
      assert.equal(await storage.reader.countMovements(1), 5);
      for (const most of [1, 5, 9]) assert.equal(await storage.reader.countMovements(1, most), Math.min(5, most));
      assert.equal(await storage.reader.countMovements(3), 1);
    });

    it('movements page by page, with writes in between', async () => {
      const { reader } = storage;
      const { stock } = desksOn(storage);
      const whole = await walk((page) => reader.movements(1, page), { by: 'id', descending: true });

      for (const limit of [1, 2, 3, 5, 7]) {
        assert.deepEqual(await walk((page) => reader.movements(1, page), { by: 'id', descending: true }, limit), whole);
      }
      const page = await reader.movements(1, { limit: 2 });
      assert.deepEqual(page?.next, { key: whole[1]?.id, id: whole[1]?.id });
      assert.equal((await reader.movements(1, { limit: 5 }))?.next, undefined);

      await stock.count(1, 9);
      await stock.count(2, 9);
      const rest = await reader.movements(1, { limit: 9, after: page?.next });
      assert.deepEqual(rest?.rows, whole.slice(2));
    });

    it('a pet without movements, whose list is empty', async () => {
      const { work, reader } = storage;
      const id = await work.write(async ({ pets }) => {
        const pet = Pet.recall({ id: await pets.nextId(), name: 'Stray', categoryId: 1 });
        await pets.add(pet, InventoryItem.recall({ petId: pet.id, quantity: 1, reserved: 0, held: false }));
        return pet.id;
      });

      assert.deepEqual((await reader.movements(id, { limit: 9 }))?.rows, []);
      assert.deepEqual((await reader.movements(id, { limit: 9, after: { key: 1, id: 1 } }))?.rows, []);
      assert.equal(await reader.countMovements(id), 0);
      assert.equal((await reader.pet(id))?.name, 'Stray');
    });

    it('stock records by ascending pet id, each with the sums of its orders and its ledger', async () => {
      const { orders } = desksOn(storage);
      await orders.place({ petId: 1, quantity: 3 });
      const records: StockRecord[] = [];

      for await (const record of storage.reader.stockRecords()) records.push(record);

      const sold = { petStatus: 'sold', inventoryStatus: 'sold' };
      const pending = { petStatus: 'pending', inventoryStatus: 'pending' };
      assert.deepEqual(records, [
        {
          petId: 1,
          quantity: 5,
          reserved: 5,
          held: false,
          ...pending,
          openOrders: 5,
          ledgerQuantity: 5,
          ledgerReserved: 5,
        },
        {
          petId: 2,
          quantity: 1,
          reserved: 0,
          held: true,
          ...pending,
          openOrders: 0,
          ledgerQuantity: 1,
          ledgerReserved: 0,
        },
        {
          petId: 3,
          quantity: 0,
          reserved: 0,
          held: false,
          ...sold,
          openOrders: 0,
          ledgerQuantity: 0,
          ledgerReserved: 0,
        },
      ]);
    });

    it('stock records as stored, also where they do not add up', async () => {
      await storage.work.write(async ({ inventory, ledger }) => {
        await inventory.save(InventoryItem.recall({ petId: 2, quantity: 4, reserved: 1, held: false }));
        await ledger.append({ petId: 3, kind: 'counted', quantity: 2, reserved: 0, at: 0 });
      });

      const { findings } = await desksOn(storage).auditor.audit();

      assert.deepEqual(
        findings.map(({ petId, rule }) => [petId, rule]),
        [
          [2, 'reserved_is_open_orders'],
          [2, 'ledger_adds_up'],
          [3, 'ledger_adds_up'],
        ],
      );
    });

    it('every pet of a large store', async () => {
      const { pets, auditor } = desksOn(storage);
      await pets.createAll(Array.from({ length: 1_200 }, (_, i) => ({ name: `Pet ${i % 7}`, categoryId: 1 })));
      const { reader } = storage;
      const recorded: number[] = [];

      for await (const { petId } of reader.stockRecords()) recorded.push(petId);
      const rising = await walk((page) => reader.pets({}, page), { by: 'id' });
      const byName = await walk((page) => reader.pets({}, page), { by: 'name' });

      assert.deepEqual(
        recorded,
        Array.from({ length: 1_203 }, (_, i) => i + 1),
      );
      assert.deepEqual(
        rising.map(({ id }) => id),
        recorded,
      );
      assert.deepEqual(
        await walk((page) => reader.pets({}, page), { by: 'id', descending: true }),
        rising.toReversed(),
      );
      assert.deepEqual(
        byName.map(({ id }) => id).sort((a, b) => a - b),
        recorded,
      );
      assert.deepEqual(
        await walk((page) => reader.pets({}, page), { by: 'name', descending: true }),
        byName.toReversed(),
      );
      assert.deepEqual(await auditor.audit(), { pets: 1_203, findings: [] });
    });
  });

  describe('shows', () => {
    it('every status in the summary of an empty store', async () => {
      const nothing = { pets: 0, units: 0 };

      assert.deepEqual(await storage.reader.summary(), { available: nothing, pending: nothing, sold: nothing });
    });
  });
}
