import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { MikroOrmReader } from '../../../src/adapters/mikro-orm/reader.ts';
import type { ReadSession } from '../../../src/adapters/mikro-orm/session.ts';
import { desksOn } from '../../../src/conformance/storage/shop.ts';
import type { OpenStorage } from '../../../src/conformance/storage/storage-under-test.ts';
import { storageSuite } from '../../../src/conformance/storage-suite.ts';
import { ApiKey } from '../../../src/domain/api-key.ts';
import { mayStopServers, postgresServer } from '../../support/postgres-server.ts';
import { openStoreIn, type PostgresqlStore, type PostgresqlStoreSettings } from '../../support/postgresql-store.ts';
import { yieldToEventLoop } from '../../support/promises.ts';
import { ReplicatedPostgres } from '../../support/replicated-postgres.ts';

const PET = /^select "id", "name", "category_id" as "categoryId", "status" from "pets" where "id"/;
const POSITION = /^select lsn/;
const STANDING = /^select pg_is_in_recovery/;

const SLEEP_ON_STANDBY = `select case when pg_is_in_recovery() then cast(pg_sleep(600) as text) else 'the primary' end as who
  from categories`;
const SLEEPERS =
  "from pg_stat_activity where query like '%pg_sleep(600)%from categories' and state = 'active' and pid <> pg_backend_pid()";

/** A reader that can be asked anything. */
class OpenReader extends MikroOrmReader {
  session: ReadSession | undefined;

  override open(session: ReadSession, sure?: ReadSession): void {
    this.session = session;
    super.open(session, sure);
  }
}

let started: Promise<ReplicatedPostgres> | undefined;
const databases: string[] = [];

/** One pair of servers for all of this page. */
function pair(): Promise<ReplicatedPostgres> {
  started ??= ReplicatedPostgres.start('asynchronous');
  return started;
}

after(async () => (await started)?.remove());

/** Makes an empty database on both. */
async function makeDatabase(servers: ReplicatedPostgres): Promise<string> {
  const database = `store_${databases.length}`;
  databases.push(database);
  await postgresServer.ask(servers.urlOf('primary'), `create database ${database}`);
  await servers.catchUp();
  return database;
}

// Another server's replicas cannot be made here, stopped or promoted.
if (mayStopServers) {
  const clean: string[] = [];
  const open: OpenStorage = async () => {
    const servers = await pair();
    const database = clean.pop() ?? (await makeDatabase(servers));
    const url = servers.urlOf('primary', database);
    const all = { replicas: [servers.urlOf('standby', database)], work: 15_000 };
    const store = await openStoreIn(url, all);
    return {
      ...store,
      openAgain: (options) => openStoreIn(url, all, options),
      async dispose() {
        await store.storage.close();
        await postgresServer.takeBack(url, 'for me');
        clean.push(database);
      },
    };
  };

  describe('The MikroORM adapter on PostgreSQL with a replica', () =>
    storageSuite(
      { open, gaps: { unopened: 'The suite without a replica checks it.' } },
      { describe, it, beforeEach, afterEach },
    ));
}

function count(statements: readonly string[], which: RegExp): number {
  return statements.filter((statement) => which.test(statement)).length;
}

function warnings({ log }: PostgresqlStore) {
  return log.lines.filter(({ level }) => level === 'warn');
}

