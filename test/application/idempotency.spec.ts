import { expect } from 'chai';
import type { IdempotentRequest } from '../../src/application/change-options.ts';
import { AlreadyExecuted, IdempotentUnitOfWork, KeyReused, RETENTION_MS } from '../../src/application/idempotency.ts';
import { RequestInProgress } from '../../src/application/ports/idempotency-store.ts';
import { StorageUnavailable, type UnitOfWork, type WriteScope } from '../../src/application/ports/unit-of-work.ts';
import { Shop as Desks } from '../../src/application/shop.ts';
import { InsufficientStock, UnknownPet } from '../../src/domain/refusals.ts';
import { failureOf, latch } from '../support/promises.ts';
import { Shop } from './shop.ts';

const request = { id: 'k', fingerprint: 'two of them' };

/** A change that results in its response, and which of its refusals are recorded. */
interface Action extends Pick<IdempotentRequest<string>, 'renderRefusal'> {
  execute(scope: WriteScope): Promise<string>;
}

/** Executes the change at most once. Returns its response, and whether that was recorded before. */
async function executed(work: IdempotentUnitOfWork, asked: typeof request, { execute, renderRefusal }: Action) {
  try {
    const idempotency = { ...asked, render: String, renderRefusal };
    return { response: await work.write(execute, { idempotency }), replayed: false };
  } catch (error) {
    if (error instanceof AlreadyExecuted) return { response: error.response, replayed: true };
    const refusal = renderRefusal(error);
    if (refusal === undefined) throw error;
    return { response: refusal, replayed: false };
  }
}

describe('Idempotency', () => {
  let shop: Shop;
  let idempotency: IdempotentUnitOfWork;

  beforeEach(async () => {
    shop = new Shop();
    idempotency = new IdempotentUnitOfWork(shop.work, shop.clock);
    const { id: categoryId } = await shop.categories.create({ name: 'Dogs' });
    await shop.pets.create({ name: 'Rex', categoryId });
  });

  /** Orders so many units of pet 1; a refusal for lack of stock is recorded. */
  const ordering = (quantity: number): Action => ({
    execute: async (scope) => {
      const { orderDesk } = new Desks(
        { write: (work) => work(scope) },
        shop.reader,
        shop.eventLog,
        shop.clock,
        shop.secrets,
      );
      return `ordered: ${(await orderDesk.place({ petId: 1, quantity })).id}`;
    },
    renderRefusal: (error) => (error instanceof InsufficientStock ? `refused: ${error.message}` : undefined),
  });
  const once = (quantity = 1, asked: Partial<typeof request> = {}, work = idempotency) =>
    executed(work, { ...request, ...asked }, ordering(quantity));
  const countOrders = () => shop.orders.count({});

  it('executes a request once, and returns its response each time', async () => {
    await shop.stock.count(1, 9);

    expect(await once()).to.deep.equal({ response: 'ordered: 1', replayed: false });
    expect(await once()).to.deep.equal({ response: 'ordered: 1', replayed: true });

    expect(await countOrders()).to.equal(1);
  });

  it('records nothing if the request fails for another reason than a refusal', async () => {
    const action: Action = {
      execute: async (scope) => {
        await ordering(1).execute(scope);
        throw new UnknownPet(7);
      },
      renderRefusal: () => undefined,
    };

    expect(await failureOf(executed(idempotency, request, action))).to.be.instanceOf(UnknownPet);

    expect(await countOrders()).to.equal(0);
    expect(await once()).to.deep.equal({ response: 'ordered: 1', replayed: false });
  });

  it('records a refusal, and rolls back what preceded it', async () => {
    const action: Action = {
      execute: async (scope) => {
        await ordering(1).execute(scope);
        throw new UnknownPet(7);
      },
      renderRefusal: () => 'refused',
    };

    expect(await executed(idempotency, request, action)).to.deep.equal({ response: 'refused', replayed: false });
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
    const waiting: Action = {
      execute: async () => {
        begin();
        await opened;
        return 'mine';
      },
      renderRefusal: () => undefined,
    };
    const first = executed(idempotency, request, waiting);
    await begun;

    const second = once(1, { id: 'K' });
    open();

    expect(await second).to.deep.equal({ response: 'ordered: 1', replayed: false });
    expect(await first).to.deep.equal({ response: 'mine', replayed: false });
  });

  it('refuses a request while the same one is in progress, and no longer after that has ended or failed', async () => {
    const { opened, open } = latch();
    const waiting: Action = { execute: () => opened.then(() => 'done'), renderRefusal: () => undefined };
    const first = executed(idempotency, request, waiting);

    expect(await failureOf(once())).to.be.instanceOf(RequestInProgress);
    open();
    await first;
    expect(await once()).to.deep.equal({ response: 'done', replayed: true });

    const failing: Action = {
      execute: () => Promise.reject(new StorageUnavailable('away')),
      renderRefusal: () => undefined,
    };
    const failed = { ...request, id: 'another' };
    for (let i = 0; i < 2; i++) {
      expect(await failureOf(executed(idempotency, failed, failing))).to.be.instanceOf(StorageUnavailable);
    }
  });

  it('executes a request in one of two processes, and returns the same response in both', async () => {
    await shop.stock.count(1, 9);
    const elsewhere = new IdempotentUnitOfWork(shop.work, shop.clock);

    const executions = await Promise.all([once(), once(1, {}, elsewhere)]);

    expect(executions.map(({ response }) => response)).to.deep.equal(['ordered: 1', 'ordered: 1']);
    expect(executions.map(({ replayed }) => replayed)).to.have.members([false, true]);
    expect(await countOrders()).to.equal(1);
  });

  it('returns the response of another process, if that was recorded before a refusal', async () => {
    const elsewhere = new IdempotentUnitOfWork(shop.work, shop.clock);
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

    const executions = await executed(new IdempotentUnitOfWork(work, shop.clock), request, ordering(2));

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
