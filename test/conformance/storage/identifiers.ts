import { expect } from 'chai';
import type { WriteScope } from '../../../src/application/ports/unit-of-work.ts';
import { ApiKey } from '../../../src/domain/api-key.ts';
import { Category } from '../../../src/domain/category.ts';
import { InventoryItem } from '../../../src/domain/inventory-item.ts';
import { Order } from '../../../src/domain/order.ts';
import { Pet } from '../../../src/domain/pet.ts';
import { failureOf } from '../../support/promises.ts';
import { desksOn, freshStorage, type OpenStorage } from './storage-under-test.ts';

/** For each kind that has identifiers: how one is added, with the next identifier, and how one is removed, if it can be. */
const KINDS: Record<
  string,
  { add(scope: WriteScope): Promise<number>; remove?(scope: WriteScope, id: number): Promise<void> }
> = {
  categories: {
    async add({ categories }) {
      const id = await categories.nextId();
      await categories.add(Category.open({ id, name: `Shelf ${id}` }));
      return id;
    },
    remove: ({ categories }, id) => categories.remove(id),
  },
  pets: {
    async add({ pets }) {
      const id = await pets.nextId();
      await pets.add(Pet.welcome({ id, name: 'Rex', categoryId: 1000 }), InventoryItem.open(id, 'available').item);
      return id;
    },
    remove: ({ pets }, id) => pets.remove(id),
  },
  orders: {
    async add({ orders }) {
      const id = await orders.nextId();
      await orders.add(Order.place({ id, petId: 1000, quantity: 1 }));
      return id;
    },
    remove: ({ orders }, id) => orders.remove(id),
  },
  'API keys': {
    async add({ apiKeys }) {
      const id = await apiKeys.nextId();
      await apiKeys.add(ApiKey.issue({ id, name: 'till', scopes: ['admin'], digest: 'd', createdAt: 0 }));
      return id;
    },
  },
};

/** Adds whatever the rows of a kind refer to, without asking for an identifier of that kind. */
async function prepare({ categories, pets }: WriteScope, kind: string): Promise<void> {
  if (kind === 'categories' || kind === 'API keys') return;
  await categories.add(Category.open({ id: 1000, name: 'Dogs' }));
  if (kind === 'pets') return;
  await pets.add(
    Pet.welcome({ id: 1000, name: 'Bello', categoryId: 1000 }),
    InventoryItem.open(1000, 'available').item,
  );
}

