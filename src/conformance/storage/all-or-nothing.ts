import assert from 'node:assert/strict';
import type { WriteScope } from '../../application/ports/unit-of-work.ts';
import { ApiKey } from '../../domain/api-key.ts';
import { Category } from '../../domain/category.ts';
import { InventoryItem } from '../../domain/inventory-item.ts';
import { Order } from '../../domain/order.ts';
import { Pet } from '../../domain/pet.ts';
import { OrderAlreadyComplete } from '../../domain/refusals.ts';
import { Webhook } from '../../domain/webhook.ts';
import { assertInstance, failureOf } from '../assertions.ts';
import { FailingUnitOfWork } from '../failing-unit-of-work.ts';
import type { TestFunctions } from '../test-functions.ts';
import { type Desks, desksOn, eventsIn, pictureOf } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';
import { DELIVERY, WEBHOOK } from './webhooks.ts';

/** A shop with two categories, pet 1 with five units and an open order 1 for two of them, pet 2 held, pet 3 sold. */
async function openShop({ categories, pets, stock, orders }: Desks): Promise<void> {
  await categories.create({ name: 'Dogs', description: 'They bark.' });
  await categories.create({ name: 'Cats' });
  await pets.createAll([
    { name: 'Rex', categoryId: 1 },
    { name: 'Bello', categoryId: 1, status: 'pending' },
    { name: 'Hasso', categoryId: 1, status: 'sold' },
  ]);
  await stock.count(1, 5);
  await orders.place({ petId: 1, quantity: 2 });
}

/** The use cases, each with the least number of calls to the ports that it makes. */
const USE_CASES: Record<string, { readonly calls: number; readonly act: (desks: Desks) => Promise<unknown> }> = {
  'creating a category': { calls: 3, act: ({ categories }) => categories.create({ name: 'Birds' }) },
  'changing a category': {
    calls: 3,
    act: ({ categories }) => categories.change(1, { name: 'DOGS', description: null }),
  },
  'deleting a category': { calls: 4, act: ({ categories }) => categories.delete(2) },
  'creating a pet': { calls: 5, act: ({ pets }) => pets.create({ name: 'Wuff', categoryId: 1 }) },
  'creating a batch': {
    calls: 14,
    act: ({ pets }) => pets.createAll([1, 2, 1].map((categoryId) => ({ name: 'Wuff', categoryId }))),
  },
  'changing a pet': { calls: 8, act: ({ pets }) => pets.change(3, { name: 'X', categoryId: 2, status: 'available' }) },
  'deleting a pet': { calls: 5, act: ({ pets }) => pets.delete(2) },
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
  'counting a sold pet into stock': { calls: 6, act: ({ stock }) => stock.count(3, 7) },
};

const REQUEST = 'request-1';

/** The identifiers of what the steps have added. */
interface Added {
  category: number;
  pet: number;
  order: number;
  apiKey: number;
}

const NOTHING: Readonly<Added> = { category: 0, pet: 0, order: 0, apiKey: 0 };

/** Steps that use every port of a scope. */
const STEPS: readonly ((scope: WriteScope, added: Added) => Promise<unknown>)[] = [
  async ({ categories }, added) => {
    added.category = await categories.nextId();
    await categories.add(Category.create({ id: added.category, name: 'Birds' }));
  },
  ({ categories }) => categories.save(Category.recall({ id: 1, name: 'Hounds' })),
  ({ categories }) => categories.delete(2),
  async ({ pets }, added) => {
    const id = await pets.nextId();
    added.pet = id;
    const pet = Pet.create({ id, name: 'Tweety', categoryId: added.category });
    await pets.add(pet, InventoryItem.open(id, 'available').item);
  },
  ({ pets }, { category }) => pets.save(Pet.recall({ id: 1, name: 'Max', categoryId: category })),
  ({ pets }) => pets.delete(2),
  ({ inventory }) => inventory.save(InventoryItem.recall({ petId: 1, quantity: 9, reserved: 3, held: true })),
  async ({ orders }, added) => {
    added.order = await orders.nextId();
    await orders.add(Order.place({ id: added.order, petId: 1, quantity: 1 }));
  },
  ({ orders }) => orders.save(Order.recall({ id: 1, petId: 1, quantity: 1, complete: true })),
  ({ orders }) => orders.delete(1),
  ({ ledger }) => ledger.append({ petId: 1, kind: 'counted', quantity: 4, reserved: 0, at: 0 }),
  ({ outbox }) => outbox.append({ type: 'category.deleted', data: { id: 2, name: 'Cats' }, at: 0 }),
  ({ idempotency }) => idempotency.save(REQUEST, { fingerprint: 'f', response: '{}', savedAt: 0 }),
  async ({ apiKeys }, added) => {
    added.apiKey = await apiKeys.nextId();
    await apiKeys.add(ApiKey.issue({ id: added.apiKey, name: 'till', scopes: [], digest: 'd', createdAt: 0 }));
  },
  ({ webhooks }) => webhooks.add(Webhook.recall(WEBHOOK)),
  ({ webhookDeliveries }) => webhookDeliveries.add(DELIVERY),
];

