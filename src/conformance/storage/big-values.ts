import assert from 'node:assert/strict';
import { ApiKey } from '../../domain/api-key.ts';
import { InventoryItem } from '../../domain/inventory-item.ts';
import type { TestFunctions } from '../test-functions.ts';
import { desksOn, walk } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

/** The longest texts that the rules of the store allow: so many characters, each of four bytes and two UTF-16 units. */
const LONG = { name: '\u{1f436}'.repeat(100), description: '\u{10fffd}'.repeat(1000) };

export function bigValuesChecks(storage: OpenedStorage, { describe, it }: TestFunctions): void {
  describe('stores large values completely, so it', () => {
    it('stores the longest texts that the rules allow, to the last character', async () => {
      const { reader, work } = storage;
      const { categories, pets } = desksOn(storage);
      const key = ApiKey.issue({ id: 1, name: LONG.name, scopes: [], digest: 'd'.repeat(100), createdAt: 0 });

      await categories.create(LONG);
      await pets.create({ name: LONG.name, categoryId: 1 });
      await work.write(({ apiKeys }) => apiKeys.add(key));

      assert.deepEqual(await reader.category(1), { id: 1, ...LONG });
      assert.partialDeepStrictEqual(await reader.pet(1), { name: LONG.name });
      assert.deepEqual(await reader.apiKey(1), key.snapshot());
      assert.equal(await reader.countPets({ name: LONG.name }), 1);
      assert.equal(await reader.countPets({ name: `${LONG.name.slice(0, -2)}x` }), 0);
    });

    it('distinguishes names by the last of their hundred characters', async () => {
      const { categories } = desksOn(storage);
      const begin = '\u{1f436}'.repeat(99);

      for (const end of ['a', 'b', '\u{1f431}']) await categories.create({ name: `${begin}${end}` });

      const rows = await walk((page) => storage.reader.categories({}, page), { by: 'name' }, 1);
      assert.deepEqual(
        rows.map(({ id }) => id),
        [1, 2, 3],
      );
    });

    it('stores every pet of a batch of a thousand', async () => {
      const { categories, pets } = desksOn(storage);
      await categories.create({ name: 'Dogs' });

      await pets.createAll(Array.from({ length: 1_000 }, (_, i) => ({ name: `${i}`.padEnd(100, 'x'), categoryId: 1 })));

      assert.equal(await storage.reader.countPets({}), 1_000);
      const rows = await walk((page) => storage.reader.pets({}, page), { by: 'id' });
      assert.deepEqual(
        rows.map(({ id, name }) => [id, name]),
        Array.from({ length: 1_000 }, (_, i) => [i + 1, `${i}`.padEnd(100, 'x')]),
      );
    });

    it('stores the largest numbers of units, and calculates with them exactly', async () => {
      const { categories, pets, orders, stock } = desksOn(storage);
      await categories.create({ name: 'Fish' });
      await pets.create({ name: 'Neon', categoryId: 1 });

      await stock.count(1, 1_000_000_000);
      await storage.work.write(({ inventory }) =>
        inventory.save(InventoryItem.recall({ petId: 1, quantity: 1_000_000_000, reserved: 999_999_999, held: false })),
      );
      await orders.place({ petId: 1, quantity: 1 });

      const full = { petId: 1, quantity: 1_000_000_000, reserved: 1_000_000_000, status: 'pending' };
      assert.deepEqual(await storage.reader.inventoryItem(1), full);
      assert.equal(await storage.reader.countInventory({ below: 1_000_000_000 }), 0);
    });
  });
}
