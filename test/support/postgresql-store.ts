import { PostgresqlStorage } from '../../src/adapters/mikro-orm/postgresql/storage.ts';
import { type Isolation, PostgresqlUnitOfWork } from '../../src/adapters/mikro-orm/postgresql/unit-of-work.ts';
import { MikroOrmReader } from '../../src/adapters/mikro-orm/reader.ts';
import type { OpenedStorage } from '../../src/conformance/storage/storage-under-test.ts';
import { postgresServer } from './postgres-server.ts';
import { RecordingLog } from './recording-log.ts';

/** A store in a PostgreSQL database, and a way past it into the database. */
export interface PostgresqlStore extends OpenedStorage {
  readonly url: string;
  readonly work: PostgresqlUnitOfWork;
  readonly storage: PostgresqlStorage;
  readonly log: RecordingLog;
  ask<Row extends Record<string, unknown>>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface PostgresqlStoreSettings {
  readonly isolation?: Isolation;
  readonly work?: number;
  readonly pool?: number;
  /** Where the database is reached, if not directly. */
  readonly through?: (url: string) => string;
}

/** Opens a store in a database of its own. */
export async function openPostgresqlStore(settings: PostgresqlStoreSettings = {}): Promise<PostgresqlStore> {
  const url = await postgresServer.makeStore();
  const store = await openStoreIn(url, settings);
  return {
    ...store,
    openAgain: () => openStoreIn(url, settings),
    async dispose() {
      await store.storage.close();
      await postgresServer.takeBack(url);
    },
  };
}

/** Opens what is kept in a database, as one of several nodes does. */
export async function openStoreIn(
  url: string,
  {
    isolation = 'read committed',
    work = 15_000,
    pool = 10,
    through = (address) => address,
  }: PostgresqlStoreSettings = {},
): Promise<PostgresqlStore> {
  const log = new RecordingLog();
  const unitOfWork = new PostgresqlUnitOfWork({ isolation, work }, log);
  const reader = new MikroOrmReader();
  const storage = new PostgresqlStorage({ url: through(url), pool, work }, unitOfWork, reader);
  await storage.open();
  const ask: PostgresqlStore['ask'] = (sql, values) => postgresServer.ask(url, sql, values);
  return {
    url,
    log,
    work: unitOfWork,
    reader,
    storage,
    ask,
    workLimit: work,
    events: async () =>
      (await ask<{ position: string; type: string }>('select position, type from events order by position')).map(
        ({ position, type }) => ({ position: Number(position), type }),
      ),
    dispose: () => storage.close(),
  };
}
