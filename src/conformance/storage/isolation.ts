import assert from 'node:assert/strict';
import type { WriteScope } from '../../application/ports/unit-of-work.ts';
import { Category } from '../../domain/category.ts';
import { InventoryItem } from '../../domain/inventory-item.ts';
import { Pet } from '../../domain/pet.ts';
import {
  CategoryInUse,
  CategoryNameTaken,
  DomainError,
  InsufficientStock,
  PetHasOrders,
  PetNotAvailable,
  UnknownPet,
} from '../../domain/refusals.ts';
import { assertInstance, assertWhole } from '../assertions.ts';
import { yieldToEventLoop } from '../scheduling.ts';
import { SeededRandom } from '../seeded-random.ts';
import type { TestFunctions } from '../test-functions.ts';
import { type Desks, desksOn } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

/** The use cases of a mixed workload. */
const ACTIONS = ['place', 'resize', 'complete', 'cancel', 'count', 'hold', 'offer'] as const;

function execute({ orders, stock, pets }: Desks, action: (typeof ACTIONS)[number], n: number): Promise<unknown> {
  const petId = 1 + (n % 3);
  switch (action) {
    case 'place':
      return orders.place({ petId, quantity: n, complete: n % 4 === 0 });
    case 'resize':
      return orders.change(n, { quantity: 1 + ((n * 5) % 7) });
    case 'complete':
      return orders.change(n, { complete: true });
    case 'cancel':
      return orders.cancel(n);
    case 'count':
      return stock.count(petId, n * 4);
    default:
      return pets.change(petId, { status: action === 'hold' ? 'pending' : 'available' });
  }
}

function outcomesOf(settled: readonly PromiseSettledResult<unknown>[]) {
  return {
    kept: settled.filter(({ status }) => status === 'fulfilled').length,
    refusals: settled.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : [])),
  };
}

