import { expect } from 'chai';
import type {
  PostgresqlClient,
  PostgresqlPool,
  PostgresqlResult,
} from '../../../src/adapters/mikro-orm/postgresql/postgresql-pool.ts';
import { RequestInProgress } from '../../../src/application/ports/idempotency-store.ts';
import { StorageUnavailable } from '../../../src/application/ports/unit-of-work.ts';
import { desksOn, pictureOf } from '../../../src/conformance/storage/shop.ts';
import { ApiKey } from '../../../src/domain/api-key.ts';
import { Order } from '../../../src/domain/order.ts';
import { Pet } from '../../../src/domain/pet.ts';
import { postgresServer } from '../../support/postgres-server.ts';
import { openPostgresqlStore, type PostgresqlStore } from '../../support/postgresql-store.ts';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';
import { type Failing, StatementProxy } from '../../support/statement-proxy.ts';

/** One SQLSTATE of each class of appendix A of PostgreSQL's manual, but for 00, which is success. */
const ONE_OF_EACH_CLASS =
  '01000 02000 03000 08006 09000 0A000 0B000 0F001 0L000 0P000 0Z002 10608 20000 21000 22P02 23514 24000 25000 26000 27000 28000 2B000 2D000 2F002 34000 38000 39P01 3B001 3D000 3F000 40002 42P01 44000 53200 54000 55000 57000 58030 72000 F0000 HV000 P0001 XX000'.split(
    ' ',
  );

/** Those after which a unit of work is done again: the conflicts, and those of a connection that is of no use any more. */
const DONE_AGAIN = new Set(
  '08000 08003 08006 08P01 25P03 25P04 26000 40001 40003 40P01 42P05 57P01 57P02 57P03 57P04 57P05'.split(' '),
);
const CONFLICTS = new Set(['40001', '40P01']);
/** Those that the storage cannot help. */
const UNAVAILABLE = new Set(
  '25006 25P02 28000 28P01 3D000 40002 53200 53100 53300 55P03 57000 57014 58030 XX001 XX002'.split(' '),
);
const ALL = [...new Set([...ONE_OF_EACH_CLASS, ...DONE_AGAIN, ...UNAVAILABLE, '23505', '42501'])];
/** One of each kind, for the many statements that fail alike. */
const SOME = ['23505', '23514', '26000', '40001', '55P03', '57014', '57P01'];

/** Units of work that send, together, every kind of statement. */
const UNITS: Readonly<Record<string, (store: PostgresqlStore) => Promise<unknown>>> = {
  'an order': (store) => desksOn(store).orders.place({ petId: 1, quantity: 2 }),
  'a batch': (store) =>
    desksOn(store).pets.createAll(['Rex', 'Bello', 'Fido'].map((name) => ({ name, categoryId: 1 }))),
  'a category': (store) => desksOn(store).categories.create({ name: `Shelf ${Math.random()}` }),
  'a count': (store) => desksOn(store).stock.count(2, 1 + Math.floor(Math.random() * 1e8)),
  'an order under an idempotency key': (store) =>
    store.work.write(async (scope) => {
      const request = `${Math.random()}`;
      await scope.idempotency.lock(request);
      const item = await scope.inventory.lock(1);
      const movement = item?.count(item.quantity + 1);
      if (!item || !movement) throw new Error('There is no such pet.');
      await scope.inventory.save(item);
      await scope.ledger.append({ ...movement, at: 0 });
      await scope.idempotency.save(request, { fingerprint: 'f', response: 'a', savedAt: 0 });
    }),
  'changes that need no answer': (store) =>
    store.work.write(async ({ orders, pets, outbox }) => {
      const order = Order.place({ id: await orders.nextId(), petId: 1, quantity: 1 });
      await orders.add(order);
      await orders.save(order);
      await orders.delete(order.id);
      await pets.save(Pet.recall({ id: 2, name: `Bello ${Math.random()}`, categoryId: 1 }));
      await outbox.append({ type: 'category.deleted', data: { id: 9, name: 'Cats' }, at: 0 });
    }),
  'an API key': (store) =>
    store.work.write(async ({ apiKeys }) =>
      apiKeys.add(ApiKey.issue({ id: await apiKeys.nextId(), name: 'till', scopes: [], digest: 'd', createdAt: 0 })),
    ),
};

