import { expect } from 'chai';
import type { StockRecord } from '../../../src/domain/audit.ts';
import { InventoryItem } from '../../../src/domain/inventory-item.ts';
import { desksOn, freshStorage, type OpenStorage, walk } from './storage-under-test.ts';

const TOP = Number.MAX_SAFE_INTEGER;

export function describeViews(open: OpenStorage): void {
  describe('shows', () => {
    const storage = freshStorage(open);

    /** Pet 1 has five units, two of them promised; pet 2 is held; pet 3 is sold. */
    beforeEach(async () => {
      const { clock, categories, pets, stock, orders } = desksOn(storage());
      clock.set(1000);
      await categories.open({ name: 'Dogs', description: 'They bark.' });
      await categories.open({ name: 'Cats' });
      await pets.welcome({ name: 'Rex', categoryId: 1 });
      await pets.welcome({ name: 'Tom', categoryId: 2, status: 'pending' });
      await pets.welcome({ name: 'Bello', categoryId: 1, status: 'sold' });
      clock.set(2000);
      await stock.count(1, 6);
      await orders.place({ petId: 1, quantity: 2 });
      await orders.place({ petId: 1, quantity: 1, shipDate: 0, complete: true });
    });

    it('a pet with its status', async () => {
      const { reader } = storage();

      expect(await reader.pet(1)).to.deep.equal({ id: 1, name: 'Rex', categoryId: 1, status: 'available' });
      expect(await reader.pet(2)).to.deep.equal({ id: 2, name: 'Tom', categoryId: 2, status: 'pending' });
      expect(await reader.pet(3)).to.deep.equal({ id: 3, name: 'Bello', categoryId: 1, status: 'sold' });
    });

    it('a pet with what belongs to it, as far as it was asked for', async () => {
      const { reader } = storage();
      const rex = { id: 1, name: 'Rex', categoryId: 1, status: 'available' };
      const category = { id: 1, name: 'Dogs', description: 'They bark.' };
      const inventory = { petId: 1, quantity: 5, reserved: 2, status: 'available' };

      expect(await reader.storePet(1, { category: false, inventory: false })).to.deep.equal(rex);
      expect(await reader.storePet(1, { category: true, inventory: false })).to.deep.equal({ ...rex, category });
      expect(await reader.storePet(1, { category: false, inventory: true })).to.deep.equal({ ...rex, inventory });
      expect(await reader.storePet(1, { category: true, inventory: true })).to.deep.equal({
        ...rex,
        category,
        inventory,
      });
      expect(await reader.storePet(2, { category: true, inventory: true })).to.deep.equal({
        id: 2,
        name: 'Tom',
        categoryId: 2,
        status: 'pending',
        category: { id: 2, name: 'Cats' },
        inventory: { petId: 2, quantity: 1, reserved: 0, status: 'pending' },
      });
    });

    it('categories and orders without the facts that they do not have', async () => {
      const { reader } = storage();

      expect(await reader.category(1)).to.deep.equal({ id: 1, name: 'Dogs', description: 'They bark.' });
      expect(await reader.category(2)).to.deep.equal({ id: 2, name: 'Cats' });
      expect(await reader.order(1)).to.deep.equal({ id: 1, petId: 1, quantity: 2, complete: false });
      expect(await reader.order(2)).to.deep.equal({ id: 2, petId: 1, quantity: 1, shipDate: 0, complete: true });
    });

    it('an empty description as the text that it is', async () => {
      await desksOn(storage()).categories.change(1, { description: '' });

      expect(await storage().reader.category(1)).to.deep.equal({ id: 1, name: 'Dogs', description: '' });
    });

    it('inventory entries', async () => {
      const { reader } = storage();

      expect(await reader.inventoryItem(1)).to.deep.equal({ petId: 1, quantity: 5, reserved: 2, status: 'available' });
      expect(await reader.inventoryItem(3)).to.deep.equal({ petId: 3, quantity: 0, reserved: 0, status: 'sold' });
    });

    it('undefined for what is not there', async () => {
      const { reader } = storage();

      for (const id of [4, 99, TOP]) {
        expect(await reader.pet(id)).to.equal(undefined);
        expect(await reader.storePet(id, { category: true, inventory: true })).to.equal(undefined);
        expect(await reader.category(id)).to.equal(undefined);
        expect(await reader.order(id)).to.equal(undefined);
        expect(await reader.inventoryItem(id)).to.equal(undefined);
        expect(await reader.movements(id, { sort: '-id', limit: 9 })).to.equal(undefined);
        expect(await reader.countMovements(id)).to.equal(undefined);
      }
    });

    it('every status in the summary, the pets and the units on hand', async () => {
      expect(await storage().reader.summary()).to.deep.equal({
        available: { pets: 1, units: 5 },
        pending: { pets: 1, units: 1 },
        sold: { pets: 1, units: 0 },
      });
    });

    it('every status in the summary of an empty store', async () => {
      const empty = await open();
      try {
        const nothing = { pets: 0, units: 0 };
        const summary = await empty.reader.summary();
        expect(summary).to.deep.equal({ available: nothing, pending: nothing, sold: nothing });
      } finally {
        await empty.dispose();
      }
    });

    it('the movements of one pet, newest first', async () => {
      const page = await storage().reader.movements(1, { sort: '-id', limit: 9 });

      const movements = page?.rows.map(({ id: _, ...movement }) => movement);
      expect(movements).to.deep.equal([
        { petId: 1, kind: 'shipped', quantity: -1, reserved: -1, orderId: 2, at: 2000 },
        { petId: 1, kind: 'reserved', quantity: 0, reserved: 1, orderId: 2, at: 2000 },
        { petId: 1, kind: 'reserved', quantity: 0, reserved: 2, orderId: 1, at: 2000 },
        { petId: 1, kind: 'counted', quantity: 5, reserved: 0, at: 2000 },
        { petId: 1, kind: 'opened', quantity: 1, reserved: 0, at: 1000 },
      ]);
      const ids = page?.rows.map(({ id }) => id) ?? [];
      expect(ids).to.deep.equal([...new Set(ids)].sort((a, b) => b - a));
      expect(await storage().reader.countMovements(1)).to.equal(5);
      expect(await storage().reader.countMovements(3)).to.equal(1);
    });

    it('movements page by page, whatever is written in between', async () => {
      const { reader } = storage();
      const { stock } = desksOn(storage());
      const whole = await walk((page) => reader.movements(1, page), '-id');

      for (const limit of [1, 2, 3, 5, 7]) {
        expect(await walk((page) => reader.movements(1, page), '-id', limit)).to.deep.equal(whole);
      }
      const page = await reader.movements(1, { sort: '-id', limit: 2 });
      expect(page?.next).to.deep.equal({ key: whole[1]?.id, id: whole[1]?.id });
      expect((await reader.movements(1, { sort: '-id', limit: 5 }))?.next).to.equal(undefined);

      await stock.count(1, 9);
      await stock.count(2, 9);
      const rest = await reader.movements(1, { sort: '-id', limit: 9, after: page?.next });
      expect(rest?.rows).to.deep.equal(whole.slice(2));
    });

    it('stock records by rising pet, each with the sums of its orders and its ledger', async () => {
      const { orders } = desksOn(storage());
      await orders.place({ petId: 1, quantity: 3 });
      const records: StockRecord[] = [];

      for await (const record of storage().reader.stockRecords()) records.push(record);

      const sold = { petStatus: 'sold', inventoryStatus: 'sold' };
      const pending = { petStatus: 'pending', inventoryStatus: 'pending' };
      expect(records).to.deep.equal([
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

    it('stock records as they are, also where they do not add up', async () => {
      await storage().work.write(async ({ inventory, ledger }) => {
        await inventory.save(InventoryItem.recall({ petId: 2, quantity: 4, reserved: 1, held: false }));
        await ledger.append({ petId: 3, kind: 'counted', quantity: 2, reserved: 0, at: 0 });
      });

      const { findings } = await desksOn(storage()).auditor.audit();

      expect(findings.map(({ petId, rule }) => [petId, rule])).to.deep.equal([
        [2, 'reserved_is_open_orders'],
        [2, 'ledger_adds_up'],
        [3, 'ledger_adds_up'],
      ]);
    });

    it('every pet, however many there are', async () => {
      const { pets, auditor } = desksOn(storage());
      await pets.welcomeAll(Array.from({ length: 1_200 }, (_, i) => ({ name: `Pet ${i % 7}`, categoryId: 1 })));
      const { reader } = storage();
      const recorded: number[] = [];

      for await (const { petId } of reader.stockRecords()) recorded.push(petId);
      const rising = await walk((page) => reader.pets({}, page), 'id');
      const byName = await walk((page) => reader.pets({}, page), 'name');

      expect(recorded).to.deep.equal(Array.from({ length: 1_203 }, (_, i) => i + 1));
      expect(rising.map(({ id }) => id)).to.deep.equal(recorded);
      expect(await walk((page) => reader.pets({}, page), '-id')).to.deep.equal(rising.toReversed());
      expect(byName.map(({ id }) => id).sort((a, b) => a - b)).to.deep.equal(recorded);
      expect(await walk((page) => reader.pets({}, page), '-name')).to.deep.equal(byName.toReversed());
      expect(await auditor.audit()).to.deep.equal({ pets: 1_203, findings: [] });
    });
  });
}
