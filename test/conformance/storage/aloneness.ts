import { expect } from 'chai';
import fc from 'fast-check';
import type { WriteScope } from '../../../src/application/ports/unit-of-work.ts';
import { Category } from '../../../src/domain/category.ts';
import { InventoryItem } from '../../../src/domain/inventory-item.ts';
import { Pet } from '../../../src/domain/pet.ts';
import {
  CategoryInUse,
  CategoryNameTaken,
  DomainError,
  InsufficientStock,
  PetHasOrders,
  PetNotAvailable,
  UnknownPet,
} from '../../../src/domain/refusals.ts';
import { pass } from '../../support/promises.ts';
import { type Desks, desksOn, freshStorage, type OpenStorage } from './storage-under-test.ts';

/** One thing that somebody may want while others want something else. */
const wishes = fc.tuple(
  fc.constantFrom('place', 'resize', 'complete', 'cancel', 'count', 'hold', 'offer'),
  fc.integer({ min: 1, max: 12 }),
);

function fulfil({ orders, stock, pets }: Desks, [wish, n]: readonly [string, number]): Promise<unknown> {
  const petId = 1 + (n % 3);
  switch (wish) {
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
      return pets.change(petId, { status: wish === 'hold' ? 'pending' : 'available' });
  }
}

function outcomesOf(settled: readonly PromiseSettledResult<unknown>[]) {
  return {
    kept: settled.filter(({ status }) => status === 'fulfilled').length,
    refusals: settled.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : [])),
  };
}

