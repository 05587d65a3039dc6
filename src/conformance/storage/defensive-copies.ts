import assert from 'node:assert/strict';
import { Category } from '../../domain/category.ts';
import type { DomainEvent } from '../../domain/events.ts';
import { InventoryItem } from '../../domain/inventory-item.ts';
import { Order } from '../../domain/order.ts';
import { Pet } from '../../domain/pet.ts';
import type { LedgerEntry } from '../../domain/stock-movement.ts';
import type { TestFunctions } from '../test-functions.ts';
import { desksOn, eventsIn, pictureOf } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

export function defensiveCopiesChecks(storage: OpenedStorage, { describe, it, beforeEach }: TestFunctions): void {
  describe('returns and accepts copies, so that', () => {
    beforeEach(async () => {
      const { categories, pets, stock, orders } = desksOn(storage);
      await categories.create({ name: 'Dogs', description: 'They bark.' });
      await categories.create({ name: 'Cats' });
      await pets.create({ name: 'Rex', categoryId: 1 });
      await stock.count(1, 5);
      await orders.place({ petId: 1, quantity: 2 });
    });

    it('changing a returned entity changes nothing until it is saved', async () => {
      const before = await pictureOf(storage);

      await storage.work.write(async ({ categories, pets, inventory, orders }) => {
        (await categories.lock(1))?.rename('Hounds');
        (await pets.find(1))?.moveTo(2);
        (await inventory.lock(1))?.count(9);
        (await orders.lock(1))?.complete(0);

        assert.equal((await categories.lock(1))?.name, 'Dogs');
        assert.equal((await pets.find(1))?.categoryId, 1);
        assert.equal((await inventory.lock(1))?.quantity, 5);
        assert.equal((await orders.lock(1))?.isComplete, false);
      });

      assert.deepEqual(await pictureOf(storage), before);
    });

    it('changing a saved entity changes nothing until it is saved again', async () => {
      await storage.work.write(async ({ categories, pets, inventory, orders }) => {
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

      const { reader } = storage;
      assert.deepEqual(await reader.category(1), { id: 1, name: 'Hounds' });
      assert.partialDeepStrictEqual(await reader.pet(1), { name: 'Max', categoryId: 2 });
      assert.partialDeepStrictEqual(await reader.inventoryItem(1), { quantity: 6 });
      assert.partialDeepStrictEqual(await reader.order(1), { shipDate: 5 });
    });

    it('changing an added entity changes nothing', async () => {
      await storage.work.write(async ({ categories, pets, orders, ledger, outbox }) => {
        const entry: LedgerEntry = { petId: 1, kind: 'counted', quantity: 3, reserved: 0, at: 7 };
        const event: DomainEvent = { type: 'category.created', data: { id: 3, name: 'Birds' }, at: 7 };
        const category = Category.create({ id: await categories.nextId(), name: 'Birds' });
        const pet = Pet.create({ id: await pets.nextId(), name: 'Tweety', categoryId: 1 });
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

      const { reader } = storage;
      assert.partialDeepStrictEqual(await reader.category(3), { name: 'Birds' });
      assert.partialDeepStrictEqual(await reader.pet(2), { name: 'Tweety' });
      assert.partialDeepStrictEqual(await reader.inventoryItem(2), { quantity: 1 });
      assert.partialDeepStrictEqual(await reader.order(2), { quantity: 1 });
      assert.partialDeepStrictEqual((await reader.movements(1, { limit: 1 }))?.rows[0], { quantity: 3 });
      assert.partialDeepStrictEqual((await eventsIn(storage)).at(-1), { type: 'category.created' });
    });

    it('changing the rows of a reader changes no later result', async () => {
      const { reader } = storage;
      const readAll = async () => [
        await reader.pet(1),
        await reader.storePet(1, { category: true, inventory: true }),
        await reader.category(1),
        await reader.order(1),
        await reader.inventoryItem(1),
        await reader.summary(),
        await reader.pets({}, { sort: { by: 'name' }, limit: 1 }),
        await reader.categories({}, { sort: { by: 'name' }, limit: 1 }),
        await reader.orders({}, { sort: { by: 'shipDate' }, limit: 1 }),
        await reader.inventory({}, { sort: { by: 'quantity' }, limit: 1 }),
        await reader.movements(1, { limit: 1 }),
      ];
      const before = structuredClone(await readAll());

      for (const result of await readAll()) mutate(result);

      assert.deepEqual(await readAll(), before);
    });
  });
}

/** Changes every property of a value, at any depth. */
function mutate(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const part of Object.values(value)) mutate(part);
  for (const key of Object.keys(value)) Reflect.set(value, key, 'changed');
}
