import assert from 'node:assert/strict';
import type { WriteScope } from '../../application/ports/unit-of-work.ts';
import { Webhook, type WebhookSnapshot } from '../../domain/webhook.ts';
import type { WebhookDelivery } from '../../domain/webhook-delivery.ts';
import { assertInstance, failureOf } from '../assertions.ts';
import { yieldToEventLoop } from '../scheduling.ts';
import type { TestFunctions } from '../test-functions.ts';
import type { OpenedStorage } from './storage-under-test.ts';

/** Required facts only. */
export const WEBHOOK: WebhookSnapshot = {
  id: 1,
  url: 'https://example.com/',
  types: ['pet.created'],
  active: true,
  createdAt: 0,
  secret: 'whsec_eA==',
  position: 0,
  requested: [],
};

export const DELIVERY: WebhookDelivery = {
  id: 1,
  webhookId: 1,
  messageId: '1',
  type: 'pet.created',
  status: 'pending',
  attempts: 0,
  createdAt: 0,
};

/** Every optional fact, and extreme values. */
const FULL: WebhookSnapshot = {
  id: 2,
  url: `https://example.com/?q=${'\u{1f600}Ὀ"\'\\'}${'x'.repeat(1_900)}`,
  types: ['pet.created', 'order.cancelled'],
  active: false,
  createdAt: 253_402_300_799_999,
  disabledReason: 'The receiver returned 410 Gone.',
  secret: 'whsec_eA==',
  previousSecret: { secret: 'whsec_eQ==', until: 253_402_300_799_999 },
  position: Number.MAX_SAFE_INTEGER,
  retry: { deliveryId: 7, since: -5, at: 0 },
  requested: [Number.MAX_SAFE_INTEGER, 1],
  lease: { holder: 'a', until: 5 },
};

const FULL_DELIVERY: WebhookDelivery = {
  id: 2,
  webhookId: 2,
  messageId: 'ping-2',
  type: 'webhook.ping',
  status: 'failed',
  attempts: 12,
  createdAt: 5,
  lastAttemptAt: 0,
  nextAttemptAt: -5,
  responseStatus: 500,
  error: '\u{1f600} "Ὀδυσσεύς" \'s \\ ﬁ',
};

