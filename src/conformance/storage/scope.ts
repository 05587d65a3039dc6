import assert from 'node:assert/strict';
import type { WriteScope } from '../../application/ports/unit-of-work.ts';
import { ApiKey } from '../../domain/api-key.ts';
import { Category } from '../../domain/category.ts';
import { InventoryItem } from '../../domain/inventory-item.ts';
import { Order } from '../../domain/order.ts';
import { Pet } from '../../domain/pet.ts';
import { Webhook } from '../../domain/webhook.ts';
import { assertInstance, failureOf } from '../assertions.ts';
import type { TestFunctions } from '../test-functions.ts';
import { desksOn, pictureOf } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';
import { DELIVERY, WEBHOOK } from './webhooks.ts';

const category = () => Category.recall({ id: 7, name: 'Birds' });
const pet = () => Pet.recall({ id: 7, name: 'Tweety', categoryId: 1 });
const item = (petId: number) => InventoryItem.recall({ petId, quantity: 9, reserved: 0, held: false });
const order = (id: number) => Order.recall({ id, petId: 1, quantity: 1, complete: true });
const request = 'request-1';
const record = { fingerprint: 'f', response: '{}', savedAt: 0 };
const apiKey = (id: number) => ApiKey.issue({ id, name: 'till', scopes: ['admin'], digest: 'd', createdAt: 0 });

/** Every call that a scope allows. */
const CALLS: Record<string, (scope: WriteScope) => Promise<unknown>> = {
  'categories.nextId': ({ categories }) => categories.nextId(),
  'categories.exists': ({ categories }) => categories.exists(1),
  'categories.lock': ({ categories }) => categories.lock(1),
  'categories.add': ({ categories }) => categories.add(category()),
  'categories.save': ({ categories }) => categories.save(Category.recall({ id: 1, name: 'Hounds' })),
  'categories.isInUse': ({ categories }) => categories.isInUse(1),
  'categories.remove': ({ categories }) => categories.delete(2),
  'pets.nextId': ({ pets }) => pets.nextId(),
  'pets.find': ({ pets }) => pets.find(1),
  'pets.add': ({ pets }) => pets.add(pet(), item(7)),
  'pets.save': ({ pets }) => pets.save(Pet.recall({ id: 1, name: 'Max', categoryId: 2 })),
  'pets.remove': ({ pets }) => pets.delete(2),
  'inventory.lock': ({ inventory }) => inventory.lock(1),
  'inventory.save': ({ inventory }) => inventory.save(item(1)),
  'orders.nextId': ({ orders }) => orders.nextId(),
  'orders.lock': ({ orders }) => orders.lock(1),
  'orders.add': ({ orders }) => orders.add(order(7)),
  'orders.save': ({ orders }) => orders.save(order(1)),
  'orders.remove': ({ orders }) => orders.delete(1),
  'orders.existFor': ({ orders }) => orders.existFor(1),
  'ledger.append': ({ ledger }) => ledger.append({ petId: 1, kind: 'counted', quantity: 1, reserved: 0, at: 0 }),
  'outbox.append': ({ outbox }) => outbox.append({ type: 'category.created', data: { id: 7, name: 'Birds' }, at: 0 }),
  'outbox.purge': ({ outbox }) => outbox.purge({ before: 1, upTo: 1 }, 1),
  'idempotency.lock': ({ idempotency }) => idempotency.lock(request),
  'idempotency.save': ({ idempotency }) => idempotency.save(request, record),
  'idempotency.deleteExpired': ({ idempotency }) => idempotency.deleteExpired(1, 1),
  'apiKeys.nextId': ({ apiKeys }) => apiKeys.nextId(),
  'apiKeys.lock': ({ apiKeys }) => apiKeys.lock(1),
  'apiKeys.add': ({ apiKeys }) => apiKeys.add(apiKey(7)),
  'apiKeys.save': ({ apiKeys }) => apiKeys.save(apiKey(1)),
  'webhooks.nextId': ({ webhooks }) => webhooks.nextId(),
  'webhooks.lock': ({ webhooks }) => webhooks.lock(1),
  'webhooks.add': ({ webhooks }) => webhooks.add(Webhook.recall({ ...WEBHOOK, id: 7 })),
  'webhooks.save': ({ webhooks }) => webhooks.save(Webhook.recall(WEBHOOK)),
  'webhooks.delete': ({ webhooks }) => webhooks.delete(1),
  'webhookDeliveries.nextId': ({ webhookDeliveries }) => webhookDeliveries.nextId(),
  'webhookDeliveries.find': ({ webhookDeliveries }) => webhookDeliveries.find(1, 1),
  'webhookDeliveries.add': ({ webhookDeliveries }) => webhookDeliveries.add({ ...DELIVERY, id: 7 }),
  'webhookDeliveries.save': ({ webhookDeliveries }) => webhookDeliveries.save(DELIVERY),
  'webhookDeliveries.deleteCreatedBefore': ({ webhookDeliveries }) => webhookDeliveries.deleteCreatedBefore(1, 1),
};

