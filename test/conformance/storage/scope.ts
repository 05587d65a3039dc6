import { expect } from 'chai';
import type { WriteScope } from '../../../src/application/ports/unit-of-work.ts';
import { ApiKey } from '../../../src/domain/api-key.ts';
import { Category } from '../../../src/domain/category.ts';
import { InventoryItem } from '../../../src/domain/inventory-item.ts';
import { Order } from '../../../src/domain/order.ts';
import { Pet } from '../../../src/domain/pet.ts';
import { failureOf } from '../../support/promises.ts';
import { desksOn, freshStorage, type OpenStorage, pictureOf } from './storage-under-test.ts';

const category = () => Category.recall({ id: 7, name: 'Birds' });
const pet = () => Pet.recall({ id: 7, name: 'Tweety', categoryId: 1 });
const item = (petId: number) => InventoryItem.recall({ petId, quantity: 9, reserved: 0, held: false });
const order = (id: number) => Order.recall({ id, petId: 1, quantity: 1, complete: true });
const request = { caller: 'anyone', operation: 'POST /pets', key: 'k' };
const apiKey = (id: number) => ApiKey.issue({ id, name: 'till', scopes: ['admin'], digest: 'd', createdAt: 0 });

/** Every call that a scope allows. */
const CALLS: Record<string, (scope: WriteScope) => Promise<unknown>> = {
  'categories.nextId': ({ categories }) => categories.nextId(),
  'categories.exists': ({ categories }) => categories.exists(1),
  'categories.lock': ({ categories }) => categories.lock(1),
  'categories.add': ({ categories }) => categories.add(category()),
  'categories.save': ({ categories }) => categories.save(Category.recall({ id: 1, name: 'Hounds' })),
  'categories.isInUse': ({ categories }) => categories.isInUse(1),
  'categories.remove': ({ categories }) => categories.remove(2),
  'pets.nextId': ({ pets }) => pets.nextId(),
  'pets.find': ({ pets }) => pets.find(1),
  'pets.add': ({ pets }) => pets.add(pet(), item(7)),
  'pets.save': ({ pets }) => pets.save(Pet.recall({ id: 1, name: 'Max', categoryId: 2 })),
  'pets.remove': ({ pets }) => pets.remove(2),
  'inventory.lock': ({ inventory }) => inventory.lock(1),
  'inventory.save': ({ inventory }) => inventory.save(item(1)),
  'orders.nextId': ({ orders }) => orders.nextId(),
  'orders.lock': ({ orders }) => orders.lock(1),
  'orders.add': ({ orders }) => orders.add(order(7)),
  'orders.save': ({ orders }) => orders.save(order(1)),
  'orders.remove': ({ orders }) => orders.remove(1),
  'orders.existFor': ({ orders }) => orders.existFor(1),
  'ledger.append': ({ ledger }) => ledger.append({ petId: 1, kind: 'counted', quantity: 1, reserved: 0, at: 0 }),
  'outbox.append': ({ outbox }) => outbox.append({ type: 'category.created', data: { id: 7, name: 'Birds' }, at: 0 }),
  'outcomes.lock': ({ outcomes }) => outcomes.lock(request),
  'outcomes.keep': ({ outcomes }) => outcomes.keep(request, { fingerprint: 'f', answer: '{}', at: 0 }),
  'outcomes.forget': ({ outcomes }) => outcomes.forget(1, 1),
  'apiKeys.nextId': ({ apiKeys }) => apiKeys.nextId(),
  'apiKeys.lock': ({ apiKeys }) => apiKeys.lock(1),
  'apiKeys.add': ({ apiKeys }) => apiKeys.add(apiKey(7)),
  'apiKeys.save': ({ apiKeys }) => apiKeys.save(apiKey(1)),
  isUntouched: (scope) => scope.isUntouched(),
};

