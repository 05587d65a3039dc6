import { expect } from 'chai';
import pg from 'pg';
import { CommitInDoubt, type WriteScope } from '../../../src/application/ports/unit-of-work.ts';
import { desksOn, eventsIn } from '../../../src/conformance/storage/shop.ts';
import { Category } from '../../../src/domain/category.ts';
import { InventoryItem } from '../../../src/domain/inventory-item.ts';
import { Order } from '../../../src/domain/order.ts';
import { CategoryNameTaken, InsufficientStock } from '../../../src/domain/refusals.ts';
import { PostgresProxy } from '../../support/postgres-proxy.ts';
import { postgresServer } from '../../support/postgres-server.ts';
import {
  openPostgresqlStore,
  openStoreIn,
  type PostgresqlStore,
  type PostgresqlStoreSettings,
} from '../../support/postgresql-store.ts';
import { failureOf, latch, yieldToEventLoop } from '../../support/promises.ts';
import { StatementProxy } from '../../support/statement-proxy.ts';

const PETS = 20;

describe('Group commit on PostgreSQL', () => {
  let store: PostgresqlStore;
  const others: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const other of others.splice(0)) await other.close();
    await store.dispose();
  });

  /** Pets with 1000 units each. A single connection, so that what waits shares a transaction. */
  async function open(settings: PostgresqlStoreSettings = {}): Promise<void> {
    store = await openPostgresqlStore({ pool: 1, ...settings });
    // A short limit is for what is tested, not for what is prepared.
    const prepared = settings.work === undefined ? store : await openStoreIn(store.url);
    const { categories, pets, stock } = desksOn(prepared);
    await categories.create({ name: 'Dogs' });
    await pets.createAll(Array.from({ length: PETS }, (_, i) => ({ name: `Rex ${i}`, categoryId: 1 })));
    for (let petId = 1; petId <= PETS; petId++) await stock.count(petId, 1_000);
    // No commit of the relay of events is in progress.
    await eventsIn(prepared);
    if (prepared !== store) await prepared.dispose();
  }
  async function openNode(settings: PostgresqlStoreSettings = {}): Promise<PostgresqlStore> {
    const node = await openStoreIn(store.url, { pool: 1, ...settings });
    others.push({ close: () => node.dispose() });
    return node;
  }
  async function openBehindProxy(settings: PostgresqlStoreSettings = {}): Promise<PostgresProxy> {
    const proxy = await PostgresProxy.before(await postgresServer.addressOf('not-made-yet'));
    others.push(proxy);
    const through = (url: string) => {
      const address = new URL(proxy.address);
      address.pathname = new URL(url).pathname;
      return address.href;
    };
    await open({ ...settings, through });
    return proxy;
  }
  /** Another session locks a pet until the returned function is called. */
  async function holdPet(petId: number): Promise<() => Promise<void>> {
    const holder = new pg.Client({ connectionString: store.url });
    await holder.connect();
    await holder.query(`begin; select 1 from pets where id = ${petId} for update`);
    return () => holder.end();
  }

  const place = (petId: number, on = store) => desksOn(on).orders.place({ petId, quantity: 1 });
  const placeMany = (count: number, petIdOf: (i: number) => number, on = store) =>
    Array.from({ length: count }, (_, i) => place(petIdOf(i), on));
  const reservedOf = async (petId: number) => {
    const [row] = await store.ask<{ reserved: string }>('select reserved from pets where id = $1', [petId]);
    return Number(row?.reserved);
  };
  /** The number of transactions that were committed so far. */
  const transactions = async () => (await store.ask('select 1 from commit_markers')).length;
  const mustAddUp = async () => {
    expect((await desksOn(store).auditor.audit()).findings).to.deep.equal([]);
  };
  const blocked = async (count: number) => {
    const sql = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while ((await store.ask(sql)).length < count) await yieldToEventLoop();
  };

  it('commits the orders that wait for a connection in few transactions, those of one pet and of many', async () => {
    await open();
    const before = await transactions();

    const placed = await Promise.all([...placeMany(50, () => 1), ...placeMany(50, (i) => 1 + (i % PETS))]);

    expect(new Set(placed.map(({ id }) => id)).size).to.equal(100);
    expect(await transactions()).to.be.at.most(before + 4);
    expect(await reservedOf(1)).to.equal(53);
    expect(await store.reader.countOrders({})).to.equal(100);
    expect((await eventsIn(store)).filter(({ type }) => type === 'order.placed')).to.have.lengthOf(100);
    await mustAddUp();
  });

  it('sells the last units once, and refuses the rest of the same transaction', async () => {
    await open();
    await desksOn(store).stock.count(1, 3);
    const before = await transactions();

    const settled = await Promise.allSettled(placeMany(10, () => 1));

    expect(settled.map(({ status }) => status)).to.deep.equal([
      ...Array.from({ length: 3 }, () => 'fulfilled'),
      ...Array.from({ length: 7 }, () => 'rejected'),
    ]);
    expect(await transactions()).to.equal(before + 1);
    expect(await reservedOf(1)).to.equal(3);
    await mustAddUp();
  });

  it('lets a unit of work see what those before it in the same transaction did', async () => {
    await open();
    const seen: unknown[] = [];
    const look = () =>
      store.work.write(async ({ inventory, orders, categories }) => {
        const item = await inventory.lock(2);
        seen.push([item?.snapshot().reserved, await orders.existFor(2), await categories.isInUse(2)]);
      });
    const { categories, pets, orders } = desksOn(store);

    await Promise.all([
      look(),
      place(2),
      categories.create({ name: 'Cats' }),
      look(),
      pets.create({ name: 'Tom', categoryId: 2 }),
      orders.change(1, { quantity: 5 }),
      orders.cancel(1),
      look(),
    ]);

    expect(seen).to.deep.equal([
      [0, false, false],
      [1, true, false],
      [0, false, true],
    ]);
    await mustAddUp();
  });

  it('knows the stock of a pet as it is, however a unit of work before it has changed it', async () => {
    await open();
    const seen: unknown[] = [];
    const look = (petId: number) =>
      store.work.write(async ({ inventory }) => {
        const item = await inventory.lock(petId);
        seen.push(item?.snapshot().reserved);
      });
    const stockOf = (petId: number, reserved: number) =>
      InventoryItem.recall({ petId, quantity: 1_000, reserved, held: false });

    await Promise.all([
      look(1),
      look(2),
      // Without a lock, of a pet that is known and of one that is not there.
      store.work.write(async ({ inventory }) => inventory.save(stockOf(1, 7))),
      store.work.write(async ({ inventory }) => inventory.save(stockOf(99, 7))),
      look(1),
      look(99),
      store.work
        .write(async ({ inventory }) => {
          await inventory.save(stockOf(1, 9));
          seen.push((await inventory.lock(1))?.snapshot().reserved);
          throw new Error('undone');
        })
        .catch(() => undefined),
      look(1),
      store.work.write(async ({ inventory, pets }) => {
        await pets.delete(2);
        seen.push((await inventory.lock(2))?.snapshot().reserved);
      }),
      look(2),
    ]);

    expect(seen).to.deep.equal([0, 0, 7, undefined, 9, 7, undefined, undefined]);
  });

  describe('leaves the others of the transaction alone when one of them', () => {
    const THROWN = new Error('undone');
    const FAILING: Record<string, [(scope: WriteScope) => Promise<unknown>, (failure: unknown) => boolean]> = {
      'is refused before it writes': [
        async ({ inventory }) => (await inventory.lock(1))?.reserve(9_999),
        (failure) => failure instanceof InsufficientStock,
      ],
      'throws after it has written': [
        async ({ inventory, categories }) => {
          const item = await inventory.lock(1);
          item?.reserve(500);
          if (item) await inventory.save(item);
          await categories.save(Category.recall({ id: 1, name: 'Hounds' }));
          throw THROWN;
        },
        (failure) => failure === THROWN,
      ],
      'breaks a constraint, and is told so': [
        async ({ categories }) => categories.add(Category.create({ id: await categories.nextId(), name: 'DOGS' })),
        (failure) => failure instanceof CategoryNameTaken,
      ],
      'breaks a constraint, and takes no notice': [
        async ({ categories }) => categories.delete(1).catch(() => 'whatever'),
        (failure) =>
          (failure as { table?: string }).table === 'pets' || (failure as { table?: string }).table === 'categories',
      ],
      'breaks a constraint by a command whose result it does not need': [
        async ({ orders }) => orders.add(Order.place({ id: await orders.nextId(), petId: 999, quantity: 1 })),
        (failure) => (failure as { table?: string }).table === 'orders',
      ],
      'uses its scope after its end': [
        async (scope) => void setImmediate(() => scope.pets.delete(1).catch(() => undefined)),
        () => true,
      ],
    };
    for (const [what, [fail, isExpected]] of Object.entries(FAILING)) {
      it(what, async () => {
        await open();

        const [before, failing, after] = [
          placeMany(5, (i) => 1 + i),
          store.work.write(fail).then(
            () => undefined,
            (error: unknown) => error,
          ),
          placeMany(5, (i) => 1 + i),
        ];

        await Promise.all([...before, ...after]);
        expect(isExpected(await failing), String(await failing)).to.equal(true);
        expect(await store.reader.countOrders({})).to.equal(10);
        for (let petId = 1; petId <= 5; petId++) expect(await reservedOf(petId)).to.equal(2);
        expect(await store.reader.category(1)).to.deep.equal({ id: 1, name: 'Dogs' });
        await mustAddUp();
      });
    }

    it('never ends, which the others do not wait for', async () => {
      await open({ pool: 2 });
      const controller = new AbortController();
      const reason = new Error('too late');
      const stuck = failureOf(
        store.work.write(async ({ inventory }) => {
          const item = await inventory.lock(3);
          item?.reserve(7);
          if (item) await inventory.save(item);
          await new Promise(() => {});
        }, controller),
      );

      await Promise.all(placeMany(6, (i) => 4 + i));
      controller.abort(reason);

      expect(await stuck).to.equal(reason);
      expect(await reservedOf(3)).to.equal(0);
      await mustAddUp();
    });
  });

  it('rejects a unit of work whose signal is aborted before its turn has ended, and keeps nothing of it', async () => {
    await open();
    const [early, inside] = [new AbortController(), new AbortController()];
    const reserve = ({ inventory }: WriteScope) =>
      inventory.lock(1).then(async (item) => {
        item?.reserve(5);
        if (item) await inventory.save(item);
      });
    const work = [
      store.work.write(reserve, { signal: early.signal }),
      store.work.write(
        async (scope) => {
          await reserve(scope);
          inside.abort(new Error('enough'));
        },
        { signal: inside.signal },
      ),
      store.work.write(reserve, { signal: new AbortController().signal }),
    ];
    early.abort(new Error('too late'));

    expect(
      (await Promise.allSettled(work)).map((each) => String('reason' in each ? each.reason : each.status)),
    ).to.deep.equal(['Error: too late', 'Error: enough', 'fulfilled']);
    expect(await reservedOf(1)).to.equal(5);
    const aborted = AbortSignal.abort(new Error('never begun'));
    expect(String(await failureOf(store.work.write(reserve, { signal: aborted })))).to.equal('Error: never begun');
  });

  it('rejects a unit of work whose signal is aborted before the commit, and commits the others', async () => {
    await open();
    const controller = new AbortController();
    const reason = new Error('too late');
    const first = failureOf(
      store.work.write(async ({ inventory }) => {
        const item = await inventory.lock(1);
        item?.reserve(5);
        if (item) await inventory.save(item);
      }, controller),
    );
    const second = store.work.write(async ({ inventory }) => {
      await inventory.lock(2);
      controller.abort(reason);
    });

    const placed = Promise.all(placeMany(3, () => 1));

    expect(await first).to.equal(reason);
    await second;
    await placed;
    expect(await reservedOf(1)).to.equal(3);
  });

  describe('when the connection is lost', () => {
    it('during the work, does all of it once more', async () => {
      await open();
      let runs = 0;
      const cutting = () =>
        store.work.write(async ({ inventory, ledger }) => {
          const item = await inventory.lock(5);
          const movement = item?.count(item.quantity + 1);
          if (!item || !movement) throw new Error('There is no such pet.');
          await inventory.save(item);
          await ledger.append({ ...movement, at: 0 });
          runs += 1;
          if (runs > 1) return;
          await store.ask(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
          );
        });

      await Promise.all([...placeMany(5, () => 5), cutting(), ...placeMany(5, (i) => 1 + i)]);

      expect(runs).to.be.above(1);
      expect(await reservedOf(5)).to.equal(6);
      expect(await store.reader.inventoryItem(5)).to.include({ quantity: 1_001 });
      expect(await store.reader.countOrders({})).to.equal(10);
      await mustAddUp();
    });

    for (const [what, loss] of [
      ['kept', 'the answer'],
      ['undone, and is done again', 'the wish'],
      ['kept, though it reached the server late', 'the answer, for a while the wish'],
    ] as const) {
      it(`during the commit, finds out what it was for all: ${what}`, async () => {
        const lossy = await openBehindProxy();
        lossy.loseCommit(loss);

        const placing = Promise.all(placeMany(10, () => 1));
        if (loss === 'the answer, for a while the wish') {
          await blocked(1);
          expect(await reservedOf(1)).to.equal(0);
          lossy.deliver();
        }

        expect(new Set((await placing).map(({ id }) => id)).size).to.equal(10);
        expect(await reservedOf(1)).to.equal(10);
        expect(await store.reader.countOrders({})).to.equal(10);
        await mustAddUp();
      });
    }

    it('during the commit, tells all that it is in doubt if the server does not come back', async () => {
      const lossy = await openBehindProxy({ work: 1_500 });
      lossy.awayAfterLoss = true;
      lossy.loseCommit('the answer');

      const settled = await Promise.allSettled(placeMany(4, () => 1));

      for (const each of settled) expect((each as PromiseRejectedResult).reason).to.be.instanceOf(CommitInDoubt);
      expect(store.log.lines.map(({ level }) => level)).to.deep.equal(['error']);
      lossy.away = false;
      expect(await reservedOf(1)).to.equal(4);
    });
  });

  describe('is fair, so that', () => {
    it('orders of other pets do not wait for a pet that another session has locked', async () => {
      await open({ pool: 3 });
      const release = await holdPet(1);
      const ended: number[] = [];
      const placing = placeMany(60, (i) => 1 + (i % 3)).map(async (order) => ended.push((await order).petId));

      while (ended.length < 40) await yieldToEventLoop();
      expect(new Set(ended)).to.deep.equal(new Set([2, 3]));
      await release();
      await Promise.all(placing);

      expect(await reservedOf(1)).to.equal(20);
      await mustAddUp();
    });

    it('an order of a pet in little demand does not wait for all orders of one in high demand', async () => {
      await open({ pool: 2 });
      const ended: string[] = [];
      const hot = placeMany(400, () => 1).map((order) => order.then(() => ended.push('hot')));
      await hot[0];
      const more = placeMany(200, () => 1).map((order) => order.then(() => ended.push('hot')));
      await place(2).then(() => ended.push('cold'));
      const position = ended.indexOf('cold');
      await Promise.all([...hot, ...more]);

      expect(position).to.be.below(400);
      expect(await reservedOf(1)).to.equal(600);
    });

    it('a unit of work that awaits something else does not keep the others of its transaction waiting', async () => {
      await open({ pool: 2 });
      const { opened, open: end } = latch();
      let runs = 0;
      const slow = store.work.write(async ({ inventory }) => {
        runs += 1;
        await inventory.lock(1);
        await opened;
        return runs;
      });
      const orders = placeMany(5, (i) => 2 + i);

      await Promise.all(orders);
      end();

      expect(await slow).to.be.at.most(2);
    });
  });

  describe('of two nodes', () => {
    for (const isolation of ['read committed', 'serializable'] as const) {
      it(`places all orders of the same pets, in any order (${isolation})`, async () => {
        await open({ isolation, pool: 3 });
        const node = await openNode({ isolation, pool: 3 });

        await Promise.all([
          ...placeMany(150, (i) => 1 + (i % PETS)),
          ...placeMany(150, (i) => PETS - (i % PETS), node),
          ...placeMany(50, () => 7),
          ...placeMany(50, () => 7, node),
        ]);

        expect(await store.reader.countOrders({})).to.equal(400);
        expect(await reservedOf(7)).to.equal(115);
        await mustAddUp();
      });
    }

    it('resolves a deadlock between their transactions', async () => {
      await open();
      const node = await openNode();
      const latches = [latch(), latch()] as const;
      // A name is waited for until the transaction that has taken it ends.
      const name = (on: PostgresqlStore, own: 0 | 1) =>
        on.work.write(async ({ categories }) => {
          const add = async (title: string) => {
            await categories.add(Category.create({ id: await categories.nextId(), name: title }));
          };
          await add(`${own} of ${latches.length}`);
          latches[own].open();
          await latches[own === 0 ? 1 : 0].opened;
          await add(`${1 - own} of ${latches.length}`);
        });

      const naming = [name(store, 0), name(node, 1)];
      const placed = [...placeMany(3, () => 1), ...placeMany(3, () => 1, node)];
      const settled = await Promise.allSettled(naming);
      await Promise.all(placed);

      expect(settled.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected']);
      expect(await store.reader.countCategories({})).to.equal(3);
      expect(await reservedOf(1)).to.equal(6);
      await mustAddUp();
    });

    it('executes a request that is retried on the other node while it is in progress once', async () => {
      await open();
      const node = await openNode();
      const once = (on: PostgresqlStore, request: string) =>
        on.work.write(async ({ idempotency, inventory }) => {
          const record = await idempotency.lock(request);
          if (record) return record.response;
          const item = await inventory.lock(1);
          item?.reserve(1);
          if (item) await inventory.save(item);
          await idempotency.save(request, { fingerprint: 'f', response: 'done', savedAt: Date.now() });
          return 'done';
        });

      const requests = Array.from({ length: 30 }, (_, i) => `request-${i}`);
      const responses = await Promise.all(requests.flatMap((each) => [once(store, each), once(node, each)]));

      expect(new Set(responses)).to.deep.equal(new Set(['done']));
      expect(await reservedOf(1)).to.equal(30);
    });
  });

  describe('keeps exactly what it acknowledges when a statement fails:', () => {
    let proxy: StatementProxy;
    before(async () => {
      proxy = await StatementProxy.before(await postgresServer.addressOf('not-made-yet'));
    });
    after(() => proxy.close());

    for (const sqlState of ['23505', '40P01', '53200', '57014', '57P01']) {
      it(sqlState, async () => {
        await open({ through: (url) => proxy.through(url) });
        let request = 0;
        const work = () => [
          ...placeMany(4, () => 1),
          desksOn(store).categories.create({ name: `Shelf ${request++}` }),
          store.work.write(async ({ idempotency }) => {
            const id = `request-${request++}`;
            await idempotency.lock(id);
            await idempotency.save(id, { fingerprint: 'f', response: 'r', savedAt: Date.now() });
          }),
          ...placeMany(4, (i) => 1 + i),
          desksOn(store)
            .pets.delete(PETS)
            .then(
              () => expect.fail('It has movements.'),
              () => undefined,
            ),
        ];
        await place(PETS);
        const begun = proxy.sent.length;
        await Promise.all(work());
        // The relay of events is no part of a unit of work.
        const sent = proxy.sent.slice(begun).filter(({ text }) => !text.includes('pg_notify'));
        const statements = [...new Set(sent.map(({ text }) => text))];
        expect(statements).to.have.length.above(10);
        let expected = await store.reader.countOrders({});

        for (const statement of statements) {
          proxy.failNext(new RegExp(`^${statement.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`), sqlState);
          const settled = await Promise.allSettled(work());

          expect(proxy.isWaiting, statement).to.equal(false);
          const failed = settled.filter(({ status }) => status === 'rejected');
          const isAlone = statement.startsWith('begin') || statement === 'commit';
          if (!isAlone)
            expect(failed.length, `${statement}: ${(failed[0] as PromiseRejectedResult)?.reason}`).to.be.at.most(1);
          const isOrder = (i: number) => i < 4 || (i > 5 && i < 10);
          expected += settled.filter(({ status }, i) => isOrder(i) && status === 'fulfilled').length;
          expect(await store.reader.countOrders({}), statement).to.equal(expected);
          await mustAddUp();
        }
      });
    }
  });
});