export function scopeChecks(storage: OpenedStorage, { describe, it, beforeEach }: TestFunctions): void {
  describe('has a scope that', () => {
    beforeEach(async () => {
      const { categories, pets, orders } = desksOn(storage);
      await categories.create({ name: 'Dogs' });
      await categories.create({ name: 'Cats' });
      await pets.create({ name: 'Rex', categoryId: 1 });
      await pets.create({ name: 'Bello', categoryId: 1 });
      await orders.place({ petId: 1, quantity: 1 });
      await storage.work.write(async ({ apiKeys, webhooks, webhookDeliveries }) => {
        await apiKeys.add(apiKey(1));
        await webhooks.add(Webhook.recall(WEBHOOK));
        await webhookDeliveries.add(DELIVERY);
      });
    });

    it('returns undefined, false or nothing for what does not exist', async () => {
      const before = await pictureOf(storage);

      await storage.work.write(async ({ categories, pets, inventory, orders }) => {
        for (const id of [99, 9_007_199_254_740_991]) {
          assert.equal(await categories.lock(id), undefined);
          assert.equal(await categories.exists(id), false);
          assert.equal(await categories.isInUse(id), false);
          assert.equal(await pets.find(id), undefined);
          assert.equal(await inventory.lock(id), undefined);
          assert.equal(await orders.lock(id), undefined);
          assert.equal(await orders.existFor(id), false);
          await categories.delete(id);
          await pets.delete(id);
          await orders.delete(id);
        }
      });

      assert.deepEqual(await pictureOf(storage), before);
      assert.partialDeepStrictEqual(await desksOn(storage).categories.create({ name: 'Fish' }), { id: 3 });
    });

    it('returns what was saved', async () => {
      await storage.work.write(async ({ categories, pets, inventory, orders }) => {
        await categories.save(Category.recall({ id: 1, name: 'Dogs', description: 'They bark.' }));
        await orders.save(Order.recall({ id: 1, petId: 1, quantity: 3, shipDate: -5, complete: true }));
        await inventory.save(InventoryItem.recall({ petId: 2, quantity: 3, reserved: 2, held: true }));
        await pets.save(Pet.recall({ id: 2, name: 'Ὀδυσσεύς', categoryId: 2 }));
      });

      await storage.work.write(async ({ categories, pets, inventory, orders }) => {
        assert.deepEqual((await categories.lock(1))?.snapshot(), {
          id: 1,
          name: 'Dogs',
          description: 'They bark.',
        });
        assert.equal((await categories.lock(2))?.description, undefined);
        assert.deepEqual((await orders.lock(1))?.snapshot(), {
          id: 1,
          petId: 1,
          quantity: 3,
          shipDate: -5,
          complete: true,
        });
        assert.deepEqual((await inventory.lock(2))?.snapshot(), { petId: 2, quantity: 3, reserved: 2, held: true });
        assert.deepEqual((await pets.find(2))?.snapshot(), { id: 2, name: 'Ὀδυσσεύς', categoryId: 2 });
      });
    });

    it('removes optional facts', async () => {
      const { reader, work } = storage;
      await work.write(async ({ categories, orders }) => {
        await categories.save(Category.recall({ id: 1, name: 'Dogs', description: 'They bark.' }));
        await orders.save(Order.recall({ id: 1, petId: 1, quantity: 1, shipDate: 0, complete: false }));
      });

      await work.write(async ({ categories, orders }) => {
        const [dogs, first] = [await categories.lock(1), await orders.lock(1)];
        assert.deepEqual([dogs?.describe(undefined), first?.reschedule(undefined)], [true, true]);
        if (dogs) await categories.save(dogs);
        if (first) await orders.save(first);
      });

      assert.deepEqual(await reader.category(1), { id: 1, name: 'Dogs' });
      assert.deepEqual(await reader.order(1), { id: 1, petId: 1, quantity: 1, complete: false });
    });

    it('shows its own changes', async () => {
      await storage.work.write(async ({ categories, pets, inventory, orders }) => {
        await categories.add(category());
        assert.equal(await categories.exists(7), true);
        assert.equal((await categories.lock(7))?.name, 'Birds');
        assert.equal(await categories.isInUse(7), false);

        await pets.add(Pet.recall({ id: 7, name: 'Tweety', categoryId: 7 }), item(7));
        assert.equal((await pets.find(7))?.name, 'Tweety');
        assert.equal((await inventory.lock(7))?.quantity, 9);
        assert.equal(await categories.isInUse(7), true);

        await pets.save(pet());
        assert.equal((await pets.find(7))?.categoryId, 1);
        assert.equal((await inventory.lock(7))?.quantity, 9);
        assert.equal(await categories.isInUse(7), false);

        await orders.delete(1);
        assert.equal(await orders.lock(1), undefined);
        assert.equal(await orders.existFor(1), false);
        await orders.add(Order.place({ id: 7, petId: 7, quantity: 1 }));
        assert.equal(await orders.existFor(7), true);
        await orders.save(Order.recall({ id: 7, petId: 7, quantity: 1, complete: true }));
        assert.equal(await orders.existFor(7), true);
        assert.equal((await orders.lock(7))?.isComplete, true);

        await orders.delete(7);
        await pets.delete(7);
        await categories.delete(7);
        assert.equal(await pets.find(7), undefined);
        assert.equal(await inventory.lock(7), undefined);
        assert.equal(await categories.exists(7), false);
      });

      assert.equal(await storage.reader.countPets({}), 2);
      assert.equal(await storage.reader.countOrders({}), 0);
      assert.equal(await storage.reader.countCategories({}), 2);
    });

    for (const end of ['well', 'badly'] as const) {
      it(`throws and does nothing after its unit has ended ${end}`, async () => {
        let kept: WriteScope | undefined;
        const unit = storage.work.write(async (scope) => {
          await scope.pets.find(1);
          kept = scope;
          if (end === 'badly') throw new Error('undone');
        });
        await (end === 'well' ? unit : failureOf(unit));
        const scope = kept as WriteScope;
        const before = await pictureOf(storage);

        for (const [name, call] of Object.entries(CALLS)) {
          assertInstance(await failureOf((async () => call(scope))()), Error, name);
          await storage.work.write(async () => {
            assertInstance(await failureOf((async () => call(scope))()), Error, `${name} while another is under way`);
          });
        }

        assert.deepEqual(await pictureOf(storage), before);
        assert.equal(await storage.work.write(({ idempotency }) => idempotency.lock(request)), undefined);
      });
    }
  });
}
