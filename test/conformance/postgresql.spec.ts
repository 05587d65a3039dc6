import { PostgresqlStorage } from '../../src/adapters/mikro-orm/postgresql/storage.ts';
import type { Isolation } from '../../src/adapters/mikro-orm/postgresql/transaction.ts';
import { PostgresqlUnitOfWork } from '../../src/adapters/mikro-orm/postgresql/unit-of-work.ts';
import { MikroOrmReader } from '../../src/adapters/mikro-orm/reader.ts';
import type { OpenStorage, UnopenedStorage } from '../../src/conformance/storage/storage-under-test.ts';
import { storageSuite } from '../../src/conformance/storage-suite.ts';
import { postgresServer } from '../support/postgres-server.ts';
import { openWarmStore } from '../support/postgresql-store.ts';
import { RecordingLog } from '../support/recording-log.ts';

async function unopened(content: 'nothing' | 'something foreign'): Promise<UnopenedStorage> {
  const url = await postgresServer.makeDatabase();
  if (content === 'something foreign') await postgresServer.ask(url, 'create table letters (text text)');
  const log = new RecordingLog();
  const work = new PostgresqlUnitOfWork({ isolation: 'read committed', commitTimeout: 15_000 }, log);
  const storage = new PostgresqlStorage({ url, pool: 2, work: 15_000 }, work, new MikroOrmReader(), log);
  const tables = "select table_name as name from information_schema.tables where table_schema = 'public' order by 1";
  return {
    storage,
    content: () => postgresServer.ask(url, tables),
    async dispose() {
      await storage.close();
      await postgresServer.drop(url);
    },
  };
}

for (const isolation of ['read committed', 'serializable'] as const satisfies Isolation[]) {
  const open: OpenStorage = () => openWarmStore(isolation);

  describe(`The MikroORM adapter on PostgreSQL (${isolation})`, () =>
    storageSuite({ open, unopened }, { describe, it, beforeEach, afterEach }));
}
