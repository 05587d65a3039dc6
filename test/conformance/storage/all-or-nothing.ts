import { expect } from 'chai';
import type { WriteScope } from '../../../src/application/ports/unit-of-work.ts';
import { ApiKey } from '../../../src/domain/api-key.ts';
import { Category } from '../../../src/domain/category.ts';
import { InventoryItem } from '../../../src/domain/inventory-item.ts';
import { Order } from '../../../src/domain/order.ts';
import { Pet } from '../../../src/domain/pet.ts';
import { OrderAlreadyComplete } from '../../../src/domain/refusals.ts';
import { failureOf } from '../../support/promises.ts';
import { Saboteur } from '../../support/saboteur.ts';
import { type Desks, desksOn, freshStorage, type OpenStorage, pictureOf } from './storage-under-test.ts';

/** A shop with two categories, pet 1 with five units and an open order 1 for two of them, pet 2 held, pet 3 sold. */
async function openShop({ categories, pets, stock, orders }: Desks): Promise<void> {
  await categories.open({ name: 'Dogs', description: 'They bark.' });
  await categories.open({ name: 'Cats' });
  await pets.welcomeAll([
    { name: 'Rex', categoryId: 1 },
    { name: 'Bello', categoryId: 1, status: 'pending' },
    { name: 'Hasso', categoryId: 1, status: 'sold' },
  ]);
  await stock.count(1, 5);
  await orders.place({ petId: 1, quantity: 2 });
}

/** What a shop does, and in how many calls to its ports at least. */
const DOINGS: Record<string, { readonly calls: number; readonly act: (desks: Desks) => Promise<unknown> }> = {
  'opening a category': { calls: 3, act: ({ categories }) => categories.open({ name: 'Birds' }) },
  'changing a category': {
    calls: 3,
    act: ({ categories }) => categories.change(1, { name: 'DOGS', description: null }),
  },
  'closing a category': { calls: 4, act: ({ categories }) => categories.close(2) },
  'welcoming a pet': { calls: 5, act: ({ pets }) => pets.welcome({ name: 'Wuff', categoryId: 1 }) },
  'welcoming a batch': {
    calls: 14,
    act: ({ pets }) => pets.welcomeAll([1, 2, 1].map((categoryId) => ({ name: 'Wuff', categoryId }))),
  },
  'changing a pet': { calls: 8, act: ({ pets }) => pets.change(3, { name: 'X', categoryId: 2, status: 'available' }) },
  'letting a pet go': { calls: 5, act: ({ pets }) => pets.letGo(2) },
  'placing an order': { calls: 6, act: ({ orders }) => orders.place({ petId: 1, quantity: 2 }) },
  'placing an order for all that is left': { calls: 8, act: ({ orders }) => orders.place({ petId: 1, quantity: 3 }) },
  'placing a complete order': {
    calls: 8,
    act: ({ orders }) => orders.place({ petId: 1, quantity: 3, complete: true }),
  },
  'enlarging an order': { calls: 5, act: ({ orders }) => orders.change(1, { quantity: 3 }) },
  'changing and completing an order': {
    calls: 8,
    act: ({ orders }) => orders.change(1, { quantity: 1, shipDate: 0, complete: true }),
  },
  'cancelling an order': { calls: 5, act: ({ orders }) => orders.cancel(1) },
  'counting stock': { calls: 4, act: ({ stock }) => stock.count(2, 7) },
  'counting stock back into the shop': { calls: 6, act: ({ stock }) => stock.count(3, 7) },
};

const REQUEST = { caller: 'anyone', operation: 'POST /pets', key: 'k' };

/** Touches everything that a scope can touch. */
const STEPS: readonly ((scope: WriteScope) => Promise<unknown>)[] = [
  async ({ categories }) => categories.add(Category.open({ id: await categories.nextId(), name: 'Birds' })),
  ({ categories }) => categories.save(Category.recall({ id: 1, name: 'Hounds' })),
  ({ categories }) => categories.remove(2),
  async ({ pets }) => {
    const id = await pets.nextId();
    await pets.add(Pet.welcome({ id, name: 'Tweety', categoryId: 3 }), InventoryItem.open(id, 'available').item);
  },
  ({ pets }) => pets.save(Pet.recall({ id: 1, name: 'Max', categoryId: 3 })),
  ({ pets }) => pets.remove(2),
  ({ inventory }) => inventory.save(InventoryItem.recall({ petId: 1, quantity: 9, reserved: 3, held: true })),
  async ({ orders }) => orders.add(Order.place({ id: await orders.nextId(), petId: 1, quantity: 1 })),
  ({ orders }) => orders.save(Order.recall({ id: 1, petId: 1, quantity: 1, complete: true })),
  ({ orders }) => orders.remove(1),
  ({ ledger }) => ledger.append({ petId: 1, kind: 'counted', quantity: 4, reserved: 0, at: 0 }),
  ({ outbox }) => outbox.append({ type: 'category.deleted', data: { id: 2, name: 'Cats' }, at: 0 }),
  ({ outcomes }) => outcomes.keep(REQUEST, { fingerprint: 'f', answer: '{}', at: 0 }),
  async ({ apiKeys }) =>
    apiKeys.add(ApiKey.issue({ id: await apiKeys.nextId(), name: 'till', scopes: [], digest: 'd', createdAt: 0 })),
];

