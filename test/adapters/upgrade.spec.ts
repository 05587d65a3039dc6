import { join } from 'node:path';
import { MikroORM as PostgresqlOrm } from '@mikro-orm/postgresql';
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { connectionTo as toDatabase } from '../../src/adapters/mikro-orm/postgresql/connections.ts';
import { migrations as onPostgresql } from '../../src/adapters/mikro-orm/postgresql/migrations.ts';
import { MikroOrmReader } from '../../src/adapters/mikro-orm/reader.ts';
import { SqliteEventLog } from '../../src/adapters/mikro-orm/sqlite/event-log.ts';
import { migrations as onSqlite } from '../../src/adapters/mikro-orm/sqlite/migrations.ts';
import { SqliteStorage, connectionTo as toFile } from '../../src/adapters/mikro-orm/sqlite/storage.ts';
import { SqliteUnitOfWork } from '../../src/adapters/mikro-orm/sqlite/unit-of-work.ts';
import { desksOn } from '../../src/conformance/storage/shop.ts';
import type { OpenedStorage } from '../../src/conformance/storage/storage-under-test.ts';
import { postgresServer } from '../support/postgres-server.ts';
import { openStoreIn } from '../support/postgresql-store.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

/** What a store had before there were indexes for every list and figures for the summary. */
const CONTENT = `
  insert into categories (id, name, name_key) values (1, 'Fish', 'FISH');
  insert into pets (id, name, name_key, category_id, quantity, reserved, held, status) values
    (1, 'Guppy', 'GUPPY', 1, 5, 2, 0, 'available'), (2, 'Betta', 'BETTA', 1, 1, 0, 1, 'pending'),
    (3, 'Molly', 'MOLLY', 1, 0, 0, 0, 'sold'), (4, 'Tetra', 'TETRA', 1, 3, 0, 0, 'available');
  insert into orders (id, pet_id, quantity, ship_date, complete) values
    (1, 1, 2, null, 0), (2, 4, 1, 2000, 1), (3, 1, 1, 1000, 1);
  insert into movements (pet_id, kind, quantity, reserved, order_id, at) values
    (1, 'opened', 5, 0, null, 0), (1, 'reserved', 0, 2, 1, 0), (2, 'opened', 1, 0, null, 0), (4, 'opened', 3, 0, null, 0);
`;

interface Older {
  /** The migrations that ran before. */
  readonly known: number;
  open(known: number): Promise<OpenedStorage>;
}

const DATABASES: Readonly<Record<string, Older>> = {
  SQLite: {
    known: onSqlite.findIndex(({ name }) => name === '2026-11-22-index-every-list'),
    async open(known) {
      const folder = await temporaryFolder();
      const file = join(folder, 'petstore.db');
      const settings = toFile(file);
      const older = onSqlite.slice(0, known);
      const orm = await SqliteOrm.init({ ...settings, migrations: { ...settings.migrations, migrationsList: older } });
      await orm.migrator.up();
      await orm.close(true);
      const database = new Database(file);
      database.exec(CONTENT);
      database.close();

      const [work, reader] = [new SqliteUnitOfWork(), new MikroOrmReader()];
      const eventLog = new SqliteEventLog();
      const storage = new SqliteStorage({ file, synchronous: 'normal' }, work, reader, eventLog);
      await storage.open();
      const dispose = async () => {
        await storage.close();
        await removeFolder(folder);
      };
      return { work, reader, eventLog, storage, dispose };
    },
  },
  PostgreSQL: {
    known: onPostgresql.findIndex(({ name }) => name.startsWith('2026-11-22-index-every-list')),
    async open(known) {
      const url = await postgresServer.makeDatabase();
      const settings = toDatabase({ url, pool: 1, work: 15_000 });
      const older = onPostgresql.slice(0, known);
      const orm = await PostgresqlOrm.init({
        ...settings,
        migrations: { ...settings.migrations, migrationsList: older },
      });
      await orm.migrator.up();
      await orm.close(true);
      await postgresServer.ask(url, CONTENT);
      return openStoreIn(url);
    },
  },
};

for (const [name, { known, open }] of Object.entries(DATABASES)) {
  describe(`A store on ${name} without indexes for every list`, () => {
    let store: OpenedStorage;
    before(async () => {
      expect(known).to.be.above(0);
      store = await open(known);
    });
    after(() => store.dispose());

    it('has its rows in every list after it was opened', async () => {
      const { reader } = store;
      const orders = async (filter: object, by: 'id' | 'shipDate') =>
        (await reader.orders(filter, { sort: { by }, limit: 9 })).rows.map(({ id }) => id);

      expect(await orders({}, 'shipDate')).to.deep.equal([3, 2, 1]);
      expect(await orders({ petId: 1 }, 'shipDate')).to.deep.equal([3, 1]);
      expect(await orders({ petId: 1, complete: false }, 'id')).to.deep.equal([1]);
      expect(await orders({ complete: true, shipDateFrom: 1500 }, 'id')).to.deep.equal([2]);
      const pets = await reader.pets({ status: ['available'] }, { sort: { by: 'name', descending: true }, limit: 9 });
      expect(pets.rows.map(({ id }) => id)).to.deep.equal([4, 1]);
    });

    it('has the figures of its summary after it was opened, and maintains them', async () => {
      const { stock, auditor } = desksOn(store);
      expect(await store.reader.summary()).to.deep.equal({
        available: { pets: 2, units: 8 },
        pending: { pets: 1, units: 1 },
        sold: { pets: 1, units: 0 },
      });
      expect(await auditor.audit()).to.deep.equal({ pets: 4, findings: [] });

      await stock.count(3, 7);

      expect((await store.reader.summary()).available).to.deep.equal({ pets: 3, units: 15 });
      expect(await auditor.audit()).to.deep.equal({ pets: 4, findings: [] });
    });
  });
}
