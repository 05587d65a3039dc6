import { expect } from 'chai';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

const DAY = 24 * 60 * 60 * 1000;
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

describe('Webhooks over HTTP', () => {
  const store = runningPetstore();

  const create = async (body: object = {}) => {
    const answer = await store.post('/store/webhooks', { url: 'http://127.0.0.1:9/hook', active: false, ...body });
    expect(answer.status, answer.text).to.equal(201);
    return answer;
  };

  it('show their secret once: when they are created', async () => {
    const created = await create({ types: ['petstore.order.placed'] });

    expect(created.body).to.have.property('secret').that.matches(SECRET);
    const { secret: _, ...shown } = created.body as Record<string, unknown>;
    expect(shown).to.deep.equal({
      id: 1,
      url: 'http://127.0.0.1:9/hook',
      types: ['petstore.order.placed'],
      active: false,
      createdAt: new Date(store.clock.now()).toISOString(),
    });
    expect(created.header('location')).to.equal('/store/webhooks/1');
    const read = await store.get('/store/webhooks/1');
    expect(read.body).to.deep.equal(shown);
    expect(read.header('etag')).to.equal(created.header('etag'));
    expect((await store.get('/store/webhooks')).body).to.deep.equal([shown]);
  });

  it('ignore conditions on the acts that have no representation to compare', async () => {
    await create();

    for (const act of ['rotate-secret', 'ping']) {
      for (const headers of [{ 'If-None-Match': '*' }, { 'If-Match': '"other"' }]) {
        const answer = await store.send('POST', `/store/webhooks/1/${act}`, { headers });
        expect(answer.status, answer.text).to.be.within(200, 202);
      }
    }
  });

  it('do not record a secret for retries, which get the response without it', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const body = { url: 'https://example.com/hook', active: false };
    const first = await store.post('/store/webhooks', body, headers);
    const replay = await store.post('/store/webhooks', body, headers);
    const { secret, ...shown } = first.body as Record<string, unknown>;

    expect(secret).to.match(SECRET);
    expect(replay.header('idempotent-replayed')).to.equal('true');
    expect(replay.body).to.deep.equal(shown);
    expect(replay.header('etag')).to.equal(first.header('etag'));

    const rotated = await store.send('POST', '/store/webhooks/1/rotate-secret', {
      headers: { 'Idempotency-Key': '2' },
    });
    const repeated = await store.send('POST', '/store/webhooks/1/rotate-secret', {
      headers: { 'Idempotency-Key': '2' },
    });
    const previousSecretExpiresAt = new Date(store.clock.now() + DAY).toISOString();
    expect(rotated.body).to.deep.include({ previousSecretExpiresAt });
    expect(rotated.body).to.have.property('secret').that.matches(SECRET).and.not.equals(secret);
    expect(rotated.header('etag')).to.equal(undefined);
    expect(repeated.body).to.deep.equal({ previousSecretExpiresAt });
    expect(repeated.header('idempotent-replayed')).to.equal('true');
  });

  it('receive every type of event unless they name some', async () => {
    const { types } = (await create()).body as { types: string[] };

    expect(types).to.include.members([
      'petstore.pet.created',
      'petstore.order.cancelled',
      'petstore.inventory.restocked',
    ]);
    expect(types).to.have.length(14);
  });

  it('reject addresses, types and fields that are not valid', async () => {
    for (const [body, pointer] of [
      [{}, '/url'],
      [{ url: 'ftp://example.com/' }, '/url'],
      [{ url: 'example.com' }, '/url'],
      [{ url: 'https://user:password@example.com/' }, '/url'],
      [{ url: 'https://example.com/#part' }, '/url'],
      [{ url: 'https://exa mple.com/' }, '/url'],
      [{ url: 'https://ëxample.com/' }, '/url'],
      [{ url: `https://example.com/${'x'.repeat(2_000)}` }, '/url'],
      [{ url: 'https://example.com/', types: [] }, '/types'],
      [{ url: 'https://example.com/', types: ['petstore.order.placed', 'petstore.order.placed'] }, '/types'],
      [{ url: 'https://example.com/', types: ['order.placed'] }, '/types/0'],
      [{ url: 'https://example.com/', secret: 'whsec_eA==' }, '/secret'],
    ] as const) {
      const error = refused(await store.post('/store/webhooks', body), 422, 'validation_failed');
      expect(error.details?.[0]?.pointer, error.message).to.equal(pointer);
    }
  });

  it('are changed and deleted under conditions', async () => {
    const tag = (await create()).header('etag') ?? '';
    const patch = (change: object, headers = {}) => store.patch('/store/webhooks/1', change, headers);

    refused(await patch({ active: true }, { 'If-Match': '"another"' }), 412, 'precondition_failed');
    const changed = await patch({ types: ['petstore.pet.deleted'] }, { 'If-Match': tag });
    expect(changed.body).to.deep.include({ types: ['petstore.pet.deleted'], active: false });
    refused(
      await store.send('DELETE', '/store/webhooks/1', { headers: { 'If-Match': tag } }),
      412,
      'precondition_failed',
    );
    expect((await store.send('DELETE', '/store/webhooks/1')).status).to.equal(204);
    refused(await store.get('/store/webhooks/1'), 404, 'webhook_not_found');
    refused(await store.get('/store/webhooks/1/deliveries'), 404, 'webhook_not_found');
  });

  it('have requested deliveries, newest first', async () => {
    await create();
    const ping = await store.send('POST', '/store/webhooks/1/ping');
    const again = await store.send('POST', '/store/webhooks/1/deliveries/1/redeliver');
    const now = new Date(store.clock.now()).toISOString();
    const pending = { webhookId: 1, type: 'petstore.webhook.ping', status: 'pending', attempts: 0 };

    expect([ping.status, again.status]).to.deep.equal([202, 202]);
    expect(ping.body).to.deep.equal({ id: 1, ...pending, eventId: 'ping-1', createdAt: now, nextAttemptAt: now });
    expect(again.body).to.deep.include({ id: 2, ...pending, eventId: 'ping-1' });
    const page = await store.get('/store/webhooks/1/deliveries?limit=1', { Prefer: 'return=total-count' });
    expect(page.body).to.deep.equal([again.body]);
    expect(page.header('x-total-count')).to.equal('2');
    refused(await store.send('POST', '/store/webhooks/1/deliveries/9/redeliver'), 404, 'delivery_not_found');
  });
});