export function describeIdentifiers(open: OpenStorage): void {
  for (const [kind, { add, remove }] of Object.entries(KINDS)) {
    describe(`of ${kind}`, () => {
      const storage = freshStorage(open);

      beforeEach(() => storage().work.write((scope) => prepare(scope, kind)));

      it('gives the identifiers 1, 2, 3 …, in one unit of work or in several', async () => {
        const { work } = storage();

        expect(await work.write(add)).to.equal(1);
        expect(await work.write(async (scope) => [await add(scope), await add(scope)])).to.deep.equal([2, 3]);
        expect(await work.write(add)).to.equal(4);
      });

      // Of some kinds nothing is ever removed.
      if (remove) {
        it('never gives the identifier of something deleted again', async () => {
          const { work } = storage();
          await work.write(async (scope) => {
            for (let i = 0; i < 3; i++) await add(scope);
          });

          await work.write((scope) => remove(scope, 3));
          expect(await work.write(add)).to.equal(4);

          await work.write(async (scope) => {
            for (const id of [1, 2, 4]) await remove(scope, id);
          });
          expect(await work.write(add)).to.equal(5);
        });
      }

      it('gives the identifiers of a unit of work that failed to the next', async () => {
        const { work } = storage();
        await work.write(add);

        const failing = work.write(async (scope) => {
          expect([await add(scope), await add(scope)]).to.deep.equal([2, 3]);
          throw new Error('undone');
        });

        await failureOf(failing);
        expect(await work.write(add)).to.equal(2);
      });
    });
  }

  describe('of any kind', () => {
    const storage = freshStorage(open);

    it('gives every kind identifiers of its own', async () => {
      const { categories, pets, orders } = desksOn(storage());

      const ids = [
        await categories.open({ name: 'Dogs' }),
        await pets.welcome({ name: 'Rex', categoryId: 1 }),
        await orders.place({ petId: 1, quantity: 1 }),
      ].map(({ id }) => id);

      expect(ids).to.deep.equal([1, 1, 1]);
    });

    it('counts on from an identifier that was kept, whoever chose it', async () => {
      const { work } = storage();

      const next = await work.write(async ({ categories }) => {
        await categories.add(Category.open({ id: 5, name: 'Dogs' }));
        return categories.nextId();
      });

      expect(next).to.equal(6);
      expect(await desksOn(storage()).categories.open({ name: 'Cats' })).to.deep.include({ id: 6 });
    });

    it('keeps the highest identifiers and numbers exactly, and never takes one for its neighbour', async () => {
      const { work, reader } = storage();
      const top = Number.MAX_SAFE_INTEGER;
      const latest = 253_402_300_799_999;
      await work.write(async ({ categories, pets, orders, ledger }) => {
        await categories.add(Category.open({ id: top, name: 'Dogs' }));
        for (const id of [top - 2, top]) {
          const item = InventoryItem.recall({ petId: id, quantity: 1_000_000_000, reserved: 0, held: false });
          await pets.add(Pet.welcome({ id, name: `${id}`, categoryId: top }), item);
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

      expect(await reader.category(top)).to.deep.equal({ id: top, name: 'Dogs' });
      expect(await reader.pet(top)).to.deep.equal({ id: top, name: `${top}`, categoryId: top, status: 'available' });
      expect(await reader.pet(top - 1)).to.equal(undefined);
      expect(await reader.pet(top - 2)).to.include({ name: `${top - 2}` });
      const order = { id: top, petId: top, quantity: 1_000_000, shipDate: latest, complete: false };
      expect(await reader.order(top)).to.deep.equal(order);
      expect(await reader.order(top - 1)).to.equal(undefined);
      expect((await reader.movements(top, { sort: '-id', limit: 1 }))?.rows[0]).to.deep.include({
        quantity: 999_999_999,
        reserved: -1,
        orderId: top,
        at: latest,
      });
      expect(await reader.inventoryItem(top)).to.include({ quantity: 1_000_000_000 });
      expect((await reader.summary()).available).to.deep.equal({ pets: 2, units: 2_000_000_000 });

      expect((await reader.pets({ ids: [top, top - 1] }, { sort: 'id', limit: 9 })).rows).to.have.length(1);
      expect(await reader.countPets({ categoryId: top })).to.equal(2);
      expect(await reader.countPets({ categoryId: top - 1 })).to.equal(0);
      expect(await reader.countOrders({ petId: top })).to.equal(1);
      expect(await reader.countOrders({ petId: top - 2 })).to.equal(0);
      expect(await reader.countOrders({ shipDateFrom: latest })).to.equal(1);
      expect(await reader.countOrders({ shipDateTo: latest })).to.equal(0);
      expect(await reader.countInventory({ petIds: [top - 2] })).to.equal(1);
      const first = await reader.pets({}, { sort: '-id', limit: 1 });
      expect(first.next).to.deep.equal({ key: top, id: top });
      expect((await reader.pets({}, { sort: '-id', limit: 1, after: first.next })).rows[0]?.id).to.equal(top - 2);
      await work.write(async ({ pets, orders, categories }) => {
        expect(await pets.find(top - 1)).to.equal(undefined);
        expect((await pets.find(top))?.categoryId).to.equal(top);
        expect(await orders.existFor(top - 2)).to.equal(false);
        expect((await orders.lock(top))?.snapshot()).to.deep.equal(order);
        expect(await categories.isInUse(top - 1)).to.equal(false);
      });
    });

    it('never sums up units to a rounded number', async () => {
      const { work, reader } = storage();
      await work.write(async ({ categories, pets }) => {
        await categories.add(Category.open({ id: 1, name: 'Fish' }));
        for (let id = 1; id <= 9; id++) {
          const item = InventoryItem.recall({ petId: id, quantity: 1_000_000_000 - id, reserved: 0, held: false });
          await pets.add(Pet.welcome({ id, name: 'Neon', categoryId: 1 }), item);
        }
      });

      expect((await reader.summary()).available).to.deep.equal({ pets: 9, units: 8_999_999_955 });
    });

    it('gives events positions that grow in the order in which they were appended', async () => {
      const { categories, pets, orders } = desksOn(storage());
      await categories.open({ name: 'Dogs' });
      await failureOf(categories.open({ name: 'dogs' }));
      await pets.welcome({ name: 'Rex', categoryId: 1 });
      await orders.place({ petId: 1, quantity: 1, complete: true });

      const events = await storage().events();

      expect(events.map(({ type }) => type)).to.deep.equal([
        'category.created',
        'pet.created',
        'pet.status_changed',
        'order.placed',
        'order.completed',
      ]);
      for (const [i, { position }] of events.entries()) expect(position).to.be.above(events[i - 1]?.position ?? 0);
    });
  });
}