export function webhooksChecks(storage: OpenedStorage, { describe, it }: TestFunctions): void {
  const write = <Result>(work: (scope: WriteScope) => Promise<Result>) => storage.work.write(work);
  const add = (...webhooks: WebhookSnapshot[]) =>
    write(async (scope) => {
      for (const webhook of webhooks) await scope.webhooks.add(Webhook.recall(webhook));
    });
  const addDeliveries = (...deliveries: WebhookDelivery[]) =>
    write(async (scope) => {
      for (const delivery of deliveries) await scope.webhookDeliveries.add(delivery);
    });
  const locked = (id: number) => write(async (scope) => (await scope.webhooks.lock(id))?.snapshot());
  const idsOf = (rows: readonly { readonly id: number }[] = []) => rows.map(({ id }) => id);

  describe('WebhookRepository', () => {
    it('returns every fact of a webhook, to units of work and to readers', async () => {
      await add(WEBHOOK, FULL);

      for (const webhook of [WEBHOOK, FULL]) {
        assert.deepEqual(await locked(webhook.id), webhook);
        assert.deepEqual(await storage.reader.webhook(webhook.id), webhook);
      }
      assert.deepEqual((await storage.reader.webhooks({ limit: 9 })).rows, [WEBHOOK, FULL]);
    });

    it('saves every fact, removes absent ones, and changes no other webhook', async () => {
      await add(WEBHOOK, FULL);
      await write(async ({ webhooks }) => {
        await webhooks.save(Webhook.recall({ ...FULL, id: 1 }));
        await webhooks.save(Webhook.recall({ ...WEBHOOK, id: 2 }));
      });

      const { rows } = await storage.reader.webhooks({ limit: 9 });

      assert.deepEqual(rows, [
        { ...FULL, id: 1 },
        { ...WEBHOOK, id: 2 },
      ]);
    });

    it('returns undefined, or no rows, for what does not exist', async () => {
      await add(WEBHOOK);
      for (const id of [0, 2, Number.MAX_SAFE_INTEGER]) {
        assert.equal(await locked(id), undefined);
        assert.equal(await storage.reader.webhook(id), undefined);
        assert.equal(await storage.reader.webhookDeliveries(id, { limit: 1 }), undefined);
        assert.equal(await storage.reader.countWebhookDeliveries(id), undefined);
      }
      assert.deepEqual((await storage.reader.webhookDeliveries(1, { limit: 1 }))?.rows, []);
      assert.equal(await storage.reader.countWebhookDeliveries(1), 0);
    });

    it('loses no change when several units of work change one webhook concurrently', async () => {
      await add(WEBHOOK);
      const request = (id: number) =>
        write(async ({ webhooks }) => {
          const webhook = await webhooks.lock(1);
          await yieldToEventLoop();
          webhook?.request(id);
          if (webhook) await webhooks.save(webhook);
        });

      await Promise.all(Array.from({ length: 10 }, (_, i) => request(i + 1)));

      assert.equal((await storage.reader.webhook(1))?.requested.length, 10);
    });

    it('deletes a webhook with its deliveries, and no others', async () => {
      await add(WEBHOOK, FULL);
      await addDeliveries(DELIVERY, FULL_DELIVERY);

      await write(({ webhooks }) => webhooks.delete(1));

      assert.deepEqual(idsOf((await storage.reader.webhooks({ limit: 9 })).rows), [2]);
      assert.equal(await storage.reader.webhookDeliveries(1, { limit: 9 }), undefined);
      assert.equal(await storage.reader.countWebhookDeliveries(2), 1);
      await add(WEBHOOK);
      assert.equal(await storage.reader.countWebhookDeliveries(1), 0);
    });

    it('rejects an identifier that exists', async () => {
      await add(WEBHOOK);

      assertInstance(await failureOf(add({ ...FULL, id: 1 })), Error);

      assert.deepEqual(await storage.reader.webhook(1), WEBHOOK);
    });

    it('accepts and returns copies', async () => {
      await add(FULL);
      const shown = await storage.reader.webhook(2);
      Object.assign(shown ?? {}, { url: 'spoilt' });
      Reflect.set(shown?.types ?? [], 0, 'spoilt');
      Object.assign(shown?.retry ?? {}, { at: 99 });

      assert.deepEqual(await storage.reader.webhook(2), FULL);
      assert.deepEqual(await locked(2), FULL);
    });
  });

  describe('WebhookDeliveryRepository', () => {
    it('returns every fact of a delivery, as it was added and as it was saved', async () => {
      await add(WEBHOOK, FULL);
      await addDeliveries(DELIVERY, FULL_DELIVERY);
      const find = (webhookId: number, id: number) =>
        write(({ webhookDeliveries }) => webhookDeliveries.find(webhookId, id));

      assert.deepEqual(await find(1, 1), DELIVERY);
      assert.deepEqual(await find(2, 2), FULL_DELIVERY);
      assert.deepEqual((await storage.reader.webhookDeliveries(2, { limit: 9 }))?.rows, [FULL_DELIVERY]);
      for (const [webhookId, id] of [
        [1, 2],
        [2, 1],
        [1, 9],
        [9, 1],
      ] as const) {
        assert.equal(await find(webhookId, id), undefined);
      }

      const { nextAttemptAt: _, error: __, ...saved } = { ...FULL_DELIVERY, status: 'delivered' } as const;
      await write(({ webhookDeliveries }) => webhookDeliveries.save(saved));

      assert.deepEqual(await find(2, 2), saved);
      assert.deepEqual(await find(1, 1), DELIVERY);
    });

    it('lists them by webhook, the newest first, in pages, and counts them', async () => {
      await add(WEBHOOK, FULL);
      await addDeliveries(...[1, 2, 3, 4, 5, 6].map((id) => ({ ...DELIVERY, id, webhookId: id === 3 ? 2 : 1 })));
      const { reader } = storage;

      const first = await reader.webhookDeliveries(1, { limit: 3 });
      assert.deepEqual(idsOf(first?.rows), [6, 5, 4]);
      const second = await reader.webhookDeliveries(1, { limit: 3, after: first?.next });
      assert.deepEqual([idsOf(second?.rows), second?.next], [[2, 1], undefined]);
      assert.equal(await reader.countWebhookDeliveries(1), 5);
      assert.equal(await reader.countWebhookDeliveries(1, 2), 2);

      const webhooks = await reader.webhooks({ limit: 1 });
      assert.deepEqual(idsOf(webhooks.rows), [1]);
      assert.deepEqual(idsOf((await reader.webhooks({ limit: 1, after: webhooks.next })).rows), [2]);
      assert.equal(await reader.countWebhooks(), 2);
      assert.equal(await reader.countWebhooks(1), 1);
    });

    it('deletes the oldest before an instant, at most so many', async () => {
      await add(WEBHOOK);
      await addDeliveries(...[5, 1, 4, 2, 3].map((createdAt, i) => ({ ...DELIVERY, id: i + 1, createdAt })));
      const purge = (instant: number, most: number) =>
        write(({ webhookDeliveries }) => webhookDeliveries.deleteCreatedBefore(instant, most));

      assert.equal(await purge(4, 2), 2);
      assert.deepEqual(idsOf((await storage.reader.webhookDeliveries(1, { limit: 9 }))?.rows), [5, 3, 1]);
      assert.equal(await purge(4, 2), 1);
      assert.equal(await purge(4, 2), 0);
      assert.deepEqual(idsOf((await storage.reader.webhookDeliveries(1, { limit: 9 }))?.rows), [3, 1]);
    });

    it('rejects a delivery of a webhook that does not exist, and an identifier that exists', async () => {
      await add(WEBHOOK);
      await addDeliveries(DELIVERY);

      assertInstance(await failureOf(addDeliveries({ ...DELIVERY, id: 2, webhookId: 9 })), Error);
      assertInstance(await failureOf(addDeliveries(DELIVERY)), Error);

      assert.equal(await storage.reader.countWebhookDeliveries(1), 1);
    });

    it('assigns each identifier once, also after a deletion', async () => {
      await add(WEBHOOK);
      const next = () =>
        write(async ({ webhookDeliveries }) => {
          const id = await webhookDeliveries.nextId();
          await webhookDeliveries.add({ ...DELIVERY, id });
          return id;
        });
      assert.deepEqual([await next(), await next()], [1, 2]);
      await write(({ webhookDeliveries }) => webhookDeliveries.deleteCreatedBefore(1, 9));

      assert.equal(await next(), 3);
    });
  });
}
