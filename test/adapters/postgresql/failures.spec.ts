import { expect } from 'chai';
import type { Isolation } from '../../../src/adapters/mikro-orm/postgresql/transaction.ts';
import { RequestInProgress } from '../../../src/application/ports/idempotency-store.ts';
import { CommitInDoubt, StorageUnavailable, type WriteScope } from '../../../src/application/ports/unit-of-work.ts';
import { desksOn } from '../../../src/conformance/storage/shop.ts';
import { ApiKey } from '../../../src/domain/api-key.ts';
import { Category } from '../../../src/domain/category.ts';
import { holdRows } from '../../multi-node/fault-injection.ts';
import { PostgresProxy } from '../../support/postgres-proxy.ts';
import { mayStopServers, PostgresServer, postgresServer } from '../../support/postgres-server.ts';
import {
  openPostgresqlStore,
  openStoreIn,
  type PostgresqlStore,
  type PostgresqlStoreSettings,
} from '../../support/postgresql-store.ts';
import { failureOf, latch, yieldToEventLoop } from '../../support/promises.ts';

const WORKING = "state like 'idle in transaction%'";

/** Adds one unit to what there is of a pet, and says how often it was done. */
function counting(petId: number, meanwhile: (run: number, scope: WriteScope) => Promise<unknown>) {
  let runs = 0;
  return {
    get runs() {
      return runs;
    },
    async work(scope: WriteScope) {
      runs += 1;
      const item = await scope.inventory.lock(petId);
      const movement = item?.count(item.quantity + 1);
      await meanwhile(runs, scope);
      if (!item || !movement) throw new Error('There is no such pet.');
      await scope.inventory.save(item);
      await scope.ledger.append({ ...movement, at: 0 });
      await scope.outbox.append({
        type: 'inventory.counted',
        data: { petId, quantity: item.quantity, reserved: item.reserved, status: item.status },
        at: 0,
      });
      return item.quantity;
    },
  };
}

