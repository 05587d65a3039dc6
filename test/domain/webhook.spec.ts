import { expect } from 'chai';
import { LimitExceeded } from '../../src/domain/limits.ts';
import { RETRY_LIMIT_MS, SECRET_OVERLAP_MS, signingSecrets, Webhook } from '../../src/domain/webhook.ts';
import { abandoned, attempted, isDelivered, type WebhookDelivery } from '../../src/domain/webhook-delivery.ts';

const HOUR = 3_600_000;

const create = (more = {}) =>
  Webhook.create({
    id: 1,
    url: 'https://example.com/',
    types: ['pet.created', 'order.placed'],
    active: true,
    createdAt: 5,
    secret: 'whsec_eA==',
    position: 7,
    ...more,
  });

describe('A webhook', () => {
  it('begins after a position, with nothing else to deliver', () => {
    expect(create().snapshot()).to.deep.equal({
      id: 1,
      url: 'https://example.com/',
      types: ['pet.created', 'order.placed'],
      active: true,
      createdAt: 5,
      secret: 'whsec_eA==',
      position: 7,
      requested: [],
    });
    expect(() => create({ url: 'x'.repeat(2_001) })).to.throw(LimitExceeded);
  });

  it('reports whether a change changes anything; the order of the types does not matter', () => {
    const webhook = create();

    expect(webhook.change({}, 9)).to.equal(false);
    expect(webhook.change({ url: 'https://example.com/', types: ['order.placed', 'pet.created'] }, 9)).to.equal(false);
    expect(webhook.change({ types: ['order.placed'], active: false }, 9)).to.equal(true);
    expect(webhook.snapshot())
      .to.include({ active: false })
      .and.to.deep.include({ types: ['order.placed'] });
  });

  it('signs with both secrets for a day after a rotation', () => {
    const webhook = create();

    expect(webhook.rotateSecret('whsec_eQ==', 100)).to.equal(100 + SECRET_OVERLAP_MS);

    const snapshot = webhook.snapshot();
    expect(signingSecrets(snapshot, 99 + SECRET_OVERLAP_MS)).to.deep.equal(['whsec_eQ==', 'whsec_eA==']);
    expect(signingSecrets(snapshot, 100 + SECRET_OVERLAP_MS)).to.deep.equal(['whsec_eQ==']);
  });

  for (const random of [0, 0.5, 1]) {
    it(`is retried with increasing delays, the last time after exactly a day (random part ${random})`, () => {
      const webhook = create();
      const due: number[] = [];
      for (let now: number | undefined = 1_000, attempts = 1; now !== undefined; attempts++) {
        now = webhook.postpone(3, attempts, now, random);
        if (now !== undefined) due.push(now);
      }

      const delays = due.map((at, i) => at - (due[i - 1] ?? 1_000));
      expect(due.at(-1)).to.equal(1_000 + RETRY_LIMIT_MS);
      expect(delays[0]).to.be.within(5_000, 6_000);
      expect(delays.slice(0, -1)).to.deep.equal(delays.slice(0, -1).toSorted((a, b) => a - b));
      expect(delays.length).to.be.within(10, 13);
      expect(webhook.snapshot().retry).to.include({ deliveryId: 3, since: 1_000 });
    });
  }

  it('continues at once after a new address or an activation, with a day of its own', () => {
    for (const change of [{ url: 'https://example.org/' }, { active: true }]) {
      const webhook = create();
      if (change.active) webhook.change({ active: false }, 0);
      webhook.postpone(3, 1, 0, 0);

      webhook.change(change, HOUR);

      expect(webhook.snapshot().retry).to.deep.equal({ deliveryId: 3, since: HOUR, at: HOUR });
    }
  });

  it('states why it was switched off until it is active again', () => {
    const webhook = create();

    webhook.disable('The receiver returned 410 Gone.');
    expect(webhook.snapshot()).to.include({ active: false, disabledReason: 'The receiver returned 410 Gone.' });
    webhook.change({ url: 'https://example.org/' }, 0);
    expect(webhook.snapshot()).to.have.property('disabledReason');
    webhook.change({ active: true }, 0);

    expect(webhook.snapshot()).to.include({ active: true, position: 7 }).and.not.to.have.property('disabledReason');
  });

  it('is leased by one holder at a time, until the lease expires or is released', () => {
    const webhook = create();

    expect(webhook.lease('a', 0, 10)).to.equal(true);
    expect(webhook.lease('b', 9, 19)).to.equal(false);
    expect(webhook.lease('a', 9, 19)).to.equal(true);
    expect(webhook.lease('b', 19, 29)).to.equal(true);
    webhook.release('a');
    expect(webhook.lease('a', 20, 30)).to.equal(false);
    webhook.release('b');
    expect(webhook.lease('a', 20, 30)).to.equal(true);
  });

  it('keeps requested deliveries in order, each once', () => {
    const webhook = create();
    for (const id of [3, 2, 3]) webhook.request(id);
    expect(webhook.snapshot().requested).to.deep.equal([3, 2]);
    webhook.settleRequest(3);
    expect(webhook.snapshot().requested).to.deep.equal([2]);
  });

  it('advances, and never goes back', () => {
    const webhook = create();
    webhook.postpone(3, 1, 0, 0);
    webhook.advance(9);
    webhook.advance(8);
    expect(webhook.snapshot()).to.include({ position: 9 }).and.not.to.have.property('retry');
  });
});

describe('A webhook delivery', () => {
  const delivery: WebhookDelivery = {
    id: 1,
    webhookId: 2,
    messageId: '7',
    type: 'pet.created',
    status: 'pending',
    attempts: 1,
    createdAt: 5,
    error: 'before',
    nextAttemptAt: 6,
  };

  it('is delivered by a response with a 2xx status only', () => {
    expect([199, 200, 299, 300, 410].map((status) => isDelivered({ status }))).to.deep.equal([
      ...[false, true, true, false, false],
    ]);
    expect(isDelivered({ error: 'x' })).to.equal(false);
  });

  it('has the result of its last attempt', () => {
    const { error: _, nextAttemptAt: __, ...rest } = delivery;
    const tried = { ...rest, attempts: 2, lastAttemptAt: 9 };

    expect(attempted(delivery, { status: 204 }, 9)).to.deep.equal({
      ...tried,
      status: 'delivered',
      responseStatus: 204,
    });
    expect(attempted(delivery, { status: 500 }, 9, 20)).to.deep.equal({
      ...{ ...tried, status: 'pending' },
      ...{ responseStatus: 500, nextAttemptAt: 20 },
    });
    expect(attempted(delivery, { error: 'late' }, 9)).to.deep.equal({ ...tried, status: 'failed', error: 'late' });
    expect(abandoned(delivery, 'gone')).to.deep.equal({ ...rest, status: 'failed', error: 'gone' });
  });
});
