import assert from 'node:assert/strict';
import { ApiKey } from '../../domain/api-key.ts';
import { InventoryItem } from '../../domain/inventory-item.ts';
import {
  EARLIEST_INSTANT,
  LATEST_INSTANT,
  LimitExceeded,
  LONGEST_DESCRIPTION,
  LONGEST_NAME,
  MOST_ORDERED_UNITS,
  MOST_UNITS,
} from '../../domain/limits.ts';
import { Order } from '../../domain/order.ts';
import { assertInstance, failureOf } from '../assertions.ts';
import type { TestFunctions } from '../test-functions.ts';
import { desksOn, pictureOf, walk } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

/** The longest texts that the rules of the store allow: so many characters, each of four bytes and two UTF-16 units. */
const LONG = { name: '\u{1f436}'.repeat(LONGEST_NAME), description: '\u{10fffd}'.repeat(LONGEST_DESCRIPTION) };

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
      const begin = '\u{1f436}'.repeat(LONGEST_NAME - 1);

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

      await stock.count(1, MOST_UNITS);
      await storage.work.write(({ inventory }) =>
        inventory.save(InventoryItem.recall({ petId: 1, quantity: MOST_UNITS, reserved: MOST_UNITS - 1, held: false })),
      );
      await orders.place({ petId: 1, quantity: 1 });

      const full = { petId: 1, quantity: MOST_UNITS, reserved: MOST_UNITS, status: 'pending' };
      assert.deepEqual(await storage.reader.inventoryItem(1), full);
      assert.equal(await storage.reader.countInventory({ below: MOST_UNITS }), 0);
    });

    it('stores the smallest and the largest values that the rules allow', async () => {
      const { reader, work } = storage;
      const { categories, pets } = desksOn(storage);
      await categories.create({ name: 'x', description: '' });
      await pets.create({ name: 'y', categoryId: 1 });
      const instants = [EARLIEST_INSTANT, LATEST_INSTANT];
      const orders = instants.map((shipDate, i) => ({
        id: i + 1,
        petId: 1,
        quantity: i ? MOST_ORDERED_UNITS : 1,
        shipDate,
        complete: false,
      }));

      await work.write(async (scope) => {
        for (const order of orders) await scope.orders.add(Order.recall(order));
        for (const at of instants) {
          await scope.ledger.append({
            petId: 1,
            kind: 'counted',
            quantity: at < 0 ? -MOST_UNITS : MOST_UNITS,
            reserved: 0,
            at,
          });
        }
      });

      assert.deepEqual(await reader.category(1), { id: 1, name: 'x', description: '' });
      assert.deepEqual([await reader.order(1), await reader.order(2)], orders);
      const movements = (await reader.movements(1, { limit: 2 }))?.rows ?? [];
      assert.deepEqual(
        movements.map(({ quantity, at }) => [quantity, at]),
        [
          [MOST_UNITS, LATEST_INSTANT],
          [-MOST_UNITS, EARLIEST_INSTANT],
        ],
      );
      assert.equal(await reader.countOrders({ shipDateFrom: EARLIEST_INSTANT, shipDateTo: LATEST_INSTANT }), 1);
    });

    it('rejects a unit of work whose value is beyond a limit with LimitExceeded, and keeps nothing of it', async () => {
      const { categories, pets, orders, stock } = desksOn(storage);
      await categories.create({ name: 'Dogs' });
      await pets.create({ name: 'Rex', categoryId: 1 });
      await stock.count(1, MOST_UNITS);
      const before = await pictureOf(storage);
      const acts: Readonly<Record<string, () => Promise<unknown>>> = {
        'a name': () => pets.create({ name: `${LONG.name}x`, categoryId: 1 }),
        'an empty name': () => categories.create({ name: '' }),
        'a description': () => categories.change(1, { description: `${LONG.description}x` }),
        'a control character': () => pets.change(1, { name: 'R\0x' }),
        'half a character': () => categories.change(1, { name: 'Dogs \ud83d' }),
        'a number of units': () => orders.place({ petId: 1, quantity: MOST_ORDERED_UNITS + 1 }),
        'a stock count': () => stock.count(1, MOST_UNITS + 1),
        'an instant': () => orders.place({ petId: 1, quantity: 1, shipDate: LATEST_INSTANT + 1 }),
      };

      for (const [what, act] of Object.entries(acts)) {
        assertInstance(await failureOf(act()), LimitExceeded, what);
        assert.deepEqual(await pictureOf(storage), before, what);
      }
    });
  });
}