describe('Replicas of PostgreSQL', () => {
  let servers: ReplicatedPostgres;
  let database: string;
  let stores: PostgresqlStore[] = [];

  before(async function () {
    if (!mayStopServers) this.skip();
    servers = await pair();
  });
  beforeEach(async () => {
    database = await makeDatabase(servers);
  });
  afterEach(async () => {
    for (const store of stores.reverse()) await store.dispose();
    stores = [];
  });

  async function open(settings: PostgresqlStoreSettings = {}): Promise<PostgresqlStore> {
    const replicas = [servers.urlOf('standby', database)];
    const store = await openStoreIn(servers.urlOf('primary', database), { replicas, ...settings });
    stores.push(store);
    return store;
  }
  /** A store with one pet, whose replica has it as well. */
  async function openShop(settings: PostgresqlStoreSettings = {}) {
    const store = await open(settings);
    const desks = desksOn(store);
    await desks.categories.create({ name: 'Dogs' });
    await desks.pets.createAll([{ name: 'Rex', categoryId: 1 }]);
    await servers.catchUp();
    await hear();
    return { store, ...desks };
  }
  async function hear() {
    return { primary: await servers.receivedBy('primary'), standby: await servers.receivedBy('standby') };
  }
  function onStandby(sql: string) {
    return postgresServer.ask(servers.urlOf('standby'), sql);
  }
  /** Resolves when the replica is read from: once it was not, it is left alone for a while. */
  async function replicaIsRead({ reader }: PostgresqlStore): Promise<void> {
    do {
      await reader.pet(1);
      await yieldToEventLoop();
    } while (count((await hear()).standby, PET) === 0);
  }

  it('are read from, and the primary is not', async () => {
    const { store } = await openShop();

    for (let time = 0; time < 10; time++) expect(await store.reader.pet(1)).to.have.property('name', 'Rex');

    const { primary, standby } = await hear();
    expect(count(standby, PET)).to.equal(10);
    expect(count(primary, PET)).to.equal(0);
    expect(count(primary, POSITION)).to.equal(10);
    expect(warnings(store)).to.deep.equal([]);
  });

  it('cost one query for all reads that begin together', async () => {
    const { store } = await openShop();

    await Promise.all(Array.from({ length: 8 }, () => store.reader.pet(1)));

    const { primary, standby } = await hear();
    expect(count(standby, PET)).to.equal(8);
    expect([count(primary, POSITION), count(standby, STANDING)]).to.deep.equal([1, 1]);
  });

  it('take turns', async () => {
    const standby = servers.urlOf('standby', database);
    const { store } = await openShop({
      replicas: ['odd', 'even'].map((name) => `${standby}&application_name=${name}`),
    });

    for (let time = 0; time < 4; time++) await store.reader.pet(1);

    const names = await onStandby(
      `select application_name as name from pg_stat_activity where query like 'select "id", "name"%' order by 1`,
    );
    expect(names).to.deep.equal([{ name: 'even' }, { name: 'odd' }]);
  });

  it('cost nothing without replicas', async () => {
    const { store } = await openShop({ replicas: [] });

    await store.reader.pet(1);

    const { primary, standby } = await hear();
    expect(primary)
      .to.have.length(1)
      .and.satisfy((statements: string[]) => count(statements, PET) === 1);
    expect(standby).to.deep.equal([]);
  });

  it('are not used for credentials, the audit, or readiness', async () => {
    const { store, auditor } = await openShop();
    await store.work.write(async ({ apiKeys }) =>
      apiKeys.add(ApiKey.issue({ id: await apiKeys.nextId(), name: 'till', scopes: [], digest: 'd', createdAt: 0 })),
    );

    expect(await store.reader.apiKey(1)).to.have.property('name', 'till');
    expect(await store.reader.apiKeys()).to.have.length(1);
    await auditor.audit();
    await store.storage.check();

    expect((await hear()).standby).to.deep.equal([]);
  });

  it('let a client read its own writes, also while they lag', async () => {
    const { store, pets } = await openShop({ mostBehind: 100 });
    await onStandby('select pg_wal_replay_pause()');
    try {
      for (const name of ['Bello', 'Cora', 'Dino']) {
        await pets.change(1, { name });

        expect(await store.reader.pet(1)).to.have.property('name', name);
      }

      const { primary, standby } = await hear();
      expect(count(primary, PET)).to.equal(3);
      expect(count(standby, PET)).to.equal(0);
      expect(warnings(store)).to.have.length(1);
    } finally {
      await onStandby('select pg_wal_replay_resume()');
    }

    await replicaIsRead(store);
    expect(await store.reader.pet(1)).to.have.property('name', 'Dino');
    expect(store.log.lines.at(-1)).to.include({ level: 'info', message: 'a replica is back in service' });
  });

  it('let a client read on each node what it wrote on another one, repeatedly', async () => {
    const { pets, store } = await openShop();
    const nodes = [{ pets, store }, await open().then((other) => ({ store: other, pets: desksOn(other).pets }))];

    for (let time = 0; time < 200; time++) {
      const [writing, reading] = time % 2 === 0 ? nodes : nodes.toReversed();
      await writing?.pets.change(1, { name: `Rex ${time}` });

      expect(await reading?.store.reader.pet(1)).to.have.property('name', `Rex ${time}`);
    }

    expect(count((await hear()).standby, PET)).to.be.above(0);
  });

  it('let a client read its own writes if commits are acknowledged before they are flushed', async () => {
    const onPrimary = (sql: string) => postgresServer.ask(servers.urlOf('primary'), sql);
    await openShop();
    await onPrimary(`alter database ${database} set synchronous_commit = off`);
    await onPrimary("alter system set wal_writer_delay = '10s'");
    await onPrimary('select pg_reload_conf()');
    try {
      const store = await open();
      const { pets } = desksOn(store);

      for (let time = 0; time < 10; time++) {
        await pets.change(1, { name: `Rex ${time}` });

        expect(await store.reader.pet(1)).to.have.property('name', `Rex ${time}`);
      }
    } finally {
      await onPrimary('alter system reset wal_writer_delay');
      await onPrimary('select pg_reload_conf()');
    }
  });

  it('are skipped while they are unavailable, and used again afterwards', async () => {
    const { store } = await openShop();
    await store.reader.pet(1);
    await servers.loseStandby();
    try {
      for (let time = 0; time < 5; time++) expect(await store.reader.pet(1)).to.have.property('name', 'Rex');

      expect(warnings(store)).to.have.length(1);
      expect(count(await servers.receivedBy('primary'), PET)).to.equal(5);
    } finally {
      await servers.restartStandby();
    }

    await replicaIsRead(store);
  });

  it('are read from while another one is silent', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      const { port } = silent.address() as AddressInfo;
      const replicas = [`postgresql://me@127.0.0.1:${port}/pets`, servers.urlOf('standby', database)];
      const { store } = await openShop({ replicas });

      // The silent one is asked again when it has rested for a second.
      for (const until = performance.now() + 1_500; performance.now() < until; ) await store.reader.pet(1);

      expect(count(await servers.receivedBy('primary'), PET)).to.equal(0);
      expect(new Set(warnings(store).map(({ fields }) => fields['replica']))).to.deep.equal(
        new Set([`"pets" on 127.0.0.1:${port}`]),
      );
    } finally {
      silent.close();
    }
  });

  it('may be unavailable at the start, which is logged in one line without the password', async () => {
    const away = 'postgresql://me:top-secret@127.0.0.1:1/pets';

    const { store } = await openShop({ replicas: [away] });

    expect(await store.reader.pet(1)).to.have.property('name', 'Rex');
    expect(warnings(store).map(({ fields }) => fields)).to.deep.equal([
      { replica: '"pets" on 127.0.0.1:1', because: 'it cannot be queried (ECONNREFUSED)' },
    ]);
    expect(JSON.stringify(store.log.lines)).to.not.include('secret');
  });

  const INTERRUPTIONS: Record<string, () => Promise<unknown>> = {
    'are told to give up': () => onStandby(`select pg_cancel_backend(pid) ${SLEEPERS}`),
    'lose the connection of': () => onStandby(`select pg_terminate_backend(pid) ${SLEEPERS}`),
    'cannot replay a change because of': () =>
      postgresServer.ask(servers.urlOf('primary', database), 'begin; lock table categories; commit'),
    'take too long for': () => Promise.resolve(),
  };
  for (const [what, interrupt] of Object.entries(INTERRUPTIONS)) {
    it(`hand over to the primary what they ${what}`, async () => {
      const reader = new OpenReader();
      await openShop({ reader });

      const answer = reader.session?.rows<{ who: string }>({ sql: SLEEP_ON_STANDBY, values: [] });
      while ((await onStandby(`select pid ${SLEEPERS}`)).length === 0) await yieldToEventLoop();
      await interrupt();

      expect(await answer).to.deep.equal([{ who: 'the primary' }]);
    });
  }

  it('are ignored if they are not standbys, or have another database', async () => {
    const { store: primaryTwice } = await openShop({ replicas: [servers.urlOf('primary', database)] });
    await primaryTwice.reader.pet(1);
    const store = await open({ replicas: [servers.urlOf('standby')] });

    expect(await store.reader.pet(1)).to.have.property('name', 'Rex');

    expect(warnings(primaryTwice)[0]?.fields).to.have.property('because', 'it is not a standby');
    expect(warnings(store)[0]?.fields).to.have.property('because', 'it does not follow the primary (yet)');
  });

  // The last one here: the standby is none any more after that.
  it('are ignored after they were promoted', async () => {
    const { store, pets } = await openShop();
    await servers.promoteStandby();

    expect(await store.reader.pet(1)).to.have.property('name', 'Rex');
    await pets.change(1, { name: 'Bello' });
    expect(await store.reader.pet(1)).to.have.property('name', 'Bello');

    const { primary, standby } = await hear();
    expect([count(primary, PET), count(standby, PET)]).to.deep.equal([2, 0]);
    expect(warnings(store)[0]?.fields).to.have.property('because', 'it is not a standby');
  });
});