export function allOrNothingChecks(storage: OpenedStorage, { describe, it, beforeEach }: TestFunctions): void {
  describe('is all or nothing, so it', () => {
    beforeEach(() => openShop(desksOn(storage)));

    it('returns the result of the work', async () => {
      const { work } = storage;
      const gift = { some: 'thing' };

      assert.equal(await work.write(async () => gift), gift);
      assert.equal(await work.write(async () => undefined), undefined);
    });

    it('has committed everything when it resolves', async () => {
      const { work, reader } = storage;

      const { category, pet, order, apiKey } = await work.write(async (scope) => {
        const added = { ...NOTHING };
        for (const step of STEPS) await step(scope, added);
        return added;
      });

      assert.deepEqual(await reader.category(1), { id: 1, name: 'Hounds' });
      assert.equal(await reader.category(2), undefined);
      assert.deepEqual(await reader.category(category), { id: category, name: 'Birds' });
      assert.deepEqual(await reader.pet(1), { id: 1, name: 'Max', categoryId: category, status: 'pending' });
      assert.equal(await reader.pet(2), undefined);
      const tweety = { id: pet, name: 'Tweety', categoryId: category, status: 'available' };
      assert.deepEqual(await reader.pet(pet), tweety);
      assert.partialDeepStrictEqual(await reader.inventoryItem(1), { quantity: 9, reserved: 3 });
      assert.equal(await reader.order(1), undefined);
      assert.deepEqual(await reader.order(order), { id: order, petId: 1, quantity: 1, complete: false });
      assert.partialDeepStrictEqual((await reader.movements(1, { limit: 1 }))?.rows[0], {
        kind: 'counted',
        quantity: 4,
      });
      assert.partialDeepStrictEqual((await eventsIn(storage)).at(-1), { type: 'category.deleted' });
      assert.partialDeepStrictEqual(await work.write(({ idempotency }) => idempotency.lock(REQUEST)), {
        response: '{}',
      });
      assert.partialDeepStrictEqual(await reader.apiKey(apiKey), { name: 'till' });
    });

    for (const [thing, thrown] of Object.entries({
      'an error': new RangeError('too far'),
      'a refusal': new OrderAlreadyComplete(7),
      'a value that is no error': 'a piece of text',
    })) {
      it(`rethrows ${thing} unchanged`, async () => {
        const failing = storage.work.write(async () => {
          // oxlint-disable-next-line typescript/only-throw-error -- any value that was thrown must come out unchanged
          throw thrown;
        });

        assert.equal(await failureOf(failing), thrown);
      });
    }

    it('rejects when the work throws before it returns a promise', async () => {
      const thrown = new Error('at once');

      const failing = storage.work.write(() => {
        throw thrown;
      });

      assert.equal(await failureOf(failing), thrown);
    });

    it('keeps nothing when the work throws, at any step', async () => {
      const before = await pictureOf(storage);

      for (let steps = 0; steps <= STEPS.length; steps++) {
        const thrown = new Error(`after ${steps} steps`);
        const failing = storage.work.write(async (scope) => {
          const added = { ...NOTHING };
          for (const step of STEPS.slice(0, steps)) await step(scope, added);
          // oxlint-disable-next-line typescript/only-throw-error -- any value that was thrown must come out unchanged
          throw thrown;
        });

        assert.equal(await failureOf(failing), thrown);
        assert.deepEqual(await pictureOf(storage), before);
        assert.equal(await storage.work.write(({ idempotency }) => idempotency.lock(REQUEST)), undefined);
      }
    });

    it('keeps nothing when several desks worked in it and the last one refuses', async () => {
      const before = await pictureOf(storage);

      const failing = storage.work.write(async (scope) => {
        const { pets, orders } = desksOn(storage, { write: (work) => work(scope) });
        const { id } = await pets.create({ name: 'Wuff', categoryId: 2 });
        await orders.place({ petId: id, quantity: 1, complete: true });
        await orders.change(1, { complete: true });
        await orders.cancel(1);
      });

      assertInstance(await failureOf(failing), OrderAlreadyComplete);
      assert.deepEqual(await pictureOf(storage), before);
    });

    for (const [useCase, { calls, act }] of Object.entries(USE_CASES)) {
      it(`keeps nothing of ${useCase} when any call to a port fails`, async () => {
        const before = await pictureOf(storage);

        let failed = 0;
        for (let call = 1; failed === call - 1; call++) {
          for (const when of ['before', 'after'] as const) {
            const failing = new FailingUnitOfWork(storage.work, call, when);
            const outcome = await act(desksOn(storage, failing)).catch((error: unknown) => error);
            if (!failing.hasFailed) {
              assert.ok(!(outcome instanceof Error), `it fails without an injected fault: ${outcome}`);
              break;
            }
            failed = call;
            assert.equal(outcome, failing.injectedFault);
            assert.deepEqual(await pictureOf(storage), before, `${when} call ${call}`);
          }
        }

        assert.ok(failed >= calls);
        assert.notDeepEqual(await pictureOf(storage), before);
      });
    }
  });
}
