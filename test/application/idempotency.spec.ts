import { expect } from 'chai';
import {
  Idempotency,
  type IdempotentAction,
  KeyReused,
  RETENTION_MS,
  type RepeatableRequest,
} from '../../src/application/idempotency.ts';
import { OrderDesk } from '../../src/application/order-desk.ts';
import { RequestInProgress } from '../../src/application/ports/idempotency-store.ts';
import { StorageUnavailable, type UnitOfWork } from '../../src/application/ports/unit-of-work.ts';
import { InsufficientStock, UnknownPet } from '../../src/domain/refusals.ts';
import { failureOf, latch } from '../support/promises.ts';
import { Shop } from './shop.ts';

const request: RepeatableRequest = { id: 'k', fingerprint: 'two of them' };

describe('Idempotency', () => {
  let shop: Shop;
  let idempotency: Idempotency;

  beforeEach(async () => {
    shop = new Shop();
    idempotency = new Idempotency(shop.work, shop.clock);
    const { id: categoryId } = await shop.categories.create({ name: 'Dogs' });
    await shop.pets.create({ name: 'Rex', categoryId });
  });

  /** Orders so many units of pet 1; what the store refuses is an answer too. */
  const ordering = (quantity: number): IdempotentAction => ({
    execute: async (work) =>
      `ordered: ${(await new OrderDesk(work, shop.reader, shop.clock).place({ petId: 1, quantity })).id}`,
    refusalOf: (error) => (error instanceof InsufficientStock ? `refused: ${error.message}` : undefined),
  });
  const once = (quantity = 1, asked: Partial<RepeatableRequest> = {}, desk = idempotency) =>
    desk.execute({ ...request, ...asked }, ordering(quantity));
  const countOrders = () => shop.orders.count({});

  it('executes a request once, and returns its response each time', async () => {
    await shop.stock.count(1, 9);

    expect(await once()).to.deep.equal({ response: 'ordered: 1', replayed: false });
    expect(await once()).to.deep.equal({ response: 'ordered: 1', replayed: true });

    expect(await countOrders()).to.equal(1);
  });

  it('records nothing if the request fails for another reason than a refusal', async () => {
    const action: IdempotentAction = {
      execute: async (work) => {
        await ordering(1).execute(work);
        throw new UnknownPet(7);
      },
      refusalOf: () => undefined,
    };

    expect(await failureOf(idempotency.execute(request, action))).to.be.instanceOf(UnknownPet);

    expect(await countOrders()).to.equal(0);
    expect(await once()).to.deep.equal({ response: 'ordered: 1', replayed: false });
  });

  it('records a refusal, and rolls back what preceded it', async () => {
    const action: IdempotentAction = {
      execute: async (work) => {
        await ordering(1).execute(work);
        throw new UnknownPet(7);
      },
      refusalOf: () => 'refused',
    };

    expect(await idempotency.execute(request, action)).to.deep.equal({ response: 'refused', replayed: false });
    expect(await once()).to.deep.equal({ response: 'refused', replayed: true });

    expect(await countOrders()).to.equal(0);
  });

  it('refuses another request under the same key', async () => {
    await shop.stock.count(1, 9);
    await once(2);

    expect(await failureOf(once(3, { fingerprint: 'three of them' }))).to.be.instanceOf(KeyReused);

    expect(await countOrders()).to.equal(1);
  });

  it('distinguishes requests by their id', async () => {
    await shop.stock.count(1, 9);
    await once();

    expect(await once(1, { id: 'K' })).to.deep.equal({ response: 'ordered: 2', replayed: false });
  });

  it('executes a request while another one with a different id is in progress', async () => {
    const { opened, open } = latch();
    const { opened: begun, open: begin } = latch();
    const waiting: IdempotentAction = {
      execute: async () => {
        begin();
        await opened;
        return 'mine';
      },
      refusalOf: () => undefined,
    };
    const first = idempotency.execute(request, waiting);
    await begun;

    const second = once(1, { id: 'K' });
    open();

    expect(await second).to.deep.equal({ response: 'ordered: 1', replayed: false });
    expect(await first).to.deep.equal({ response: 'mine', replayed: false });
  });

  it('refuses a request while the same one is in progress, and no longer after that has ended or failed', async () => {
    const { opened, open } = latch();
    const waiting: IdempotentAction = { execute: () => opened.then(() => 'done'), refusalOf: () => undefined };
    const first = idempotency.execute(request, waiting);

    expect(await failureOf(once())).to.be.instanceOf(RequestInProgress);
    open();
    await first;
    expect(await once()).to.deep.equal({ response: 'done', replayed: true });

    const failing: IdempotentAction = {
      execute: () => Promise.reject(new StorageUnavailable('away')),
      refusalOf: () => undefined,
    };
    const failed = { ...request, id: 'another' };
    for (let i = 0; i < 2; i++) {
      expect(await failureOf(idempotency.execute(failed, failing))).to.be.instanceOf(StorageUnavailable);
    }
  });

  it('executes a request in one of two processes, and returns the same response in both', async () => {
    await shop.stock.count(1, 9);
    const elsewhere = new Idempotency(shop.work, shop.clock);

    const executions = await Promise.all([once(), once(1, {}, elsewhere)]);

    expect(executions.map(({ response }) => response)).to.deep.equal(['ordered: 1', 'ordered: 1']);
    expect(executions.map(({ replayed }) => replayed)).to.have.members([false, true]);
    expect(await countOrders()).to.equal(1);
  });

  it('returns the response of another process, if that was recorded before a refusal', async () => {
    const elsewhere = new Idempotency(shop.work, shop.clock);
    let units = 0;
    // Between the refused unit of work and the one that would record the refusal, stock arrives and a client retries.
    const work: UnitOfWork = {
      write: async (unit) => {
        units += 1;
        if (units === 2) {
          await shop.stock.count(1, 9);
          await once(2, {}, elsewhere);
        }
        return shop.work.write(unit);
      },
    };

    const executions = await idempotency.execute(request, ordering(2), work);

    expect(executions).to.deep.equal({ response: 'ordered: 1', replayed: true });
    expect(await countOrders()).to.equal(1);
  });

  it('expires records after 24 hours, and purges them in portions', async () => {
    await shop.stock.count(1, 5_000);
    for (let i = 0; i < 1_200; i++) await once(1, { id: `k${i}` });

    shop.clock.set(shop.clock.now() + RETENTION_MS - 1);
    expect((await once(1, { id: 'k0' })).replayed).to.equal(true);
    expect(await idempotency.purgeExpired()).to.equal(0);
    shop.clock.set(shop.clock.now() + 1);
    expect(await once(1, { id: 'k0' })).to.deep.equal({ response: 'ordered: 1201', replayed: false });

    shop.clock.set(shop.clock.now() + 1);
    expect(await idempotency.purgeExpired()).to.equal(1_199);
    expect((await once(1, { id: 'k0' })).replayed).to.equal(true);
  });
});
