import { join } from 'node:path';
import { MikroORM } from '@mikro-orm/sqlite';
import Database from 'better-sqlite3';
import { MikroOrmReader } from '../../src/adapters/mikro-orm/reader.ts';
import { SqliteEventLog } from '../../src/adapters/mikro-orm/sqlite/event-log.ts';
import { PreparedStatements, type SqliteDatabase } from '../../src/adapters/mikro-orm/sqlite/sqlite-database.ts';
import { SQLITE } from '../../src/adapters/mikro-orm/sqlite/sqlite-sessions.ts';
import { connectionTo, type SqliteSettings, SqliteStorage } from '../../src/adapters/mikro-orm/sqlite/storage.ts';
import { SqliteUnitOfWork } from '../../src/adapters/mikro-orm/sqlite/unit-of-work.ts';
import { CompiledStatements } from '../../src/adapters/mikro-orm/statement.ts';
import type { StorageUnderTest } from '../conformance/storage/storage-under-test.ts';
import { removeFolder, temporaryFolder } from './temporary.ts';

/** A store in a SQLite file, and a second connection to the file, like that of another program. */
export interface SqliteStore extends StorageUnderTest {
  readonly file: string;
  readonly other: InstanceType<typeof Database>;
}

interface SqliteStoreSettings {
  /** How long to wait for another program that holds the lock, in milliseconds. */
  readonly busy?: number;
  readonly synchronous?: SqliteSettings['synchronous'];
}

/** The statements of the adapter, prepared on a connection of the test. */
export function statementsOn(database: SqliteDatabase): PreparedStatements {
  const { em } = new MikroORM(connectionTo(':memory:'));
  const compiled = CompiledStatements.forSqlite(em.getKysely({ columnNamingStrategy: 'property' }), SQLITE);
  return new PreparedStatements(database, compiled);
}

/** Opens a store in a new file. */
export async function openSqliteStore({
  busy = 5_000,
  synchronous = 'normal',
}: SqliteStoreSettings = {}): Promise<SqliteStore> {
  const folder = await temporaryFolder();
  const file = join(folder, 'petstore.db');
  const unitOfWork = new SqliteUnitOfWork(busy);
  const reader = new MikroOrmReader();
  const eventLog = new SqliteEventLog();
  const storage = new SqliteStorage({ file, synchronous }, unitOfWork, reader, eventLog);
  await storage.open();
  const other = new Database(file);
  other.pragma('foreign_keys = on');
  return {
    file,
    other,
    work: unitOfWork,
    reader,
    eventLog,
    storage,
    async dispose() {
      other.close();
      await storage.close();
      await removeFolder(folder);
    },
  };
}

/** Every row of every table, as another program sees it. */
export function dumpOf(database: SqliteDatabase): Record<string, unknown[]> {
  const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all() as {
    name: string;
  }[];
  return Object.fromEntries(
    tables.map(({ name }) => [name, database.prepare(`select * from ${name} order by rowid`).all()]),
  );
}
