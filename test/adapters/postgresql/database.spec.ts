import { Migration } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { expect } from 'chai';
import { connectionTo } from '../../../src/adapters/mikro-orm/postgresql/connections.ts';
import { migrations } from '../../../src/adapters/mikro-orm/postgresql/migrations.ts';
import type { PostgresqlClient } from '../../../src/adapters/mikro-orm/postgresql/postgresql-pool.ts';
import { PostgresqlStorage } from '../../../src/adapters/mikro-orm/postgresql/storage.ts';
import { PostgresqlUnitOfWork } from '../../../src/adapters/mikro-orm/postgresql/unit-of-work.ts';
import { MikroOrmReader } from '../../../src/adapters/mikro-orm/reader.ts';
import { StorageRefused } from '../../../src/application/ports/storage.ts';
import { desksOn } from '../../../src/conformance/storage/shop.ts';
import { FakePooler, type PoolerHabit } from '../../support/fake-pooler.ts';
import { postgresServer } from '../../support/postgres-server.ts';
import { openPostgresqlStore, openStoreIn, type PostgresqlStore } from '../../support/postgresql-store.ts';
import { failureOf } from '../../support/promises.ts';
import { RecordingLog } from '../../support/recording-log.ts';

const TIMEOUTS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

/** Is only ever due. */
class NeverRun extends Migration {
  override up(): void {
    expect.fail('It was run.');
  }
}

function storageOn(url: string): PostgresqlStorage {
  const log = new RecordingLog();
  const work = new PostgresqlUnitOfWork({ isolation: 'read committed', commitTimeout: 5_000 }, log);
  return new PostgresqlStorage({ url, pool: 2, work: 5_000 }, work, new MikroOrmReader(), log);
}

/** The refusal is one line that says where, why, and what to do, and no secret. */
function expectRefusal(refusal: unknown, says: RegExp): void {
  expect(refusal).to.be.instanceOf(StorageRefused).with.property('message').that.matches(says);
  const { message } = refusal as StorageRefused;
  expect(message).to.match(/^The (database|server of) .*\.$/);
  expect(message).not.to.match(/[\r\n]|top-secret/);
}