export function isolationChecks(storage: OpenedStorage, { describe, it, beforeEach }: TestFunctions): void {
  describe('is isolated, so that', () => {
    beforeEach(async () => {
      const { categories, pets, stock, orders } = desksOn(storage);
      await categories.create({ name: 'Dogs' });
      await pets.createAll(['Rex', 'Bello', 'Hasso'].map((name) => ({ name, categoryId: 1 })));
      await stock.count(1, 50);
      await stock.count(2, 20);
      await stock.count(3, 20);
      await orders.place({ petId: 3, quantity: 1 });
    });

    it('200 concurrent orders sell the 50 units on hand, and no more', async () => {
      const { orders, auditor } = desksOn(storage);

      const { kept, refusals } = outcomesOf(
        await Promise.allSettled(Array.from({ length: 200 }, () => orders.place({ petId: 1, quantity: 1 }))),
      );

      assert.equal(kept, 50);
      for (const refusal of refusals) {
        assert.equal(refusal instanceof PetNotAvailable || refusal instanceof InsufficientStock, true, String(refusal));
      }
      const { reader } = storage;
      assert.deepEqual(await reader.inventoryItem(1), { petId: 1, quantity: 50, reserved: 50, status: 'pending' });
      assert.equal(await reader.countOrders({ petId: 1 }), 50);
      assert.equal(await reader.countMovements(1), 52);
      assert.deepEqual((await auditor.audit()).findings, []);
    });

    it('orders of three units leave the two that are not enough for another', async () => {
      const { orders } = desksOn(storage);

      const { kept, refusals } = outcomesOf(
        await Promise.allSettled(Array.from({ length: 40 }, () => orders.place({ petId: 1, quantity: 3 }))),
      );

      assert.equal(kept, 16);
      assert.equal(refusals.length, 24);
      for (const refusal of refusals) assertInstance(refusal, InsufficientStock);
      assert.partialDeepStrictEqual(await storage.reader.inventoryItem(1), { quantity: 50, reserved: 48 });
    });

    it('an order is completed or cancelled once, under any concurrency', async () => {
      const { orders, auditor } = desksOn(storage);
      await orders.place({ petId: 1, quantity: 5 });

      const attempts = Array.from({ length: 20 }, (_, i) =>
        i % 2 ? orders.cancel(2) : orders.change(2, { complete: true }),
      );
      await Promise.allSettled(attempts);

      const order = await storage.reader.order(2);
      const quantity = order ? 45 : 50;
      if (order) assert.equal(order.complete, true);
      assert.partialDeepStrictEqual(await storage.reader.inventoryItem(1), { quantity, reserved: 0 });
      assert.equal(await storage.reader.countMovements(1), 4);
      assert.deepEqual((await auditor.audit()).findings, []);
    });

    it('the audit finds nothing after a mixed concurrent workload', async () => {
      const desks = desksOn(storage);

      const random = new SeededRandom(2026);
      for (let round = 0; round < 8; round++) {
        const actions = Array.from({ length: 40 + random.nextInt(21) }, () =>
          execute(desks, random.oneOf(ACTIONS), 1 + random.nextInt(12)),
        );
        const { refusals } = outcomesOf(await Promise.allSettled(actions));

        for (const refusal of refusals) assertInstance(refusal, DomainError, String(refusal));
        assert.deepEqual(await desks.auditor.audit(), { pets: 3, findings: [] });
      }
      assert.ok((await storage.reader.countOrders({})) > 10);
    });

    const locks: Record<string, (scope: WriteScope) => Promise<unknown>> = {
      'an inventory entry': ({ inventory }) => inventory.lock(1),
      'an order': ({ orders }) => orders.lock(1),
      'a category': ({ categories }) => categories.lock(1),
    };
    for (const [thing, lock] of Object.entries(locks)) {
      it(`a unit that has locked ${thing} ends before another locks it`, async () => {
        /** The execution that had the lock at each step. A storage may execute a unit more than once. */
        const trace: symbol[] = [];
        const unit = () =>
          storage.work.write(async (scope) => {
            const execution = Symbol('execution');
            assert.notEqual(await lock(scope), undefined);
            for (let step = 0; step < 4; step++) {
              trace.push(execution);
              await yieldToEventLoop();
            }
          });

        await Promise.all([unit(), unit(), unit()]);

        const takes = trace.filter((execution, i) => execution !== trace[i - 1]);
        assertWhole(takes.length, 3);
        assert.equal(new Set(takes).size, takes.length, 'two units had the lock by turns');
      });
    }

    it('no update is lost between reading and saving', async () => {
      const recount = () =>
        storage.work.write(async ({ inventory }) => {
          const item = await inventory.lock(2);
          await yieldToEventLoop(2);
          item?.count(item.quantity + 1);
          await yieldToEventLoop(2);
          if (item) await inventory.save(item);
        });

      await Promise.all(Array.from({ length: 20 }, recount));

      assert.partialDeepStrictEqual(await storage.reader.inventoryItem(2), { quantity: 40 });
    });

    it('the next one finds what the previous one added', async () => {
      const { work, reader } = storage;
      const seed = (name: string) =>
        work.write(async ({ categories }) => {
          const id = await categories.nextId();
          await yieldToEventLoop();
          await categories.add(Category.create({ id, name }));
          return id;
        });

      const ids = await Promise.all(Array.from({ length: 20 }, (_, i) => seed(`Shelf ${i}`)));

      assert.equal(new Set([1, ...ids]).size, 21, 'an identifier was assigned twice');
      assert.equal(await reader.countCategories({}), 21);
    });

    it('a category that one uses is not deleted meanwhile', async () => {
      const { work, reader } = storage;
      const { categories } = desksOn(storage);
      await categories.create({ name: 'Cats' });
      const movingIn = work.write(async (scope) => {
        if (!(await scope.categories.exists(2))) return false;
        await yieldToEventLoop(4);
        const id = await scope.pets.nextId();
        await scope.pets.add(Pet.create({ id, name: 'Tom', categoryId: 2 }), InventoryItem.open(id, 'available').item);
        return true;
      });
      const closing = categories.delete(2).then(
        () => true,
        (error: unknown) => {
          assertInstance(error, CategoryInUse);
          return false;
        },
      );

      const [movedIn, closed] = await Promise.all([movingIn, closing]);

      assert.equal(closed, !movedIn);
      assert.deepEqual(await reader.category(2), movedIn ? { id: 2, name: 'Cats' } : undefined);
    });

    it('a pet is ordered or deleted, never both', async () => {
      const { pets, orders, auditor } = desksOn(storage);

      for (let round = 0; round < 10; round++) {
        const { id } = await pets.create({ name: 'Wuff', categoryId: 1 });
        const both = [orders.place({ petId: id, quantity: 1 }), pets.delete(id)];
        const { kept, refusals } = outcomesOf(await Promise.allSettled(round % 2 ? both : both.reverse()));

        assert.equal(kept, 1);
        assert.equal(
          refusals[0] instanceof PetHasOrders || refusals[0] instanceof UnknownPet,
          true,
          String(refusals[0]),
        );
      }
      assert.deepEqual((await auditor.audit()).findings, []);
    });

    it('concurrent creations use a name once', async () => {
      const { categories } = desksOn(storage);

      const openings = Array.from({ length: 20 }, (_, i) => categories.create({ name: i % 2 ? 'Straße' : 'STRASSE' }));
      const { kept, refusals } = outcomesOf(await Promise.allSettled(openings));

      assert.equal(kept, 1);
      for (const refusal of refusals) assertInstance(refusal, CategoryNameTaken);
    });

    it('concurrent renames use a freed name once', async () => {
      const { categories } = desksOn(storage);
      for (const name of ['A', 'B', 'C', 'D']) await categories.create({ name });

      const renamings = [2, 3, 4, 5].map((id) => categories.change(id, { name: 'Birds' }));
      const { kept, refusals } = outcomesOf(await Promise.allSettled(renamings));

      assert.equal(kept, 1);
      for (const refusal of refusals) assertInstance(refusal, CategoryNameTaken);
    });

    it('one that fails does not affect the others', async () => {
      const { pets } = desksOn(storage);
      const create = (i: number) => pets.create({ name: `Pet ${i}`, categoryId: i % 2 ? 1 : 99 });

      const { kept } = outcomesOf(await Promise.allSettled(Array.from({ length: 20 }, (_, i) => create(i))));

      assert.equal(kept, 10);
      assert.equal(await storage.reader.countPets({}), 13);
    });

    it('one that starts right after another has ended runs', async () => {
      const { orders } = desksOn(storage);

      for (let turns = 0; turns < 12; turns++) {
        await orders.place({ petId: 1, quantity: 1 });
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        await orders.place({ petId: 1, quantity: 1 });
      }

      assert.equal(await storage.reader.countOrders({ petId: 1 }), 24);
    });

    it('the changes of each are visible as soon as it has ended, while others are in progress', async () => {
      const { orders } = desksOn(storage);
      const placeAndLook = async () => {
        const placed = await orders.place({ petId: 1, quantity: 1 });
        return [placed, await storage.reader.order(placed.id)];
      };

      for (const [placed, seen] of await Promise.all(Array.from({ length: 30 }, placeAndLook))) {
        assert.deepEqual(seen, { id: placed?.id, petId: 1, quantity: 1, complete: false });
      }
    });
  });
}
