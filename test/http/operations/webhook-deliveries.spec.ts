import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { WebhookDispatcher } from '../../../src/application/webhook-dispatcher.ts';
import { runningPetstore } from '../../support/running-petstore.ts';
import { WebhookReceiver } from '../../support/webhook-receiver.ts';

const DAY = 24 * 60 * 60 * 1000;

interface Delivery {
  readonly id: number;
  readonly eventId: string;
  readonly type: string;
  readonly status: string;
  readonly attempts: number;
  readonly nextAttemptAt?: string;
  readonly responseStatus?: number;
}

for (const storage of ['memory', 'sqlite', 'postgresql'] as const) {
  describe(`The deliveries of a webhook (${storage})`, () => {
    const store = runningPetstore({ storage, webhooksAllowPrivate: true });
    let receiver: WebhookReceiver;
    beforeEach(async () => {
      receiver = await WebhookReceiver.start();
    });
    afterEach(() => receiver.close());

    const create = async (body: object = {}) =>
      (await store.post('/store/webhooks', { url: receiver.url, ...body })).body as { id: number; secret: string };
    const deliveries = async () => (await store.get('/store/webhooks/1/deliveries')).body as Delivery[];
    const shown = async () => (await store.get('/store/webhooks/1')).body as Record<string, unknown>;
    const wake = () => store.petstore.container.get(WebhookDispatcher).wake();
    /** The deliveries, once they are as expected. */
    const until = async (isReached: (found: Delivery[]) => boolean): Promise<Delivery[]> => {
      for (;;) {
        const found = await deliveries();
        if (isReached(found)) return found;
        await new Promise(setImmediate);
      }
    };

    it('are the events of its types, in their order, each signed', async () => {
      const { secret } = await create({ types: ['petstore.category.created', 'petstore.pet.created'] });
      await store.category('Dogs');
      for (let i = 0; i < 5; i++) await store.pet();
      await store.patch('/categories/1', { name: 'Hounds' });

      const received = await receiver.count(6);
      const found = await until((all) => all.length === 6);

      const events = received.map(({ body, headers }) => {
        // The clock of the store stands still; the signature covers its time.
        const signed = new Webhook(secret).sign(
          headers['webhook-id'] ?? '',
          new Date(Number(headers['webhook-timestamp']) * 1000),
          body,
        );
        expect(headers['webhook-signature']).to.equal(signed);
        return JSON.parse(body) as { id: string; type: string };
      });
      expect(events.map(({ type }) => type)).to.deep.equal([
        'petstore.category.created',
        ...Array.from({ length: 5 }, () => 'petstore.pet.created'),
      ]);
      expect(events.map(({ id }) => id)).to.deep.equal(received.map(({ headers }) => headers['webhook-id']));
      expect(found.map(({ eventId }) => eventId)).to.deep.equal(events.map(({ id }) => id).reverse());
      for (const { status, attempts } of found)
        expect({ status, attempts }).to.deep.equal({ status: 'delivered', attempts: 1 });
      const listed = (await store.get('/store/events?type=petstore.pet.created')).body;
      expect(events.slice(1)).to.deep.equal(listed);
    });

    it('are attempted again with the same id until one succeeds, before any later event', async () => {
      receiver.respond = (response) => void response.writeHead(500).end();
      await create({ types: ['petstore.category.created'] });
      await store.category('Dogs');
      await store.category('Cats');
      const [first] = await until(([delivery]) => delivery?.attempts === 1);
      expect(first).to.include({ status: 'pending', responseStatus: 500 });

      store.clock.set(Date.parse(first?.nextAttemptAt ?? ''));
      wake();
      await until(([delivery]) => delivery?.attempts === 2);
      receiver.respond = (response) => void response.writeHead(204).end();
      const [second] = await deliveries();
      store.clock.set(Date.parse(second?.nextAttemptAt ?? ''));
      wake();

      const found = await until((all) => all.length === 2 && all.every(({ status }) => status === 'delivered'));
      expect(found.map(({ attempts }) => attempts)).to.deep.equal([1, 3]);
      const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
      expect(ids.slice(0, 3)).to.deep.equal([ids[0], ids[0], ids[0]]);
      expect(ids[3]).to.not.equal(ids[0]);
    });

    it('end with the webhook switched off after a day of failures, and continue when it is active again', async () => {
      receiver.respond = (response) => void response.writeHead(503).end();
      await create({ types: ['petstore.category.created'] });
      await store.category('Dogs');
      await until(([delivery]) => delivery?.attempts === 1);
      store.clock.set(store.clock.now() + DAY);
      wake();
      await until(([delivery]) => delivery?.status === 'failed');
      expect(await shown()).to.deep.include({
        active: false,
        disabledReason: 'A delivery failed for 24 hours. Last attempt: The receiver returned the status 503.',
      });

      receiver.respond = (response) => void response.writeHead(200).end();
      await store.patch('/store/webhooks/1', { active: true });
      wake();
      await until(([delivery]) => delivery?.status === 'delivered');
      expect(await shown())
        .to.include({ active: true })
        .and.not.to.have.property('disabledReason');
    });

    it('end with the webhook switched off at once by 410', async () => {
      receiver.respond = (response) => void response.writeHead(410).end();
      await create({ types: ['petstore.category.created'] });
      await store.category('Dogs');
      await until(([delivery]) => delivery?.status === 'failed');
      await store.category('Cats');
      wake();

      expect(await shown()).to.include({ active: false, disabledReason: 'The receiver returned 410 Gone.' });
      expect(receiver.received).to.have.lengthOf(1);
    });

    it('are signed with both secrets for a day after a rotation', async () => {
      const { secret } = await create({ types: ['petstore.category.created'] });
      const rotated = (await store.send('POST', '/store/webhooks/1/rotate-secret')).body as { secret: string };
      await store.category('Dogs');
      await receiver.count(1);
      await until(([delivery]) => delivery?.status === 'delivered');
      store.clock.set(store.clock.now() + DAY);
      await store.category('Cats');
      const received = await receiver.count(2);

      const signedBy = received.map(({ headers, body }) =>
        [rotated.secret, secret].filter((each) => {
          const at = new Date(Number(headers['webhook-timestamp']) * 1000);
          const signature = new Webhook(each).sign(headers['webhook-id'] ?? '', at, body);
          return headers['webhook-signature']?.split(' ').includes(signature);
        }),
      );
      expect(signedBy).to.deep.equal([[rotated.secret, secret], [rotated.secret]]);
    });

    it('can be requested, also while the webhook is not active: each is attempted once', async () => {
      await create({ types: ['petstore.category.created'] });
      await store.category('Dogs');
      const [delivered] = await until(([delivery]) => delivery?.status === 'delivered');
      await store.patch('/store/webhooks/1', { active: false });
      await store.send('POST', '/store/webhooks/1/deliveries/1/redeliver');
      await store.send('POST', '/store/webhooks/1/ping');
      wake();
      await until(([ping, again]) => ping?.status === 'delivered' && again?.status === 'delivered');
      receiver.respond = (response) => void response.writeHead(500).end();
      await store.send('POST', '/store/webhooks/1/ping');
      wake();
      const [failed] = await until(([ping]) => ping?.status === 'failed');

      expect(failed).to.include({ attempts: 1, responseStatus: 500, type: 'petstore.webhook.ping' });
      const [original, again, ping] = receiver.received;
      expect(again?.headers['webhook-id']).to.equal(delivered?.eventId);
      expect(again?.body).to.equal(original?.body);
      expect(JSON.parse(ping?.body ?? '')).to.include({ type: 'petstore.webhook.ping', subject: '/store/webhooks/1' });
    });

    it('stop when the webhook is deleted or not active', async () => {
      await create({ types: ['petstore.category.created'] });
      await create({ types: ['petstore.category.created'] });
      await store.patch('/store/webhooks/1', { active: false });
      await store.send('DELETE', '/store/webhooks/2');
      await create({ types: ['petstore.category.created'], url: `${receiver.url}/third` });
      await store.category('Dogs');

      const [received] = await receiver.count(1);
      expect(received?.path).to.equal('/hook/third');
      expect(await deliveries()).to.deep.equal([]);
    });
  });
}