export function describeScope(open: OpenStorage): void {
  describe('has a scope that', () => {
    const storage = freshStorage(open);

    beforeEach(async () => {
      const { categories, pets, orders } = desksOn(storage());
      await categories.open({ name: 'Dogs' });
      await categories.open({ name: 'Cats' });
      await pets.welcome({ name: 'Rex', categoryId: 1 });
      await pets.welcome({ name: 'Bello', categoryId: 1 });
      await orders.place({ petId: 1, quantity: 1 });
      await storage().work.write(({ apiKeys }) => apiKeys.add(apiKey(1)));
    });

    it('answers absence with undefined, false or nothing', async () => {
      const before = await pictureOf(storage());

      await storage().work.write(async ({ categories, pets, inventory, orders }) => {
        for (const id of [99, 9_007_199_254_740_991]) {
          expect(await categories.lock(id)).to.equal(undefined);
          expect(await categories.exists(id)).to.equal(false);
          expect(await categories.isInUse(id)).to.equal(false);
          expect(await pets.find(id)).to.equal(undefined);
          expect(await inventory.lock(id)).to.equal(undefined);
          expect(await orders.lock(id)).to.equal(undefined);
          expect(await orders.existFor(id)).to.equal(false);
          await categories.remove(id);
          await pets.remove(id);
          await orders.remove(id);
        }
      });

      expect(await pictureOf(storage())).to.deep.equal(before);
      expect(await desksOn(storage()).categories.open({ name: 'Fish' })).to.deep.include({ id: 3 });
    });

    it('gives back what was kept', async () => {
      await storage().work.write(async ({ categories, pets, inventory, orders }) => {
        await categories.save(Category.recall({ id: 1, name: 'Dogs', description: 'They bark.' }));
        await orders.save(Order.recall({ id: 1, petId: 1, quantity: 3, shipDate: -5, complete: true }));
        await inventory.save(InventoryItem.recall({ petId: 2, quantity: 3, reserved: 2, held: true }));
        await pets.save(Pet.recall({ id: 2, name: 'Ὀδυσσεύς', categoryId: 2 }));
      });

      await storage().work.write(async ({ categories, pets, inventory, orders }) => {
        expect((await categories.lock(1))?.snapshot()).to.deep.equal({
          id: 1,
          name: 'Dogs',
          description: 'They bark.',
        });
        expect((await categories.lock(2))?.description).to.equal(undefined);
        expect((await orders.lock(1))?.snapshot()).to.deep.equal({
          id: 1,
          petId: 1,
          quantity: 3,
          shipDate: -5,
          complete: true,
        });
        expect((await inventory.lock(2))?.snapshot()).to.deep.equal({ petId: 2, quantity: 3, reserved: 2, held: true });
        expect((await pets.find(2))?.snapshot()).to.deep.equal({ id: 2, name: 'Ὀδυσσεύς', categoryId: 2 });
      });
    });

    it('takes facts away that were there', async () => {
      const { reader, work } = storage();
      await work.write(async ({ categories, orders }) => {
        await categories.save(Category.recall({ id: 1, name: 'Dogs', description: 'They bark.' }));
        await orders.save(Order.recall({ id: 1, petId: 1, quantity: 1, shipDate: 0, complete: false }));
      });

      await work.write(async ({ categories, orders }) => {
        const [dogs, first] = [await categories.lock(1), await orders.lock(1)];
        expect([dogs?.describe(undefined), first?.reschedule(undefined)]).to.deep.equal([true, true]);
        if (dogs) await categories.save(dogs);
        if (first) await orders.save(first);
      });

      expect(await reader.category(1)).to.deep.equal({ id: 1, name: 'Dogs' });
      expect(await reader.order(1)).to.deep.equal({ id: 1, petId: 1, quantity: 1, complete: false });
    });

    it('shows what was done in it', async () => {
      await storage().work.write(async ({ categories, pets, inventory, orders }) => {
        await categories.add(category());
        expect(await categories.exists(7)).to.equal(true);
        expect((await categories.lock(7))?.name).to.equal('Birds');
        expect(await categories.isInUse(7)).to.equal(false);

        await pets.add(Pet.recall({ id: 7, name: 'Tweety', categoryId: 7 }), item(7));
        expect((await pets.find(7))?.name).to.equal('Tweety');
        expect((await inventory.lock(7))?.quantity).to.equal(9);
        expect(await categories.isInUse(7)).to.equal(true);

        await pets.save(pet());
        expect((await pets.find(7))?.categoryId).to.equal(1);
        expect((await inventory.lock(7))?.quantity).to.equal(9);
        expect(await categories.isInUse(7)).to.equal(false);

        await orders.remove(1);
        expect(await orders.lock(1)).to.equal(undefined);
        expect(await orders.existFor(1)).to.equal(false);
        await orders.add(Order.place({ id: 7, petId: 7, quantity: 1 }));
        expect(await orders.existFor(7)).to.equal(true);
        await orders.save(Order.recall({ id: 7, petId: 7, quantity: 1, complete: true }));
        expect(await orders.existFor(7)).to.equal(true);
        expect((await orders.lock(7))?.complete).to.equal(true);

        await orders.remove(7);
        await pets.remove(7);
        await categories.remove(7);
        expect(await pets.find(7)).to.equal(undefined);
        expect(await inventory.lock(7)).to.equal(undefined);
        expect(await categories.exists(7)).to.equal(false);
      });

      expect(await storage().reader.countPets({})).to.equal(2);
      expect(await storage().reader.countOrders({})).to.equal(0);
      expect(await storage().reader.countCategories({})).to.equal(2);
    });

    it('says untouched of an empty store only, and never again', async () => {
      const { work } = storage();
      const fresh = await open();
      try {
        expect(await fresh.work.write((scope) => scope.isUntouched())).to.equal(true);
        await failureOf(
          fresh.work.write(async ({ categories }) => {
            await categories.add(Category.open({ id: await categories.nextId(), name: 'Dogs' }));
            throw new Error('undone');
          }),
        );
        expect(await fresh.work.write((scope) => scope.isUntouched()), 'after a failure').to.equal(true);
        await fresh.work.write(async ({ outcomes, apiKeys }) => {
          await outcomes.keep(request, { fingerprint: 'f', answer: '{}', at: 0 });
          await apiKeys.add(apiKey(1));
        });
        expect(await fresh.work.write((scope) => scope.isUntouched()), 'with a key').to.equal(true);
      } finally {
        await fresh.dispose();
      }
      expect(await work.write((scope) => scope.isUntouched())).to.equal(false);

      const { categories, pets, orders } = desksOn(storage());
      await orders.cancel(1);
      for (const id of [1, 2]) await pets.letGo(id);
      for (const id of [1, 2]) await categories.close(id);

      expect(await work.write((scope) => scope.isUntouched()), 'when everything is deleted').to.equal(false);
    });

    for (const end of ['well', 'badly'] as const) {
      it(`throws and does nothing after its unit has ended ${end}`, async () => {
        let kept: WriteScope | undefined;
        const unit = storage().work.write(async (scope) => {
          await scope.pets.find(1);
          kept = scope;
          if (end === 'badly') throw new Error('undone');
        });
        await (end === 'well' ? unit : failureOf(unit));
        const scope = kept as WriteScope;
        const before = await pictureOf(storage());

        for (const [name, call] of Object.entries(CALLS)) {
          expect(await failureOf((async () => call(scope))()), name).to.be.instanceOf(Error);
          await storage().work.write(async () => {
            expect(await failureOf((async () => call(scope))()), `${name} while another is under way`).to.be.instanceOf(
              Error,
            );
          });
        }

        expect(await pictureOf(storage())).to.deep.equal(before);
        expect(await storage().work.write(({ outcomes }) => outcomes.lock(request))).to.equal(undefined);
      });
    }
  });
}