export function describeAllOrNothing(open: OpenStorage): void {
  describe('is all or nothing, so it', () => {
    const storage = freshStorage(open);

    beforeEach(() => openShop(desksOn(storage())));

    it('gives what the work gave', async () => {
      const { work } = storage();
      const gift = { some: 'thing' };

      expect(await work.write(async () => gift)).to.equal(gift);
      expect(await work.write(async () => undefined)).to.equal(undefined);
    });

    it('has kept everything when it resolves', async () => {
      const { work, reader } = storage();

      await work.write(async (scope) => {
        for (const step of STEPS) await step(scope);
      });

      expect(await reader.category(1)).to.deep.equal({ id: 1, name: 'Hounds' });
      expect(await reader.category(2)).to.equal(undefined);
      expect(await reader.category(3)).to.deep.equal({ id: 3, name: 'Birds' });
      expect(await reader.pet(1)).to.deep.equal({ id: 1, name: 'Max', categoryId: 3, status: 'pending' });
      expect(await reader.pet(2)).to.equal(undefined);
      expect(await reader.pet(4)).to.deep.equal({ id: 4, name: 'Tweety', categoryId: 3, status: 'available' });
      expect(await reader.inventoryItem(1)).to.include({ quantity: 9, reserved: 3 });
      expect(await reader.order(1)).to.equal(undefined);
      expect(await reader.order(2)).to.deep.equal({ id: 2, petId: 1, quantity: 1, complete: false });
      expect((await reader.movements(1, { sort: '-id', limit: 1 }))?.rows[0]).to.include({
        kind: 'counted',
        quantity: 4,
      });
      expect((await storage().events()).at(-1)).to.include({ type: 'category.deleted' });
      expect(await work.write(({ outcomes }) => outcomes.lock(REQUEST))).to.include({ answer: '{}' });
      expect(await reader.apiKey(1)).to.include({ name: 'till' });
    });

    for (const [thing, thrown] of Object.entries({
      'an error': new RangeError('too far'),
      'a refusal': new OrderAlreadyComplete(7),
      'no error at all': 'a piece of text',
    })) {
      it(`lets ${thing} that the work threw out as it is`, async () => {
        const failing = storage().work.write(async () => {
          throw thrown;
        });

        expect(await failureOf(failing)).to.equal(thrown);
      });
    }

    it('rejects when the work throws before it gives a promise', async () => {
      const thrown = new Error('at once');

      const failing = storage().work.write(() => {
        throw thrown;
      });

      expect(await failureOf(failing)).to.equal(thrown);
    });

    it('keeps nothing when the work throws, at whichever step', async () => {
      const before = await pictureOf(storage());

      for (let steps = 0; steps <= STEPS.length; steps++) {
        const thrown = new Error(`after ${steps} steps`);
        const failing = storage().work.write(async (scope) => {
          for (const step of STEPS.slice(0, steps)) await step(scope);
          throw thrown;
        });

        expect(await failureOf(failing)).to.equal(thrown);
        expect(await pictureOf(storage())).to.deep.equal(before);
        expect(await storage().work.write(({ outcomes }) => outcomes.lock(REQUEST))).to.equal(undefined);
      }
    });

    it('keeps nothing when several desks worked in it and the last one refuses', async () => {
      const before = await pictureOf(storage());

      const failing = storage().work.write(async (scope) => {
        const { pets, orders } = desksOn(storage(), { write: (work) => work(scope) });
        const { id } = await pets.welcome({ name: 'Wuff', categoryId: 2 });
        await orders.place({ petId: id, quantity: 1, complete: true });
        await orders.change(1, { complete: true });
        await orders.cancel(1);
      });

      expect(await failureOf(failing)).to.be.instanceOf(OrderAlreadyComplete);
      expect(await pictureOf(storage())).to.deep.equal(before);
    });

    for (const [doing, { calls, act }] of Object.entries(DOINGS)) {
      it(`keeps nothing of ${doing}, whichever call to a port fails`, async () => {
        const before = await pictureOf(storage());

        let failed = 0;
        for (let call = 1; failed === call - 1; call++) {
          for (const when of ['before', 'after'] as const) {
            const saboteur = new Saboteur(storage().work, call, when);
            const outcome = await act(desksOn(storage(), saboteur)).catch((error: unknown) => error);
            if (!saboteur.struck) {
              expect(outcome, 'the outcome without sabotage').not.to.be.instanceOf(Error);
              break;
            }
            failed = call;
            expect(outcome).to.equal(saboteur.sabotage);
            expect(await pictureOf(storage()), `${when} call ${call}`).to.deep.equal(before);
          }
        }

        expect(failed).to.be.at.least(calls);
        expect(await pictureOf(storage())).not.to.deep.equal(before);
      });
    }
  });
}
