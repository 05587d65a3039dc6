import assert from 'node:assert/strict';
import type { WriteScope } from '../../application/ports/unit-of-work.ts';
import { ApiKey } from '../../domain/api-key.ts';
import { Category } from '../../domain/category.ts';
import { InventoryItem } from '../../domain/inventory-item.ts';
import { Order } from '../../domain/order.ts';
import { Pet } from '../../domain/pet.ts';
import { Webhook } from '../../domain/webhook.ts';
import { failureOf } from '../assertions.ts';
import type { TestFunctions } from '../test-functions.ts';
import { desksOn, eventsIn } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';
import { WEBHOOK } from './webhooks.ts';

/** For each repository that assigns identifiers: how to add a row with the next or a chosen identifier, and how to delete one. */
const KINDS: Record<
  string,
  {
    add(scope: WriteScope, chosen?: number): Promise<number>;
    remove?(scope: WriteScope, id: number): Promise<void>;
  }
> = {
  CategoryRepository: {
    async add({ categories }, chosen) {
      const id = chosen ?? (await categories.nextId());
      await categories.add(Category.create({ id, name: `Shelf ${id}` }));
      return id;
    },
    remove: ({ categories }, id) => categories.delete(id),
  },
  PetRepository: {
    async add({ pets }, chosen) {
      const id = chosen ?? (await pets.nextId());
      await pets.add(Pet.create({ id, name: 'Rex', categoryId: 1000 }), InventoryItem.open(id, 'available').item);
      return id;
    },
    remove: ({ pets }, id) => pets.delete(id),
  },
  OrderRepository: {
    async add({ orders }, chosen) {
      const id = chosen ?? (await orders.nextId());
      await orders.add(Order.place({ id, petId: 1000, quantity: 1 }));
      return id;
    },
    remove: ({ orders }, id) => orders.delete(id),
  },
  ApiKeyRepository: {
    async add({ apiKeys }, chosen) {
      const id = chosen ?? (await apiKeys.nextId());
      await apiKeys.add(ApiKey.issue({ id, name: 'till', scopes: ['admin'], digest: 'd', createdAt: 0 }));
      return id;
    },
  },
  WebhookRepository: {
    async add({ webhooks }, chosen) {
      const id = chosen ?? (await webhooks.nextId());
      await webhooks.add(Webhook.recall({ ...WEBHOOK, id }));
      return id;
    },
    remove: ({ webhooks }, id) => webhooks.delete(id),
  },
};

/** Adds the rows to which those of a repository refer, without taking an identifier of that repository. */
async function addParents({ categories, pets }: WriteScope, kind: string): Promise<void> {
  if (['CategoryRepository', 'ApiKeyRepository', 'WebhookRepository'].includes(kind)) return;
  await categories.add(Category.create({ id: 1000, name: 'Dogs' }));
  if (kind === 'PetRepository') return;
  await pets.add(Pet.create({ id: 1000, name: 'Bello', categoryId: 1000 }), InventoryItem.open(1000, 'available').item);
}

/** Each is larger than the one before it. */
function assertAscending(ids: readonly number[]): void {
  for (const [i, id] of ids.entries()) {
    assert.ok(i === 0 || id > (ids[i - 1] as number), `${id} follows ${ids[i - 1]}: ${ids.join(', ')}`);
  }
}