describe('A database of PostgreSQL', () => {
  const made: string[] = [];
  async function database(...statements: readonly string[]): Promise<string> {
    const url = await postgresServer.makeDatabase();
    made.push(url);
    for (const sql of statements) await postgresServer.ask(url, sql);
    return url;
  }
  const tablesIn = (url: string) =>
    postgresServer.ask(
      url,
      "select table_name from information_schema.tables where table_schema = 'public' order by 1",
    );
  afterEach(async () => {
    for (const url of made.splice(0)) await postgresServer.drop(url);
  });

  it('that is empty becomes a store, and opens as the same store again', async () => {
    const url = await database();
    expect(await storageOn(url).isThere()).to.equal(false);
    expect(await tablesIn(url)).to.deep.equal([]);

    const first = await openStoreIn(url);
    await desksOn(first).categories.create({ name: 'Dogs' });
    await first.dispose();
    const second = await openStoreIn(url);

    expect(await second.reader.category(1)).to.deep.equal({ id: 1, name: 'Dogs' });
    await second.dispose();
    expect(await storageOn(url).isThere()).to.equal(true);
  });

  it('is refused unchanged if it must not migrate and needs a migration, or is empty', async () => {
    const url = await database();
    expectRefusal(await failureOf(storageOn(url).open({ migrate: false })), /is empty; there is no store in it/);
    expect(await tablesIn(url)).to.deep.equal([]);

    await (await openStoreIn(url)).dispose();
    const next = { name: '2099-01-01-move-out', class: NeverRun };
    migrations.push(next);
    try {
      expectRefusal(await failureOf(storageOn(url).open({ migrate: false })), /older version .* start the service/);
      expect(await postgresServer.ask(url, 'select 1 from mikro_orm_migrations')).to.have.lengthOf(
        migrations.length - 1,
      );
    } finally {
      migrations.splice(migrations.indexOf(next), 1);
    }
    const current = storageOn(url);
    await current.open({ migrate: false });
    await current.close();
  });

  it('that contains only extensions counts as empty, and their views stay in a store', async () => {
    const url = await database('create extension pg_stat_statements', 'create extension pg_buffercache');
    expect(await tablesIn(url)).to.have.length.above(1);
    expect(await storageOn(url).isThere()).to.equal(false);

    const first = await openStoreIn(url);
    await desksOn(first).categories.create({ name: 'Dogs' });
    await first.dispose();
    const second = await openStoreIn(url);

    expect(await second.reader.category(1)).to.deep.equal({ id: 1, name: 'Dogs' });
    await second.dispose();
    expect(await storageOn(url).isThere()).to.equal(true);
  });

  it('becomes one store, however many nodes open it at once', async () => {
    const url = await database();

    const nodes = await Promise.all(Array.from({ length: 5 }, () => openStoreIn(url)));

    const names = nodes.map((node, i) => desksOn(node).categories.create({ name: `Shelf ${i}` }));
    expect((await Promise.all(names)).map(({ id }) => id).sort()).to.deep.equal([1, 2, 3, 4, 5]);
    expect(await postgresServer.ask(url, 'select 1 from mikro_orm_migrations')).to.have.lengthOf(migrations.length);
    for (const node of nodes) await node.dispose();
  });

  for (const [what, { statements, says }] of Object.entries({
    'of another program': {
      statements: ['create table bookmarks (url text)'],
      says: /belongs to another program; set DATABASE_URL/,
    },
    'of another program that uses an extension': {
      statements: ['create extension pg_stat_statements', 'create view bookmarks as select 1 as url'],
      says: /belongs to another program; set DATABASE_URL/,
    },
    'of another program that migrates with the same tool': {
      statements: ['create table mikro_orm_migrations (id serial, name text)', 'create table pets (id int)'],
      says: /belongs to another program; set DATABASE_URL/,
    },
  })) {
    it(`${what} is refused, and not changed`, async () => {
      const url = await database(...statements);
      const before = await tablesIn(url);

      expectRefusal(await failureOf(storageOn(url).open()), says);
      expectRefusal(await failureOf(storageOn(url).isThere()), says);

      expect(await tablesIn(url)).to.deep.equal(before);
    });
  }

  it('of a newer version is refused', async () => {
    const url = await database();
    await (await openStoreIn(url)).dispose();
    await postgresServer.ask(url, "insert into mikro_orm_migrations (name) values ('2099-01-01-move-out')");

    expectRefusal(await failureOf(storageOn(url).open()), /written by a newer version .* 2099-01-01-move-out/);
  });

  it('that keeps text in another encoding is refused', async () => {
    const name = `petstore_test_${process.pid}_ascii`;
    const maker = await database();
    const [{ version } = { version: 0 }] = await postgresServer.ask<{ version: number }>(
      maker,
      "select current_setting('server_version_num')::int as version",
    );
    // PostgreSQL 14 has one provider of locales, and no word for it.
    const provider = version < 150_000 ? '' : 'locale_provider libc';
    await postgresServer.ask(
      maker,
      `create database ${name} encoding 'SQL_ASCII' locale 'C' ${provider} template template0`,
    );
    const url = await postgresServer.addressOf(name);
    made.push(url);

    expectRefusal(await failureOf(storageOn(url).open()), /SQL_ASCII; set DATABASE_URL/);
  });

  it('that does not exist is refused', async () => {
    const url = await postgresServer.addressOf('petstore_test_nowhere');

    expectRefusal(await failureOf(storageOn(url).open()), /"petstore_test_nowhere" on .* does not exist; create it/);
  });

  it('in which its user may not create tables is refused', async () => {
    const url = await database('create role petstore_guest login', 'revoke create on schema public from public');
    const address = new URL(url);
    address.username = 'petstore_guest';

    try {
      expectRefusal(await failureOf(storageOn(address.href).open()), /does not allow its user to create tables/);
    } finally {
      await postgresServer.ask(url, 'drop role petstore_guest');
    }
  });

  for (const [where, [address, says]] of Object.entries({
    'a port without a server': ['postgresql://me:top-secret@127.0.0.1:1/pets', /cannot be reached \(ECONNREFUSED\)/],
    'a socket that is not there': ['postgresql://me:top-secret@localhost/pets?host=/nowhere', /on \/nowhere .*ENOENT/],
  } satisfies Record<string, [string, RegExp]>)) {
    it(`at ${where} is refused, without a word about the password`, async () => {
      expectRefusal(await failureOf(storageOn(address).open()), says);
    });
  }

  for (const [habit, says] of Object.entries({
    'forgets prepared statements': /is behind a pooler that does not keep prepared statements; use its session mode, /,
    'refuses start-up parameters':
      /refuses start-up parameters; set its ignore_startup_parameters to "statement_timeout, lock_timeout, idle_/,
  }) as [PoolerHabit, RegExp][]) {
    it(`behind a pooler that ${habit} is refused, and not changed`, async () => {
      const url = await database();
      const pooler = await FakePooler.before(url, habit);

      try {
        expectRefusal(await failureOf(storageOn(pooler.address).open()), says);
      } finally {
        await pooler.close();
      }

      expect(await tablesIn(url)).to.deep.equal([]);
    });
  }

  it('behind a pooler that ignores start-up parameters has the limits in every unit of work', async () => {
    const url = await database();
    const pooler = await FakePooler.before(url, 'ignores start-up parameters');
    const shown: unknown[] = [];
    const show = async (client: PostgresqlClient) =>
      shown.push(...TIMEOUTS.map(async (name) => (await client.query(`show ${name}`)).rows));
    const looking = (client: PostgresqlClient): PostgresqlClient => ({
      query(statement) {
        const sent = client.query(statement);
        if (typeof statement === 'string' && statement.startsWith('begin')) void show(client);
        return sent;
      },
      getTransactionStatus: () => client.getTransactionStatus(),
      release: (broken) => client.release(broken),
    });

    try {
      const store = await openStoreIn(url, {
        through: () => pooler.address,
        between: (pool) => ({
          get ending() {
            return pool.ending;
          },
          async connect() {
            const client = await pool.connect();
            await show(client);
            return looking(client);
          },
          end: () => pool.end(),
        }),
      });
      await desksOn(store).categories.create({ name: 'Dogs' });
      await store.dispose();
    } finally {
      await pooler.close();
    }

    const values = (await Promise.all(shown)).map((rows) => Object.values((rows as [object])[0])[0]);
    expect(values).to.deep.equal(['0', '0', '0', '15s', '5s', '15s']);
  });

  describe('that is a store', () => {
    let store: PostgresqlStore;
    beforeEach(async () => {
      store = await openPostgresqlStore();
      const { categories, pets, orders } = desksOn(store);
      await categories.create({ name: 'Dogs' });
      await pets.create({ name: 'Rex', categoryId: 1 });
      await orders.place({ petId: 1, quantity: 1 });
    });
    afterEach(() => store.dispose());

    it('has the tables that their definitions say', async () => {
      const orm = await MikroORM.init(connectionTo({ url: store.url, pool: 1, work: 5_000 }));
      try {
        expect(await orm.schema.getUpdateSchemaSQL()).to.equal('');
        expect(await orm.migrator.checkSchema()).to.equal(false);
        expect(await orm.migrator.getPending()).to.deep.equal([]);
        await store.ask('alter index pets_by_name rename to pets_by_nothing');
        expect(await orm.schema.getUpdateSchemaSQL()).to.include('pets_by_name');
      } finally {
        await store.ask('alter index if exists pets_by_nothing rename to pets_by_name');
        await orm.close(true);
      }
    });

    for (const [what, [sql, constraint]] of Object.entries({
      'a category without a name': ["update categories set name = ''", 'categories_name_check'],
      'a category with the name of another': ["insert into categories values (2, 'x', 'DOGS')", 'categories_name_key'],
      'a category that goes while a pet is in it': ['delete from categories', 'pets_category_id_foreign'],
      'a pet of a category that is not there': ['update pets set category_id = 9', 'pets_category_id_foreign'],
      'more promised than there is': ['update pets set reserved = 2', 'pets_reserved_check'],
      'fewer units than none': ['update pets set quantity = -1, reserved = -1', 'pets_quantity_check'],
      'a status that the stock does not mean': ["update pets set status = 'sold'", 'pets_status_check'],
      'a hold that is neither on nor off': ["update pets set held = 2, status = 'pending'", 'pets_held_check'],
      'a pet that goes while an order names it': ['delete from pets', 'orders_pet_id_foreign'],
      'an order for nothing': ['update orders set quantity = 0', 'orders_quantity_check'],
      'an order that is half complete': ['update orders set complete = 2', 'orders_complete_check'],
      'a movement of no kind': ["update movements set kind = 'lost'", 'movements_kind_check'],
      'a movement of a pet that is not there': ['update movements set pet_id = 9', 'movements_pet_id_foreign'],
    } satisfies Record<string, [string, string]>)) {
      it(`refuses ${what}, as the last line`, async () => {
        expect(await failureOf(store.ask(sql))).to.have.property('constraint', constraint);
      });
    }

    it('reads lists along an index, without sorting more than a page', async () => {
      await store.ask(`insert into pets (id, name, name_key, category_id, quantity, reserved, held, status)
        select i, 'Pet ' || i, 'PET ' || i, 1, 1, 0, 0, 'available' from generate_series(10, 20000) i`);
      await store.ask('analyze pets');
      const planOf = async (sql: string) =>
        (await store.ask<{ 'QUERY PLAN': string }>(`explain ${sql}`)).map((row) => row['QUERY PLAN']).join('\n');

      for (const sql of [
        'select id from pets where id > 500 order by id limit 21',
        "select id from pets where name_key > 'PET 5' order by name_key, id limit 21",
        "select id from pets where status = 'available' and id < 500 order by id desc limit 21",
        'select id from pets where category_id = 1 and id > 500 order by id limit 21',
        'select id from pets where quantity = 1 and id > 500 order by id limit 21',
        'select id from pets where id = any(array[1,2,3]::bigint[])',
      ]) {
        expect(await planOf(sql))
          .to.include('Index')
          .and.not.to.match(/Seq Scan|Sort/);
      }
    });
  });
});
