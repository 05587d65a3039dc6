import { expect } from 'chai';
import { Category } from '../../../src/domain/category.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { InventoryItem } from '../../../src/domain/inventory-item.ts';
import { Order } from '../../../src/domain/order.ts';
import { Pet } from '../../../src/domain/pet.ts';
import type { LedgerEntry } from '../../../src/domain/stock-movement.ts';
import { desksOn, freshStorage, type OpenStorage, pictureOf } from './storage-under-test.ts';

export function describeCopies(open: OpenStorage): void {
  describe('gives and takes copies, so that', () => {
    const storage = freshStorage(open);

    beforeEach(async () => {
      const { categories, pets, stock, orders } = desksOn(storage());
      await categories.open({ name: 'Dogs', description: 'They bark.' });
      await categories.open({ name: 'Cats' });
      await pets.welcome({ name: 'Rex', categoryId: 1 });
      await stock.count(1, 5);
      await orders.place({ petId: 1, quantity: 2 });
    });

    it('changing what came out changes nothing until it is saved', async () => {
      const before = await pictureOf(storage());

      await storage().work.write(async ({ categories, pets, inventory, orders }) => {
        (await categories.lock(1))?.rename('Hounds');
        (await pets.find(1))?.moveTo(2);
        (await inventory.lock(1))?.count(9);
        (await orders.lock(1))?.finish(0);

        expect((await categories.lock(1))?.name).to.equal('Dogs');
        expect((await pets.find(1))?.categoryId).to.equal(1);
        expect((await inventory.lock(1))?.quantity).to.equal(5);
        expect((await orders.lock(1))?.complete).to.equal(false);
      });

      expect(await pictureOf(storage())).to.deep.equal(before);
    });

    it('changing what was saved changes nothing until it is saved again', async () => {
      await storage().work.write(async ({ categories, pets, inventory, orders }) => {
        const category = Category.recall({ id: 1, name: 'Hounds' });
        const pet = Pet.recall({ id: 1, name: 'Max', categoryId: 2 });
        const item = InventoryItem.recall({ petId: 1, quantity: 6, reserved: 2, held: false });
        const order = Order.recall({ id: 1, petId: 1, quantity: 2, shipDate: 5, complete: false });
        await categories.save(category);
        await pets.save(pet);
        await inventory.save(item);
        await orders.save(order);

        category.rename('Birds');
        pet.rename('Moritz');
        item.count(99);
        order.reschedule(99);
      });

      const { reader } = storage();
      expect(await reader.category(1)).to.deep.equal({ id: 1, name: 'Hounds' });
      expect(await reader.pet(1)).to.include({ name: 'Max', categoryId: 2 });
      expect(await reader.inventoryItem(1)).to.include({ quantity: 6 });
      expect(await reader.order(1)).to.include({ shipDate: 5 });
    });

    it('changing what was added changes nothing', async () => {
      const entry: LedgerEntry = { petId: 1, kind: 'counted', quantity: 3, reserved: 0, at: 7 };
      const event: DomainEvent = { type: 'category.created', data: { id: 3, name: 'Birds' }, at: 7 };
      await storage().work.write(async ({ categories, pets, orders, ledger, outbox }) => {
        const category = Category.open({ id: await categories.nextId(), name: 'Birds' });
        const pet = Pet.welcome({ id: await pets.nextId(), name: 'Tweety', categoryId: 1 });
        const { item } = InventoryItem.open(pet.id, 'available');
        const order = Order.place({ id: await orders.nextId(), petId: 1, quantity: 1 });
        await categories.add(category);
        await pets.add(pet, item);
        await orders.add(order);
        await ledger.append(entry);
        await outbox.append(event);

        category.rename('Fish');
        pet.rename('Nemo');
        item.count(99);
        order.resize(99);
        Object.assign(entry, { quantity: 99 });
        Object.assign(event, { type: 'category.deleted' });
      });

      const { reader } = storage();
      expect(await reader.category(3)).to.include({ name: 'Birds' });
      expect(await reader.pet(2)).to.include({ name: 'Tweety' });
      expect(await reader.inventoryItem(2)).to.include({ quantity: 1 });
      expect(await reader.order(2)).to.include({ quantity: 1 });
      expect((await reader.movements(1, { sort: '-id', limit: 1 }))?.rows[0]).to.include({ quantity: 3 });
      expect((await storage().events()).at(-1)).to.include({ type: 'category.created' });
    });

    it('changing the rows that a reader gave changes no answer after that', async () => {
      const { reader } = storage();
      const ask = async () => [
        await reader.pet(1),
        await reader.storePet(1, { category: true, inventory: true }),
        await reader.category(1),
        await reader.order(1),
        await reader.inventoryItem(1),
        await reader.summary(),
        await reader.pets({}, { sort: 'name', limit: 1 }),
        await reader.categories({}, { sort: 'name', limit: 1 }),
        await reader.orders({}, { sort: 'shipDate', limit: 1 }),
        await reader.inventory({}, { sort: 'quantity', limit: 1 }),
        await reader.movements(1, { sort: '-id', limit: 1 }),
      ];
      const before = structuredClone(await ask());

      for (const answer of await ask()) spoil(answer);

      expect(await ask()).to.deep.equal(before);
    });
  });
}

/** Changes all that can be changed in a value. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const part of Object.values(value)) spoil(part);
  for (const key of Object.keys(value)) Reflect.set(value, key, 'spoilt');
}
