import assert from 'node:assert/strict';
import type { WriteScope } from '../../application/ports/unit-of-work.ts';
import { Category } from '../../domain/category.ts';
import { InventoryItem } from '../../domain/inventory-item.ts';
import { Order } from '../../domain/order.ts';
import { Pet } from '../../domain/pet.ts';
import { assertInstance, failureOf } from '../assertions.ts';
import type { TestFunctions } from '../test-functions.ts';
import { desksOn, pictureOf } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

/** Changes that would leave a reference to a missing row, or two rows with one identifier. */
const VIOLATIONS: Record<string, (scope: WriteScope) => Promise<void>> = {
  'the category of a pet is removed': ({ categories }) => categories.delete(1),
  'the pet of an open order is removed': ({ pets }) => pets.delete(1),
  'the pet of a complete order is removed': ({ pets }) => pets.delete(2),
  'a pet is added to no category': ({ pets }) =>
    pets.add(Pet.create({ id: 9, name: 'Wuff', categoryId: 9 }), InventoryItem.open(9, 'available').item),
  'a pet is moved to no category': ({ pets }) => pets.save(Pet.recall({ id: 1, name: 'Rex', categoryId: 9 })),
  'an order is added for no pet': ({ orders }) => orders.add(Order.place({ id: 9, petId: 9, quantity: 1 })),
  'a movement is written for no pet': ({ ledger }) =>
    ledger.append({ petId: 9, kind: 'counted', quantity: 1, reserved: 0, at: 0 }),
  'a category is added twice': ({ categories }) => categories.add(Category.create({ id: 1, name: 'Fish' })),
  'a pet is added twice': ({ pets }) =>
    pets.add(Pet.create({ id: 1, name: 'Wuff', categoryId: 1 }), InventoryItem.open(1, 'sold').item),
  'an order is added twice': ({ orders }) => orders.add(Order.place({ id: 1, petId: 3, quantity: 1 })),
};

export function referencesChecks(storage: OpenedStorage, { describe, it, beforeEach }: TestFunctions): void {
  describe('keeps references intact, so that', () => {
    beforeEach(async () => {
      const { categories, pets, stock, orders } = desksOn(storage);
      await categories.create({ name: 'Dogs' });
      await pets.createAll(['Rex', 'Bello', 'Hasso'].map((name) => ({ name, categoryId: 1 })));
      await stock.count(2, 9);
      await orders.place({ petId: 1, quantity: 1 });
      await orders.place({ petId: 2, quantity: 1, complete: true });
    });

    for (const [violation, act] of Object.entries(VIOLATIONS)) {
      it(`a unit of work fails if ${violation}`, async () => {
        const before = await pictureOf(storage);

        assertInstance(await failureOf(storage.work.write(act)), Error);
        assert.deepEqual(await pictureOf(storage), before);
      });
    }

    it('saving a missing entity creates nothing', async () => {
      const before = await pictureOf(storage);

      for (const save of [
        ({ categories }: WriteScope) => categories.save(Category.recall({ id: 9, name: 'Fish' })),
        ({ pets }: WriteScope) => pets.save(Pet.recall({ id: 9, name: 'Nemo', categoryId: 1 })),
        ({ inventory }: WriteScope) => inventory.save(InventoryItem.open(9, 'available').item),
        ({ orders }: WriteScope) => orders.save(Order.recall({ id: 9, petId: 3, quantity: 1, complete: true })),
      ]) {
        await storage.work.write(save).catch((error: unknown) => assertInstance(error, Error));
      }

      assert.deepEqual(await pictureOf(storage), before);
    });

    it('deleting a pet deletes its inventory entry and its ledger', async () => {
      const { pets, stock, auditor } = desksOn(storage);
      await stock.count(3, 7);

      await pets.delete(3);

      const { reader } = storage;
      assert.equal(await reader.pet(3), undefined);
      assert.equal(await reader.storePet(3, { category: true, inventory: true }), undefined);
      assert.equal(await reader.inventoryItem(3), undefined);
      assert.equal(await reader.movements(3, { limit: 9 }), undefined);
      assert.equal(await reader.countMovements(3), undefined);
      assert.equal(await reader.countInventory({}), 2);
      assert.deepEqual(await auditor.audit(), { pets: 2, findings: [] });
    });

    it('deleting a pet deletes what the same unit of work wrote about it', async () => {
      const before = await pictureOf(storage);

      await storage.work.write(async ({ pets, ledger }) => {
        await pets.add(Pet.create({ id: 4, name: 'Wuff', categoryId: 1 }), InventoryItem.open(4, 'available').item);
        await ledger.append({ petId: 4, kind: 'opened', quantity: 1, reserved: 0, at: 0 });
        await pets.delete(4);
      });

      assert.deepEqual(await pictureOf(storage), before);
    });

    it('the ledger of a pet survives its cancelled orders', async () => {
      const { pets, orders } = desksOn(storage);
      await orders.cancel(1);

      const movements = await storage.reader.movements(1, { limit: 9 });
      assert.deepEqual(
        movements?.rows.map(({ kind, orderId }) => [kind, orderId]),
        [
          ['released', 1],
          ['reserved', 1],
          ['opened', undefined],
        ],
      );

      await pets.delete(1);
      assert.equal(await storage.reader.countPets({}), 2);
    });

    it('saving a pet does not change its stock, and saving its stock does not change the pet', async () => {
      const { reader, work } = storage;
      await work.write(async ({ pets, inventory }) => {
        const pet = await pets.find(2);
        const item = await inventory.lock(2);
        pet?.rename('Max');
        item?.count(4);
        if (item) await inventory.save(item);
        if (pet) await pets.save(pet);
      });

      assert.deepEqual(await reader.pet(2), { id: 2, name: 'Max', categoryId: 1, status: 'available' });
      assert.partialDeepStrictEqual(await reader.inventoryItem(2), { quantity: 4 });
    });
  });
}