export function describeAloneness(open: OpenStorage): void {
  describe('acts as if it were alone, so that', () => {
    const storage = freshStorage(open);

    beforeEach(async () => {
      const { categories, pets, stock, orders } = desksOn(storage());
      await categories.open({ name: 'Dogs' });
      await pets.welcomeAll(['Rex', 'Bello', 'Hasso'].map((name) => ({ name, categoryId: 1 })));
      await stock.count(1, 50);
      await stock.count(2, 20);
      await stock.count(3, 20);
      await orders.place({ petId: 3, quantity: 1 });
    });

    it('200 orders at once sell the 50 units that there are, and no more', async () => {
      const { orders, auditor } = desksOn(storage());

      const { kept, refusals } = outcomesOf(
        await Promise.allSettled(Array.from({ length: 200 }, () => orders.place({ petId: 1, quantity: 1 }))),
      );

      expect(kept).to.equal(50);
      for (const refusal of refusals) {
        expect(refusal instanceof PetNotAvailable || refusal instanceof InsufficientStock, String(refusal)).to.equal(
          true,
        );
      }
      const { reader } = storage();
      expect(await reader.inventoryItem(1)).to.deep.equal({ petId: 1, quantity: 50, reserved: 50, status: 'pending' });
      expect(await reader.countOrders({ petId: 1 })).to.equal(50);
      expect(await reader.countMovements(1)).to.equal(52);
      expect((await auditor.audit()).findings).to.deep.equal([]);
    });

    it('orders of three units leave the two that are too few for one', async () => {
      const { orders } = desksOn(storage());

      const { kept, refusals } = outcomesOf(
        await Promise.allSettled(Array.from({ length: 40 }, () => orders.place({ petId: 1, quantity: 3 }))),
      );

      expect(kept).to.equal(16);
      expect(refusals).to.have.length(24);
      for (const refusal of refusals) expect(refusal).to.be.instanceOf(InsufficientStock);
      expect(await storage().reader.inventoryItem(1)).to.include({ quantity: 50, reserved: 48 });
    });

    it('an order is completed or cancelled once, however many try', async () => {
      const { orders, auditor } = desksOn(storage());
      await orders.place({ petId: 1, quantity: 5 });

      const attempts = Array.from({ length: 20 }, (_, i) =>
        i % 2 ? orders.cancel(2) : orders.change(2, { complete: true }),
      );
      await Promise.allSettled(attempts);

      const order = await storage().reader.order(2);
      const quantity = order ? 45 : 50;
      if (order) expect(order.complete).to.equal(true);
      expect(await storage().reader.inventoryItem(1)).to.include({ quantity, reserved: 0 });
      expect(await storage().reader.countMovements(1)).to.equal(4);
      expect((await auditor.audit()).findings).to.deep.equal([]);
    });

    it('whatever many people do at once, the audit finds nothing', async () => {
      const desks = desksOn(storage());

      for (const round of fc.sample(fc.array(wishes, { minLength: 40, maxLength: 60 }), { numRuns: 8, seed: 2026 })) {
        const { refusals } = outcomesOf(await Promise.allSettled(round.map((wish) => fulfil(desks, wish))));

        for (const refusal of refusals) expect(refusal, String(refusal)).to.be.instanceOf(DomainError);
        expect(await desks.auditor.audit()).to.deep.equal({ pets: 3, findings: [] });
      }
      expect(await storage().reader.countOrders({})).to.be.above(10);
    });

    const locks: Record<string, (scope: WriteScope) => Promise<unknown>> = {
      'an inventory entry': ({ inventory }) => inventory.lock(1),
      'an order': ({ orders }) => orders.lock(1),
      'a category': ({ categories }) => categories.lock(1),
    };
    for (const [thing, lock] of Object.entries(locks)) {
      it(`what has locked ${thing} is over before another gets it`, async () => {
        const trace: string[] = [];
        const unit = (name: string) =>
          storage().work.write(async (scope) => {
            expect(await lock(scope)).not.to.equal(undefined);
            for (let step = 0; step < 4; step++) {
              trace.push(name);
              await pass();
            }
          });

        await Promise.all(['A', 'B', 'C'].map(unit));

        const takes = trace.filter((name, i) => name !== trace[i - 1]);
        expect(trace).to.have.length(12);
        expect(takes.sort()).to.deep.equal(['A', 'B', 'C']);
      });
    }

    it('no update is lost between reading and saving', async () => {
      const recount = () =>
        storage().work.write(async ({ inventory }) => {
          const item = await inventory.lock(2);
          await pass(2);
          item?.count(item.quantity + 1);
          await pass(2);
          if (item) await inventory.save(item);
        });

      await Promise.all(Array.from({ length: 20 }, recount));

      expect(await storage().reader.inventoryItem(2)).to.include({ quantity: 40 });
    });

    it('what one has added, the next one finds', async () => {
      const { work } = storage();
      const seed = (name: string) =>
        work.write(async ({ categories }) => {
          const id = await categories.nextId();
          await pass();
          await categories.add(Category.open({ id, name }));
          return id;
        });

      const ids = await Promise.all(Array.from({ length: 20 }, (_, i) => seed(`Shelf ${i}`)));

      expect(ids.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 20 }, (_, i) => i + 2));
    });

    it('a category that one has found is not deleted under it', async () => {
      const { work, reader } = storage();
      const { categories } = desksOn(storage());
      await categories.open({ name: 'Cats' });
      const movingIn = work.write(async (scope) => {
        if (!(await scope.categories.exists(2))) return false;
        await pass(4);
        const id = await scope.pets.nextId();
        await scope.pets.add(Pet.welcome({ id, name: 'Tom', categoryId: 2 }), InventoryItem.open(id, 'available').item);
        return true;
      });
      const closing = categories.close(2).then(
        () => true,
        (error: unknown) => {
          expect(error).to.be.instanceOf(CategoryInUse);
          return false;
        },
      );

      const [movedIn, closed] = await Promise.all([movingIn, closing]);

      expect(closed).to.equal(!movedIn);
      expect(await reader.category(2)).to.deep.equal(movedIn ? { id: 2, name: 'Cats' } : undefined);
    });

    it('a pet is ordered or let go, never both', async () => {
      const { pets, orders, auditor } = desksOn(storage());

      for (let round = 0; round < 10; round++) {
        const { id } = await pets.welcome({ name: 'Wuff', categoryId: 1 });
        const both = [orders.place({ petId: id, quantity: 1 }), pets.letGo(id)];
        const { kept, refusals } = outcomesOf(await Promise.allSettled(round % 2 ? both : both.reverse()));

        expect(kept).to.equal(1);
        expect(refusals[0] instanceof PetHasOrders || refusals[0] instanceof UnknownPet, String(refusals[0])).to.equal(
          true,
        );
      }
      expect((await auditor.audit()).findings).to.deep.equal([]);
    });

    it('a name is given once, however many ask for it', async () => {
      const { categories } = desksOn(storage());

      const openings = Array.from({ length: 20 }, (_, i) => categories.open({ name: i % 2 ? 'Straße' : 'STRASSE' }));
      const { kept, refusals } = outcomesOf(await Promise.allSettled(openings));

      expect(kept).to.equal(1);
      for (const refusal of refusals) expect(refusal).to.be.instanceOf(CategoryNameTaken);
    });

    it('a name is taken over once, however many ask for it', async () => {
      const { categories } = desksOn(storage());
      for (const name of ['A', 'B', 'C', 'D']) await categories.open({ name });

      const renamings = [2, 3, 4, 5].map((id) => categories.change(id, { name: 'Birds' }));
      const { kept, refusals } = outcomesOf(await Promise.allSettled(renamings));

      expect(kept).to.equal(1);
      for (const refusal of refusals) expect(refusal).to.be.instanceOf(CategoryNameTaken);
    });

    it('one that fails takes nothing along of those beside it', async () => {
      const { pets } = desksOn(storage());
      const wish = (i: number) => pets.welcome({ name: `Pet ${i}`, categoryId: i % 2 ? 1 : 99 });

      const { kept } = outcomesOf(await Promise.allSettled(Array.from({ length: 20 }, (_, i) => wish(i))));

      expect(kept).to.equal(10);
      expect(await storage().reader.countPets({})).to.equal(13);
    });

    it('one that comes however soon after another has ended has its turn', async () => {
      const { orders } = desksOn(storage());

      for (let turns = 0; turns < 12; turns++) {
        await orders.place({ petId: 1, quantity: 1 });
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        await orders.place({ petId: 1, quantity: 1 });
      }

      expect(await storage().reader.countOrders({ petId: 1 })).to.equal(24);
    });

    it('each sees what it wrote as soon as it has ended, whoever else is under way', async () => {
      const { orders } = desksOn(storage());
      const placeAndLook = async () => {
        const placed = await orders.place({ petId: 1, quantity: 1 });
        return [placed, await storage().reader.order(placed.id)];
      };

      for (const [placed, seen] of await Promise.all(Array.from({ length: 30 }, placeAndLook))) {
        expect(seen).to.deep.equal({ id: placed?.id, petId: 1, quantity: 1, complete: false });
      }
    });
  });

  describe('acts as if it were alone in an empty store, so that', () => {
    const storage = freshStorage(open);

    it('only one of many finds it untouched', async () => {
      const seed = (name: string) =>
        storage().work.write(async (scope) => {
          if (!(await scope.isUntouched())) return;
          await pass();
          await scope.categories.add(Category.open({ id: await scope.categories.nextId(), name }));
        });

      await Promise.all(['Dogs', 'Cats', 'Birds', 'Fish'].map(seed));

      expect(await storage().reader.countCategories({})).to.equal(1);
    });
  });
}