type Heard = (sent: Promise<PostgresqlResult>) => Promise<PostgresqlResult>;

/** A pool whose connections change the results of some statements, once `isOn`. */
function mishearing(matches: RegExp, heard: Heard, isOn: () => boolean): (pool: PostgresqlPool) => PostgresqlPool {
  const on = (client: PostgresqlClient): PostgresqlClient => ({
    query(statement) {
      const sent = client.query(statement);
      const text = typeof statement === 'string' ? statement : statement.text;
      return isOn() && matches.test(text) ? heard(sent) : sent;
    },
    getTransactionStatus: () => client.getTransactionStatus(),
    release: (broken) => client.release(broken),
  });
  return (pool) => ({
    get ending() {
      return pool.ending;
    },
    connect: async () => on(await pool.connect()),
    end: () => pool.end(),
  });
}

const answering = (command: string): PostgresqlResult => ({ command, rows: [], rowCount: 1 });
const notWaitingFor =
  (command: string): Heard =>
  async (sent) => {
    sent.catch(() => undefined);
    return answering(command);
  };
const takingForDone =
  (command: string): Heard =>
  (sent) =>
    sent.then((result) => ({ ...result, command })).catch(() => answering(command));

describe('A statement that fails on PostgreSQL', () => {
  let proxy: StatementProxy;
  let store: PostgresqlStore;
  /** A single connection writes, so that what one unit of work leaves behind is met by the next. */
  async function open(between?: (pool: PostgresqlPool) => PostgresqlPool): Promise<void> {
    store = await openPostgresqlStore({ pool: 1, through: (url) => proxy.through(url), ...(between && { between }) });
    const { categories, pets, stock } = desksOn(store);
    await categories.create({ name: 'Dogs' });
    await pets.createAll(['Rex', 'Bello'].map((name) => ({ name, categoryId: 1 })));
    await stock.count(1, 1_000_000);
  }
  before(async () => {
    proxy = await StatementProxy.before(await postgresServer.addressOf('not-made-yet'));
  });
  afterEach(() => store.dispose());
  after(() => proxy.close());

  const kept = async () => ({
    ...(await pictureOf(store)),
    records: await store.ask('select request_id, response from idempotency_records order by request_id'),
  });

  /** How a unit of work ends; what is not the storage's to name is rejected as it is. */
  function expected(sqlState: string, failing: Failing): 'kept' | 'unavailable' | 'as it is' {
    if (failing === 'after it was done' || DONE_AGAIN.has(sqlState)) return 'kept';
    return UNAVAILABLE.has(sqlState) ? 'unavailable' : 'as it is';
  }

  function nameOf(error: unknown): string {
    if (error instanceof StorageUnavailable || error instanceof RequestInProgress) return 'unavailable';
    return (error as { readonly code?: unknown }).code === undefined ? `${error}` : 'as it is';
  }

  /** Lets one statement of a unit of work fail with each SQLSTATE, and returns all errors. */
  async function tryOut(
    unit: (store: PostgresqlStore) => Promise<unknown>,
    statement: string,
    sqlStates: readonly string[],
    failing: Failing = 'instead',
  ): Promise<string[]> {
    const findings: string[] = [];
    for (const sqlState of sqlStates) {
      const before = await kept();
      const begun = proxy.sent.length;
      proxy.failNext(exactly(statement), sqlState, failing);

      const [settled] = await Promise.allSettled([unit(store)]);

      const sent = proxy.sent.slice(begun);
      const after = await kept();
      const changed = JSON.stringify(after) !== JSON.stringify(before);
      const found = settled.status === 'fulfilled' ? 'kept' : nameOf(settled.reason);
      const is = (what: string) => findings.push(`${sqlState}: ${what}`);
      if (proxy.isWaiting) is('was never sent');
      if (found !== expected(sqlState, failing)) is(`ended as ${found}`);
      if (changed !== (settled.status === 'fulfilled')) is(changed ? 'kept what was refused' : 'lost what was done');
      if (after.events.length > before.events.length + 10) is('kept it twice');
      // A lock may be sent with BEGIN: after a failed one it does nothing. What finds out about a commit reads outside of one.
      const outside = sent.filter(({ text, status }) => status === 'I' && !/^(begin|rollback|select )/.test(text));
      if (outside.length > 0) is(`sent outside of a transaction: ${outside[0]?.text}`);
      const { findings: audited } = await desksOn(store).auditor.audit();
      if (audited.length > 0) is(`the audit found ${JSON.stringify(audited)}`);
      await store.storage.check();
    }
    const [next] = await Promise.allSettled([unit(store)]);
    if (next.status === 'rejected') findings.push(`afterwards: ${next.reason}`);
    return findings;
  }

  /** The statements that a unit of work sends, each once. */
  async function statementsOf(unit: (store: PostgresqlStore) => Promise<unknown>): Promise<string[]> {
    const begun = proxy.sent.length;
    await unit(store);
    // The relay of events is no part of a unit of work.
    const sent = proxy.sent.slice(begun).filter(({ text }) => !text.includes('pg_notify'));
    return [...new Set(sent.map(({ text }) => text))];
  }

  const order = UNITS['an order'] as (store: PostgresqlStore) => Promise<unknown>;
  const LOCK = / for update$/;
  const SENT = /^insert into "orders"/;

  for (const [what, find] of Object.entries({
    BEGIN: (texts: readonly string[]) => texts.find((text) => text.startsWith('begin')),
    'a lock': (texts: readonly string[]) => texts.find((text) => LOCK.test(text)),
    'an insert that is not awaited': (texts: readonly string[]) => texts.find((text) => SENT.test(text)),
    COMMIT: (texts: readonly string[]) => texts.find((text) => text === 'commit'),
  })) {
    it(`leaves the store in its acknowledged state, whatever the SQLSTATE: ${what}`, async () => {
      await open();
      const statement = find(await statementsOf(order)) as string;

      expect(await tryOut(order, statement, ALL)).to.deep.equal([]);
    });
  }

  it('counts as committed if it is a COMMIT that was executed and then reported as an error', async () => {
    await open();
    // PostgreSQL promises of these two that nothing was kept.
    const sqlStates = ALL.filter((sqlState) => !CONFLICTS.has(sqlState));

    expect(await tryOut(order, 'commit', sqlStates, 'after it was done')).to.deep.equal([]);
  });

  for (const [what, unit] of Object.entries(UNITS)) {
    it(`leaves the store in its acknowledged state, whichever statement it is: of ${what}`, async () => {
      await open();
      const statements = await statementsOf(unit);
      expect(statements).to.have.length.above(3);

      for (const statement of statements) {
        expect(await tryOut(unit, statement, SOME), statement).to.deep.equal([]);
      }
    });
  }

  it('because its connection lost its prepared statements leaves the store in its acknowledged state', async () => {
    const without = (pool: PostgresqlPool): PostgresqlPool => ({
      get ending() {
        return pool.ending;
      },
      async connect() {
        const client = await pool.connect();
        await client.query('deallocate all');
        return client;
      },
      end: () => pool.end(),
    });
    await open(without);
    const begun = (await kept()).orders.length;

    const settled = await Promise.allSettled(Array.from({ length: 30 }, () => order(store)));

    const rejected = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    for (const reason of rejected) expect(reason).to.be.instanceOf(StorageUnavailable);
    expect((await kept()).orders).to.have.lengthOf(begun + 30 - rejected.length);
    expect((await desksOn(store).auditor.audit()).findings).to.deep.equal([]);
  });

  describe('is noticed; a storage is caught', () => {
    const MUTANTS: Readonly<
      Record<
        string,
        { readonly matches: RegExp; readonly heard: Heard; readonly finds: RegExp; readonly of?: keyof typeof UNITS }
      >
    > = {
      'that sends BEGIN and does not wait for it': {
        matches: /^begin/,
        heard: notWaitingFor('BEGIN'),
        finds: /outside of a transaction/,
      },
      'that takes a failed BEGIN for one that was done': {
        matches: /^begin/,
        heard: takingForDone('BEGIN'),
        finds: /outside of a transaction/,
      },
      'that takes a failed lock for one that it has': {
        matches: LOCK,
        heard: takingForDone('SELECT'),
        finds: /ended as/,
      },
      'that takes a failed identifier for one': {
        matches: /nextval/,
        heard: takingForDone('SELECT'),
        finds: /ended as/,
      },
      'that does not hear of a failed insert': { matches: SENT, heard: takingForDone('INSERT'), finds: /ended as/ },
      'that does not hear of a failed update': {
        matches: /^update "pets"/,
        heard: takingForDone('UPDATE'),
        finds: /ended as/,
      },
      'that does not hear of a failed entry of the ledger': {
        matches: /^insert into "movements"/,
        heard: takingForDone('INSERT'),
        finds: /ended as/,
      },
      'that does not hear of a failed event': {
        matches: /^insert into "outbox"/,
        heard: takingForDone('INSERT'),
        finds: /ended as/,
      },
      'that does not hear of a failed change of an order': {
        matches: /^update "orders"/,
        heard: takingForDone('UPDATE'),
        finds: /ended as/,
        of: 'changes that need no answer',
      },
      'that does not hear of a failed removal': {
        matches: /^delete from "orders"/,
        heard: takingForDone('DELETE'),
        finds: /ended as/,
        of: 'changes that need no answer',
      },
      'that does not hear of a failed mark': {
        matches: /^insert into "commit_markers"/,
        heard: takingForDone('INSERT'),
        finds: /ended as/,
        of: 'a count',
      },
      'that takes a failed lock of a request for one that it has': {
        matches: /pg_advisory_xact_lock/,
        heard: takingForDone('SELECT'),
        finds: /ended as/,
        of: 'an order under an idempotency key',
      },
      'that takes a COMMIT that rolled back for one that was done': {
        matches: /^commit$/,
        heard: takingForDone('COMMIT'),
        finds: /lost what was done/,
      },
      'that does not wait for COMMIT': {
        matches: /^commit$/,
        heard: notWaitingFor('COMMIT'),
        finds: /lost what was done|ended as/,
      },
    };
    for (const [what, { matches, heard, finds, of = 'an order' }] of Object.entries(MUTANTS)) {
      it(what, async () => {
        let isOn = false;
        await open(mishearing(matches, heard, () => isOn));
        const unit = UNITS[of] as typeof order;
        const statement = (await statementsOf(unit)).find((text) => matches.test(text)) as string;
        isOn = true;

        expect((await tryOut(unit, statement, SOME)).join('\n')).to.match(finds);
      });
    }
  });
});

describe('A statement that is cancelled on PostgreSQL, over HTTP', () => {
  let proxy: StatementProxy;
  before(async () => {
    proxy = await StatementProxy.before(await postgresServer.addressOf('not-made-yet'));
  });
  const store = runningPetstore(() => ({ storage: 'postgresql', through: (url) => proxy.through(url) }));
  after(() => proxy.close());

  for (const [what, statement] of Object.entries({
    BEGIN: /^begin/,
    'a lock': / for update$/,
    'an insert that is not waited for': /^insert into "orders"/,
    'an event, which is sent last': /^insert into "outbox"/,
    COMMIT: /^commit$/,
  })) {
    it(`is 503, and nothing was changed: ${what}`, async () => {
      await store.pet({ stock: 5 });
      proxy.failNext(statement, '57014');

      refused(await store.post('/store/orders', { petId: 1 }), 503, 'unavailable');

      expect(proxy.isWaiting).to.equal(false);
      expect((await store.get('/store/orders')).body).to.deep.equal([]);
      expect((await store.get('/store/inventory/1')).body).to.deep.include({ quantity: 5, status: 'available' });
      expect((await store.post('/store/orders', { petId: 1 })).status).to.equal(201);
    });
  }
});

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
}