describe('On PostgreSQL', () => {
  let store: PostgresqlStore;
  let proxy: PostgresProxy | undefined;

  /** Two pets with one unit each. */
  async function open(settings: PostgresqlStoreSettings = {}): Promise<void> {
    store = await openPostgresqlStore(settings);
    // A short limit is for what is tested, not for what is prepared.
    const patient = settings.work === undefined ? store : await openStoreIn(store.url);
    const { categories, pets } = desksOn(patient);
    await categories.create({ name: 'Dogs' });
    await pets.createAll(['Rex', 'Bello'].map((name) => ({ name, categoryId: 1 })));
    if (patient !== store) await patient.dispose();
  }
  async function openBehindProxy(settings: PostgresqlStoreSettings = {}): Promise<PostgresProxy> {
    const made = await PostgresProxy.before(await postgresServer.addressOf('not-made-yet'));
    proxy = made;
    await open({
      ...settings,
      through: (url) => {
        const address = new URL(made.address);
        address.pathname = new URL(url).pathname;
        return address.href;
      },
    });
    return made;
  }
  afterEach(async () => {
    await store?.storage.close();
    await proxy?.close();
    proxy = undefined;
    await store?.dispose();
  });

  /** The server ends connections of the store. Returns how many. */
  const terminate = async (which: string) => {
    const ended = await store.ask<{ pid: number }>(
      `select pid, pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'petstore' and ${which}`,
    );
    return ended.length;
  };
  const quantityOf = async (petId: number) => (await store.reader.inventoryItem(petId))?.quantity;
  const mustAddUp = async () => {
    expect((await desksOn(store).auditor.audit()).findings).to.deep.equal([]);
  };

  describe('a unit of work is executed again', () => {
    for (const isolation of ['read committed', 'serializable'] as const satisfies Isolation[]) {
      it(`when two lock the same things in opposite orders (${isolation})`, async () => {
        await open({ isolation });
        const latches = [latch(), latch()] as const;
        let runs = 0;
        const unit = (first: number, second: number) =>
          store.work.write(async ({ inventory }) => {
            runs += 1;
            await inventory.lock(first);
            latches[first === 1 ? 0 : 1].open();
            await latches[first === 1 ? 1 : 0].opened;
            const item = await inventory.lock(second);
            item?.count(item.quantity + 1);
            if (item) await inventory.save(item);
          });

        await Promise.all([unit(1, 2), unit(2, 1)]);

        expect(runs).to.be.above(2);
        expect([await quantityOf(1), await quantityOf(2)]).to.deep.equal([2, 2]);
      });

      it(`when its connection is cut while it works (${isolation})`, async () => {
        await open({ isolation });
        const count = counting(1, async (run) => {
          if (run < 3) expect(await terminate(WORKING)).to.equal(1);
        });

        expect(await store.work.write((scope) => count.work(scope))).to.equal(2);

        expect(count.runs).to.equal(3);
        expect(await quantityOf(1)).to.equal(2);
        await mustAddUp();
      });

      it(`and nothing is sold twice while connections are cut all the time (${isolation})`, async () => {
        await open({ isolation });
        const { orders, stock } = desksOn(store);
        await stock.count(1, 30);
        let selling = true;
        const cutting = (async () => {
          while (selling) {
            await terminate('random() < 0.1');
            await yieldToEventLoop(20);
          }
        })();

        const settled = await Promise.allSettled(
          Array.from({ length: 60 }, () => orders.place({ petId: 1, quantity: 1 })),
        );
        selling = false;
        await cutting;

        const placed = settled.filter(({ status }) => status === 'fulfilled').length;
        expect(await store.reader.countOrders({ petId: 1 }))
          .to.equal(placed)
          .and.to.be.at.most(30);
        await mustAddUp();
      });
    }

    it('when data that it read was changed before it wrote (serializable)', async () => {
      await open({ isolation: 'serializable' });
      const count = counting(1, async (run) => {
        if (run < 4) await store.ask('update categories set description = $1 where id = 1', [`${run}`]);
      });

      await store.work.write(async (scope) => {
        // Takes its view of the store before the other one writes.
        await scope.categories.isInUse(1);
        const quantity = await count.work(scope);
        await scope.categories.save(Category.recall({ id: 1, name: 'Hounds' }));
        return quantity;
      });

      expect(count.runs).to.equal(4);
      expect(await store.reader.category(1)).to.deep.equal({ id: 1, name: 'Hounds' });
      await mustAddUp();
    });

    it('until its signal is aborted, and no longer', async () => {
      await open({ isolation: 'serializable' });
      const controller = new AbortController();
      const reason = new Error('too late');
      const count = counting(1, async (run) => {
        await store.ask('update categories set description = $1', [`${run}`]);
        if (run === 3) controller.abort(reason);
      });

      const failure = await failureOf(
        store.work.write(async (scope) => {
          await count.work(scope);
          await scope.categories.save(Category.recall({ id: 1, name: 'Hounds' }));
        }, controller),
      );

      expect(failure).to.equal(reason);
      expect(count.runs).to.equal(3);
      expect(await quantityOf(1)).to.equal(1);
    });

    it('until its signal is aborted, also if it conflicts with others only at its commit', async () => {
      await open();
      const controller = new AbortController();
      const reason = new Error('too late');
      await store.ask(`create function collide() returns trigger language plpgsql as
        $$ begin raise exception 'Another transaction was faster.' using errcode = '40001'; end $$`);
      await store.ask(`create constraint trigger collision after update on categories deferrable initially deferred
        for each row execute function collide()`);
      let runs = 0;

      try {
        const failure = await failureOf(
          store.work.write(async ({ categories }) => {
            runs += 1;
            if (runs === 3) controller.abort(reason);
            await categories.save(Category.recall({ id: 1, name: 'Hounds' }));
          }, controller),
        );

        expect(failure).to.equal(reason);
        expect(runs).to.equal(3);
        expect(await store.reader.category(1)).to.deep.equal({ id: 1, name: 'Dogs' });
      } finally {
        await store.ask('drop function collide() cascade');
      }
    });

    const AFTERWARDS: Record<string, () => Promise<unknown>> = {
      'on new connections': () => terminate('true'),
      'behind a pooler that kept the connections': () => Promise.resolve(),
    };
    for (const [where, end] of Object.entries(AFTERWARDS)) {
      it(`with other identifiers, when the server assigns some again after a crash, ${where}`, async () => {
        await open();
        const { stock, orders } = desksOn(store);
        await stock.count(1, 9);
        const undone = store.work.write(async (scope) => {
          for (let i = 0; i < 2; i++) await scope.orders.nextId();
          throw new Error('undone');
        });
        await failureOf(undone);

        // What of a sequence was not written down for good is gone in a crash.
        await store.ask("select setval('orders_id_seq', 1, false)");
        await end();
        const placed = [];
        for (let i = 0; i < 4; i++) placed.push(await orders.place({ petId: 1, quantity: 1 }));

        expect(placed.map(({ id }) => id)).to.deep.equal([1, 2, 3, 4]);
        await mustAddUp();
      });
    }
  });

  describe('a commit whose response is lost', () => {
    const issue = async ({ apiKeys }: WriteScope) =>
      apiKeys.add(ApiKey.issue({ id: await apiKeys.nextId(), name: 'till', scopes: [], digest: 'd', createdAt: 0 }));

    it('counts as committed if it was', async () => {
      const lossy = await openBehindProxy();
      const count = counting(1, yieldToEventLoop);
      lossy.loseCommit('the answer');

      expect(await store.work.write((scope) => count.work(scope))).to.equal(2);

      expect(count.runs).to.equal(1);
      expect(await quantityOf(1)).to.equal(2);
      await mustAddUp();
    });

    it('counts as committed if it was, although it appended no event', async () => {
      const lossy = await openBehindProxy();
      lossy.loseCommit('the answer');

      await store.work.write(issue);

      expect(await store.reader.apiKeys()).to.have.lengthOf(1);
    });

    it('counts as rolled back if it was, and is executed again', async () => {
      const lossy = await openBehindProxy();
      const count = counting(1, yieldToEventLoop);
      lossy.loseCommit('the wish');

      expect(await store.work.write((scope) => count.work(scope))).to.equal(2);
      lossy.loseCommit('the wish');
      await store.work.write(issue);

      expect(count.runs).to.equal(2);
      expect(await quantityOf(1)).to.equal(2);
      expect(await store.reader.apiKeys()).to.have.lengthOf(1);
      await mustAddUp();
    });

    it('is awaited while it is undecided', async () => {
      const lossy = await openBehindProxy();
      const count = counting(1, yieldToEventLoop);
      lossy.loseCommit('the answer, for a while the wish');

      const written = store.work.write((scope) => count.work(scope));
      const asking = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      while ((await store.ask(asking)).length === 0) await yieldToEventLoop();
      expect(await quantityOf(1)).to.equal(1);
      lossy.deliver();

      expect(await written).to.equal(2);
      expect(count.runs).to.equal(1);
      expect(await quantityOf(1)).to.equal(2);
    });

    it('is in doubt, and logged, when the server does not come back in time', async () => {
      const lossy = await openBehindProxy({ work: 1_500 });
      lossy.awayAfterLoss = true;
      lossy.loseCommit('the answer');

      const failure = await failureOf(store.work.write((scope) => counting(1, yieldToEventLoop).work(scope)));

      expect(failure).to.be.instanceOf(CommitInDoubt);
      expect(store.log.lines.map(({ level }) => level)).to.deep.equal(['error']);
      lossy.away = false;
      expect(await quantityOf(1)).to.equal(2);
    });
  });

  describe('a storage', () => {
    it('serves again when all of its idle connections were cut', async () => {
      await open();
      expect(await terminate('true')).to.be.above(0);

      expect(await quantityOf(1)).to.equal(1);
      await store.storage.check();
      expect(await terminate('true')).to.be.above(0);
      expect(await store.work.write((scope) => counting(1, yieldToEventLoop).work(scope))).to.equal(2);
    });

    it('fails at once while it cannot reach the server, and works again when it can', async () => {
      const lossy = await openBehindProxy();
      const { orders } = desksOn(store);
      const begun = latch();
      const cut = latch();
      const underWay = store.work.write(async ({ inventory }) => {
        begun.open();
        await cut.opened;
        await inventory.lock(1);
      });
      await begun.opened;
      lossy.away = true;
      lossy.cut();
      cut.open();

      const asked = [underWay, orders.place({ petId: 1, quantity: 1 }), store.reader.pet(1), store.storage.check()];
      for (const failure of await Promise.all(asked.map(failureOf))) {
        expect(failure).to.be.instanceOf(StorageUnavailable);
      }
      lossy.away = false;

      await store.storage.check();
      expect(await orders.place({ petId: 1, quantity: 1 })).to.include({ petId: 1 });
      await mustAddUp();
    });

    describe('outlives its server,', () => {
      const server = new PostgresServer();
      before(function () {
        if (!mayStopServers) this.skip();
      });
      after(() => server.remove());

      for (const how of ['fast', 'immediate'] as const) {
        it(`which is stopped (${how}) and started again`, async () => {
          await open({ server });
          const { orders } = desksOn(store);
          const begun = latch();
          const stopped = latch();
          const underWay = store.work.write(async ({ inventory }) => {
            begun.open();
            await stopped.opened;
            await inventory.lock(1);
          });
          await begun.opened;
          await server.stop(how);
          stopped.open();

          try {
            expect(await failureOf(underWay)).to.be.instanceOf(StorageUnavailable);
            expect(await failureOf(orders.place({ petId: 1, quantity: 1 }))).to.be.instanceOf(StorageUnavailable);
            expect(await failureOf(store.reader.pet(1))).to.be.instanceOf(StorageUnavailable);
          } finally {
            await server.start();
          }

          expect(await store.reader.pet(1)).to.include({ name: 'Rex' });
          expect(await orders.place({ petId: 1, quantity: 1 })).to.include({ petId: 1 });
          await mustAddUp();
        });
      }
    });

    it('refuses a unit of work that gets no connection in time, and answers readers all the while', async () => {
      await open({ pool: 2 });
      const controller = new AbortController();
      const reason = new Error('too late');
      const begun = [latch(), latch()] as const;
      const stuck = begun.map((each) =>
        failureOf(
          store.work.write(async ({ pets }) => {
            await pets.find(1);
            each.open();
            await new Promise(() => {});
          }, controller),
        ),
      );
      await Promise.all(begun.map(({ opened }) => opened));
      const waiting = failureOf(store.work.write(async () => 'never', controller));

      expect(await quantityOf(1)).to.equal(1);
      controller.abort(reason);
      for (const failure of await Promise.all([...stuck, waiting])) expect(failure).to.equal(reason);
      expect(await store.work.write((scope) => counting(1, yieldToEventLoop).work(scope))).to.equal(2);
    });

    it('rejects a unit of work whose row another transaction does not unlock', async () => {
      await open({ work: 1_000 });
      const release = await holdRows(store.url);

      const failure = await failureOf(store.work.write((scope) => counting(1, yieldToEventLoop).work(scope)));

      expect(failure).to.be.instanceOf(StorageUnavailable);
      await release();
      expect(await quantityOf(1)).to.equal(1);
    });

    it('reports that a request is in progress on another node, whether its key is new or about to expire', async () => {
      await open();
      const other = await openStoreIn(store.url);
      const requests = ['fresh', 'old'];
      const record = { fingerprint: 'f', response: '{}', savedAt: 0 };
      await store.work.write(({ idempotency }) => idempotency.save('old', record));
      const [begun, end] = [latch(), latch()];
      const first = other.work.write(async ({ idempotency }) => {
        for (const request of requests) await idempotency.lock(request);
        begun.open();
        await end.opened;
      });
      await begun.opened;

      const failures = await Promise.all(
        requests.map((request) => failureOf(store.work.write(({ idempotency }) => idempotency.lock(request)))),
      );

      for (const failure of failures) expect(failure).to.be.instanceOf(RequestInProgress);
      end.open();
      await first;
      await other.dispose();
    });

    it('stores nothing of a unit of work that ignores a failed statement', async () => {
      await open();

      const failure = await failureOf(
        store.work.write(async ({ categories }) => {
          await categories.add(Category.create({ id: 2, name: 'Cats' }));
          await categories.delete(1).catch(() => 'so what');
        }),
      );

      // Before PostgreSQL 18, one code stood for every violation of a foreign key.
      expect(failure).to.be.instanceOf(Error).with.property('code').that.is.oneOf(['23001', '23503']);
      expect(await store.reader.countCategories({})).to.equal(1);
    });
  });
});
