import { type EventConnections, PostgresqlEventLog } from '../../src/adapters/mikro-orm/postgresql/event-log.ts';
import type { PostgresqlDatabase, PostgresqlPool } from '../../src/adapters/mikro-orm/postgresql/postgresql-pool.ts';
import { PostgresqlStorage } from '../../src/adapters/mikro-orm/postgresql/storage.ts';
import type { Isolation } from '../../src/adapters/mikro-orm/postgresql/transaction.ts';
import { PostgresqlUnitOfWork } from '../../src/adapters/mikro-orm/postgresql/unit-of-work.ts';
import { MikroOrmReader } from '../../src/adapters/mikro-orm/reader.ts';
import type { ReadSession } from '../../src/adapters/mikro-orm/session.ts';
import type { OpenOptions, Storage } from '../../src/application/ports/storage.ts';
import type { OpenedStorage } from '../../src/conformance/storage/storage-under-test.ts';
import { type PostgresServer, postgresServer } from './postgres-server.ts';
import { RecordingLog } from './recording-log.ts';
import { atEndOfRun } from './run-fixtures.ts';

/** A store in a PostgreSQL database, and direct access to the database. */
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
  /** Addresses of standbys to read from. */
  readonly replicas?: readonly string[];
  /** How long reads wait for them, in milliseconds. */
  readonly mostBehind?: number;
  readonly reader?: MikroOrmReader;
  /** The server of its database; by default that of the run, which a test must not stop. */
  readonly server?: PostgresServer;
  /** The address of the database, if not the direct one. */
  readonly through?: (url: string) => string;
  /** Replaces the pool for units of work. */
  readonly between?: (pool: PostgresqlPool) => PostgresqlPool;
}

/** Opens a store in a new database. */
export async function openPostgresqlStore(settings: PostgresqlStoreSettings = {}): Promise<PostgresqlStore> {
  const { server = postgresServer } = settings;
  const url = await server.makeStore();
  const store = await openStoreIn(url, settings);
  return {
    ...store,
    openAgain: (options) => openStoreIn(url, settings, options),
    async dispose() {
      await store.storage.close();
      await server.takeBack(url);
    },
  };
}

/** Stores with connected pools, by isolation level. */
const warm = new Map<Isolation, Warm[]>();

interface Warm {
  readonly url: string;
  readonly storage: PostgresqlStorage;
  readonly pools: { readonly write: PostgresqlDatabase; readonly read: ReadSession; readonly events: EventConnections };
}

/**
 * Opens a store on connections that are there already, if a test before has left some: hundreds of tests need one each. All
 * that a storage remembers is new, and its data is gone.
 */
export async function openWarmStore(isolation: Isolation): Promise<OpenedStorage> {
  const found = warm.get(isolation)?.pop() ?? (await warmUp(isolation));
  const { url, storage, pools } = found;
  const work = new PostgresqlUnitOfWork({ isolation, commitTimeout: 15_000 }, new RecordingLog());
  const reader = new MikroOrmReader();
  const eventLog = new PostgresqlEventLog(new RecordingLog());
  work.open(pools.write, () => eventLog.committed());
  reader.open(pools.read);
  eventLog.open(pools.events);
  let closing: Promise<void> | undefined;
  const whole: Storage = {
    open: (options) => storage.open(options),
    check: () => storage.check(),
    close: () =>
      (closing ??= (async () => {
        await work.close();
        reader.close();
        await eventLog.close();
        await storage.close();
      })()),
  };
  return {
    work,
    reader,
    storage: whole,
    eventLog,
    openAgain: (options) => openStoreIn(url, { isolation }, options),
    async dispose() {
      await work.close();
      await eventLog.close();
      await postgresServer.takeBack(url, closing === undefined ? 'for me' : 'for all');
      if (closing === undefined) warm.get(isolation)?.push(found);
    },
  };
}

async function warmUp(isolation: Isolation): Promise<Warm> {
  if (!warm.has(isolation)) warm.set(isolation, []);
  let write: PostgresqlDatabase | undefined;
  let read: ReadSession | undefined;
  let events: EventConnections | undefined;
  class Work extends PostgresqlUnitOfWork {
    override open(database: PostgresqlDatabase): void {
      write = database;
      super.open(database);
    }
  }
  class Reading extends MikroOrmReader {
    override open(session: ReadSession): void {
      read = session;
      super.open(session);
    }
  }
  class Events extends PostgresqlEventLog {
    override open(connections: EventConnections): void {
      events = connections;
    }
  }
  const url = await postgresServer.makeStore();
  const log = new RecordingLog();
  const unitOfWork = new Work({ isolation, commitTimeout: 15_000 }, log);
  const parts = [unitOfWork, new Reading(), log, new Events(log)] as const;
  const storage = new PostgresqlStorage({ url, pool: 10, work: 15_000 }, ...parts);
  await storage.open();
  if (!write || !read || !events) throw new Error('The storage did not open its parts.');
  return { url, storage, pools: { write, read, events } };
}

atEndOfRun(async () => {
  for (const { storage } of [...warm.values()].flat()) await storage.close();
});

/** Opens an existing store, as one of several nodes does. */
export async function openStoreIn(
  url: string,
  {
    isolation = 'read committed',
    work = 15_000,
    pool = 10,
    replicas = [],
    mostBehind = 2_000,
    reader = new MikroOrmReader(),
    through = (address) => address,
    between = (own) => own,
  }: PostgresqlStoreSettings = {},
  options?: OpenOptions,
): Promise<PostgresqlStore> {
  const log = new RecordingLog();
  class Work extends PostgresqlUnitOfWork {
    override open(database: PostgresqlDatabase, onCommitted?: () => void): void {
      super.open({ ...database, pool: between(database.pool) }, onCommitted);
    }
  }
  const unitOfWork = new Work({ isolation, commitTimeout: work }, log);
  const eventLog = new PostgresqlEventLog(log);
  const storage = new PostgresqlStorage(
    { url: through(url), pool, work, replicas, mostBehind },
    unitOfWork,
    reader,
    log,
    eventLog,
  );
  await storage.open(options);
  const ask: PostgresqlStore['ask'] = (sql, values) => postgresServer.askAgain(url, sql, values);
  return {
    url,
    log,
    work: unitOfWork,
    reader,
    storage,
    ask,
    eventLog,
    dispose: () => storage.close(),
  };
}