describe('After the primary was lost, a replica', () => {
  let servers: ReplicatedPostgres;
  let stores: PostgresqlStore[];

  /** A store with one pet on two servers, whose primary goes on without the other one. */
  beforeEach(async function () {
    if (!mayStopServers) this.skip();
    servers = await ReplicatedPostgres.start('asynchronous');
    stores = [await openStoreIn(servers.urlOf('primary'))];
    const { categories, pets } = shop();
    await categories.create({ name: 'Dogs' });
    await pets.createAll([{ name: 'Rex', categoryId: 1 }]);
    await servers.catchUp();
  });
  afterEach(async () => {
    if (!mayStopServers) return;
    for (const store of stores.reverse()) await store.dispose();
    await servers.remove();
  });

  const shop = () => desksOn(stores[0] as PostgresqlStore);

  async function openOnNewPrimary(): Promise<PostgresqlStore> {
    const store = await openStoreIn(servers.urlOf('standby'), { replicas: [servers.urlOf('primary')] });
    stores.push(store);
    return store;
  }

  it('is ignored if its timeline diverged from that of the new primary', async () => {
    await servers.loseStandby();
    await shop().pets.change(1, { name: 'Nobody will ever know' });
    await postgresServer.ask(servers.urlOf('primary'), 'select pg_switch_wal()');
    await servers.losePrimary();
    await servers.restartStandby();
    await servers.promoteStandby();
    await servers.restartPrimaryAsStandby('lost');

    const store = await openOnNewPrimary();

    expect(await store.reader.pet(1)).to.have.property('name', 'Rex');
    expect(warnings(store)[0]?.fields).to.have.property('because', 'it does not follow the primary (yet)');
  });

  it('is read from when it follows the new primary', async () => {
    await servers.stopPrimary();
    await servers.promoteStandby();
    await servers.restartPrimaryAsStandby('following');

    const store = await openOnNewPrimary();
    await desksOn(store).pets.change(1, { name: 'Bello' });

    do {
      expect(await store.reader.pet(1)).to.have.property('name', 'Bello');
    } while (count(await servers.receivedBy('primary'), PET) === 0);
  });
});