export function identifiersChecks(storage: OpenedStorage, { describe, it, beforeEach }: TestFunctions): void {
  for (const [kind, { add, remove }] of Object.entries(KINDS)) {
    describe(kind, () => {
      beforeEach(() => storage.work.write((scope) => addParents(scope, kind)));

      it('assigns ascending identifiers from 1, in one unit of work or in several', async () => {
        const { work } = storage;

        const ids = [
          await work.write((scope) => add(scope)),
          ...(await work.write(async (scope) => [await add(scope), await add(scope), await add(scope)])),
          await work.write((scope) => add(scope)),
        ];

        assertAscending([0, ...ids]);
      });

      it('assigns a larger identifier than every one that was acknowledged before, also after batches', async () => {
        const { work } = storage;
        let acknowledged = 0;
        const unit = async (size: number) => {
          const before = acknowledged;
          const ids = await work.write(async (scope) => {
            const added: number[] = [];
            for (let i = 0; i < size; i++) added.push(await add(scope));
            return added;
          });
          assertAscending([before, ...ids]);
          acknowledged = Math.max(acknowledged, ...ids);
          return ids;
        };

        const all: number[] = [];
        for (const sizes of [[5, 1, 1, 3], [1, 1, 1], [9, 1, 2], [1]]) {
          all.push(...(await Promise.all(sizes.map(unit))).flat());
        }

        assert.equal(new Set(all).size, all.length);
      });

      // API keys are never deleted.
      if (remove) {
        it('never reuses the identifier of a deleted entity', async () => {
          const { work } = storage;
          const first = await work.write(async (scope) => [await add(scope), await add(scope), await add(scope)]);
          const last = first.at(-1) as number;

          await work.write((scope) => remove(scope, last));
          const next = await work.write((scope) => add(scope));
          assertAscending([last, next]);

          await work.write(async (scope) => {
            for (const id of [...first.slice(0, -1), next]) await remove(scope, id);
          });
          assertAscending([next, await work.write((scope) => add(scope))]);
        });
      }

      it('assigns the largest identifier that every client represents exactly', async () => {
        const { work } = storage;
        const top = Number.MAX_SAFE_INTEGER;
        await work.write((scope) => add(scope, top - 1));

        assert.equal(await work.write((scope) => add(scope)), top);
      });

      it('assigns larger identifiers than the acknowledged ones after a failed unit of work', async () => {
        const { work } = storage;
        const before = await work.write((scope) => add(scope));

        const failing = work.write(async (scope) => {
          assertAscending([before, await add(scope), await add(scope), await add(scope)]);
          throw new Error('undone');
        });

        await failureOf(failing);
        const after = await work.write((scope) => add(scope));
        assertAscending([before, after, await work.write((scope) => add(scope))]);
      });
    });
  }

  describe('WriteScope', () => {
    it('assigns separate identifiers to each kind', async () => {
      const { categories, pets, orders } = desksOn(storage);

      const ids = [
        await categories.create({ name: 'Dogs' }),
        await pets.create({ name: 'Rex', categoryId: 1 }),
        await orders.place({ petId: 1, quantity: 1 }),
      ].map(({ id }) => id);

      assert.deepEqual(ids, [1, 1, 1]);
    });

    it('continues after an identifier that was chosen elsewhere', async () => {
      const { work } = storage;

      const next = await work.write(async ({ categories }) => {
        await categories.add(Category.create({ id: 5, name: 'Dogs' }));
        return categories.nextId();
      });

      assertAscending([5, next]);
      assertAscending([5, (await desksOn(storage).categories.create({ name: 'Cats' })).id]);
    });

    it('stores the largest identifiers and numbers exactly', async () => {
      const { work, reader } = storage;
      const top = Number.MAX_SAFE_INTEGER;
      const latest = 253_402_300_799_999;
      await work.write(async ({ categories, pets, orders, ledger }) => {
        await categories.add(Category.create({ id: top, name: 'Dogs' }));
        for (const id of [top - 2, top]) {
          const item = InventoryItem.recall({ petId: id, quantity: 1_000_000_000, reserved: 0, held: false });
          await pets.add(Pet.create({ id, name: `${id}`, categoryId: top }), item);
        }
        await orders.add(Order.place({ id: top, petId: top, quantity: 1_000_000, shipDate: latest }));
        await ledger.append({
          petId: top,
          kind: 'counted',
          quantity: 999_999_999,
          reserved: -1,
          orderId: top,
          at: latest,
        });
      });

      assert.deepEqual(await reader.category(top), { id: top, name: 'Dogs' });
      assert.deepEqual(await reader.pet(top), { id: top, name: `${top}`, categoryId: top, status: 'available' });
      assert.equal(await reader.pet(top - 1), undefined);
      assert.partialDeepStrictEqual(await reader.pet(top - 2), { name: `${top - 2}` });
      const order = { id: top, petId: top, quantity: 1_000_000, shipDate: latest, complete: false };
      assert.deepEqual(await reader.order(top), order);
      assert.equal(await reader.order(top - 1), undefined);
      assert.partialDeepStrictEqual((await reader.movements(top, { limit: 1 }))?.rows[0], {
        quantity: 999_999_999,
        reserved: -1,
        orderId: top,
        at: latest,
      });
      assert.partialDeepStrictEqual(await reader.inventoryItem(top), { quantity: 1_000_000_000 });
      assert.deepEqual((await reader.summary()).available, { pets: 2, units: 2_000_000_000 });

      assert.equal((await reader.pets({ ids: [top, top - 1] }, { sort: { by: 'id' }, limit: 9 })).rows.length, 1);
      assert.equal(await reader.countPets({ categoryId: top }), 2);
      assert.equal(await reader.countPets({ categoryId: top - 1 }), 0);
      assert.equal(await reader.countOrders({ petId: top }), 1);
      assert.equal(await reader.countOrders({ petId: top - 2 }), 0);
      assert.equal(await reader.countOrders({ shipDateFrom: latest }), 1);
      assert.equal(await reader.countOrders({ shipDateTo: latest }), 0);
      assert.equal(await reader.countInventory({ petIds: [top - 2] }), 1);
      const first = await reader.pets({}, { sort: { by: 'id', descending: true }, limit: 1 });
      assert.deepEqual(first.next, { key: top, id: top });
      assert.equal(
        (await reader.pets({}, { sort: { by: 'id', descending: true }, limit: 1, after: first.next })).rows[0]?.id,
        top - 2,
      );
      await work.write(async ({ pets, orders, categories }) => {
        assert.equal(await pets.find(top - 1), undefined);
        assert.equal((await pets.find(top))?.categoryId, top);
        assert.equal(await orders.existFor(top - 2), false);
        assert.deepEqual((await orders.lock(top))?.snapshot(), order);
        assert.equal(await categories.isInUse(top - 1), false);
      });
    });

    it('never rounds a sum of units', async () => {
      const { work, reader } = storage;
      await work.write(async ({ categories, pets }) => {
        await categories.add(Category.create({ id: 1, name: 'Fish' }));
        for (let id = 1; id <= 9; id++) {
          const item = InventoryItem.recall({ petId: id, quantity: 1_000_000_000 - id, reserved: 0, held: false });
          await pets.add(Pet.create({ id, name: 'Neon', categoryId: 1 }), item);
        }
      });

      assert.deepEqual((await reader.summary()).available, { pets: 9, units: 8_999_999_955 });
    });

    it('assigns events ascending positions in the order in which they were appended', async () => {
      const { categories, pets, orders } = desksOn(storage);
      await categories.create({ name: 'Dogs' });
      await failureOf(categories.create({ name: 'dogs' }));
      await pets.create({ name: 'Rex', categoryId: 1 });
      await orders.place({ petId: 1, quantity: 1, complete: true });

      const events = await eventsIn(storage);

      assert.deepEqual(
        events.map(({ type }) => type),
        ['category.created', 'pet.created', 'pet.status_changed', 'order.placed', 'order.completed'],
      );
      for (const [i, { position }] of events.entries()) assert.ok(position > (events[i - 1]?.position ?? 0));
    });
  });
}
