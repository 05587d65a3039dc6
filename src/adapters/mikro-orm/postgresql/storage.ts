import { setTimeout as pause } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import type { Log } from '../../../application/ports/log.ts';
import { type OpenOptions, Storage, StorageRefused } from '../../../application/ports/storage.ts';
import { StorageUnavailable } from '../../../application/ports/unit-of-work.ts';
import type { MikroOrmReader } from '../reader.ts';
import type { ReadSession } from '../session.ts';
import { CompiledStatements } from '../statement.ts';
import {
  closeAll,
  connectionTo,
  listenerAt,
  nameOf,
  type PostgresqlSettings,
  poolOf,
  replicaAt,
} from './connections.ts';
import { hasTimeouts, inspectDatabase, isCitus } from './database-inspection.ts';
import { PostgresqlEventLog } from './event-log.ts';
import { checkPreparedStatements, refusesStartupParameters, STARTUP_PARAMETERS } from './pooler-check.ts';
import { asStorageError, errorNumber, isLost, sqlState } from './postgresql-errors.ts';
import type { PostgresqlClient, PostgresqlPool } from './postgresql-pool.ts';
import { MarkerPurge } from './purge.ts';
import { ask, POSTGRESQL, PostgresqlReadSession } from './read-session.ts';
import { Replica } from './replica.ts';
import { ReplicatedReadSession } from './replicas.ts';
import { serverTimeouts } from './time-limit.ts';
import type { PostgresqlUnitOfWork } from './unit-of-work.ts';

/** How long to wait while another process migrates, in milliseconds. */
const MIGRATING_MS = 60_000;
/** The key of the advisory lock of migrations: 'PETS' in ASCII. */
const MIGRATION_LOCK = 0x50455453;

/** A store in a PostgreSQL database: MikroORM opens a pool to write and one to read, and migrates it. */
export class PostgresqlStorage extends Storage {
  readonly #settings: PostgresqlSettings;
  readonly #work: PostgresqlUnitOfWork;
  readonly #reader: MikroOrmReader;
  readonly #log: Log;
  readonly #eventLog: PostgresqlEventLog;
  #orm: MikroORM | undefined;
  readonly #purge = new MarkerPurge();
  #replicas: MikroORM[] = [];

  constructor(
    settings: PostgresqlSettings,
    work: PostgresqlUnitOfWork,
    reader: MikroOrmReader,
    log: Log,
    eventLog = new PostgresqlEventLog(log),
  ) {
    super();
    this.#settings = settings;
    this.#work = work;
    this.#reader = reader;
    this.#log = log;
    this.#eventLog = eventLog;
  }

  async open({ migrate: mayMigrate = true }: OpenOptions = {}): Promise<void> {
    const named = nameOf(this.#settings.url);
    try {
      const orm = await MikroORM.init(connectionTo(this.#settings));
      this.#orm = orm;
      const reading = await poolOf(orm, 'read');
      const writing = await poolOf(orm, 'write');
      await checkPreparedStatements(reading, writing, named);
      await (mayMigrate ? migrate(orm, reading, named) : mustBeCurrent(reading, named));
      const db = orm.em.getKysely({ columnNamingStrategy: 'property' });
      const statements = CompiledStatements.forPostgresql(db, POSTGRESQL);
      const session = await this.#openReader(reading, statements, this.#settings.replicas ?? []);
      this.#eventLog.open({ session, pool: reading, connect: () => listenerAt(this.#settings) });
      const isDistributed = await isCitus(reading);
      const hasLimits = await hasTimeouts(writing, serverTimeouts(this.#settings.work));
      this.#work.open({ pool: writing, statements, isDistributed, hasTimeouts: hasLimits }, () =>
        this.#eventLog.committed(),
      );
      this.#purge.start(reading);
    } catch (error) {
      await this.close();
      throw error instanceof StorageRefused ? error : refusal(named, error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#work.close(), this.#purge.stop()]);
    this.#reader.close();
    await this.#eventLog.close();
    const opened = this.#orm ? [this.#orm, ...this.#replicas] : [];
    this.#orm = undefined;
    this.#replicas = [];
    await Promise.all(opened.map(closeAll));
  }

  async check(): Promise<void> {
    if (!this.#orm) throw new StorageUnavailable('The storage is not open.');
    try {
      await ask(await poolOf(this.#orm, 'read'), { sql: 'select 1 from pets limit 1', values: [] });
    } catch (error) {
      throw asStorageError(error);
    }
  }

  override async isThere(): Promise<boolean> {
    const named = nameOf(this.#settings.url);
    const orm = await MikroORM.init(connectionTo({ ...this.#settings, pool: 1 }));
    try {
      const client = await (await poolOf(orm, 'read')).connect();
      try {
        return (await inspectDatabase(client, named)) !== 'empty';
      } finally {
        client.release();
      }
    } catch (error) {
      throw error instanceof StorageRefused ? error : refusal(named, error);
    } finally {
      await closeAll(orm);
    }
  }

  async #openReader(
    pool: PostgresqlPool,
    statements: CompiledStatements,
    addresses: readonly string[],
  ): Promise<ReadSession> {
    const primary = new PostgresqlReadSession(pool, statements);
    if (addresses.length === 0) {
      this.#reader.open(primary);
      return primary;
    }

    const replicas: Replica[] = [];
    for (const url of addresses) {
      const orm = await MikroORM.init(replicaAt({ ...this.#settings, url }));
      this.#replicas.push(orm);
      const pools = { reads: await poolOf(orm, 'read'), states: await poolOf(orm, 'write') };
      replicas.push(new Replica(nameOf(url), pools, this.#log));
    }
    const replicated = new ReplicatedReadSession(pool, statements, replicas, this.#log, this.#settings.mostBehind);
    await replicated.probe();
    this.#reader.open(replicated, primary);
    return replicated;
  }
}

/** @throws {StorageRefused} if a migration is due */
async function mustBeCurrent(pool: PostgresqlPool, named: string): Promise<void> {
  const client = await pool.connect();
  try {
    const state = await inspectDatabase(client, named);
    if (state === 'empty') throw new StorageRefused(`The database ${named} is empty; there is no store in it.`);
    if (state === 'old') {
      throw new StorageRefused(
        `The database ${named} was written by an older version of this service; start the service of this version, which brings the database up to date, or use the commands of the older version.`,
      );
    }
  } finally {
    client.release();
  }
}

/** One process at a time migrates; all migrations that are due are one transaction. */
async function migrate(orm: MikroORM, pool: PostgresqlPool, named: string): Promise<void> {
  const client = await pool.connect();
  try {
    await takeMigrationLock(client, named);
    if ((await inspectDatabase(client, named)) !== 'current') await orm.migrator.up();
    await client.query('rollback');
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Holds the lock for the transaction that it begins: a pooler may assign another connection to the next transaction. */
async function takeMigrationLock(client: PostgresqlClient, named: string): Promise<void> {
  const until = performance.now() + MIGRATING_MS;
  do {
    await client.query('begin isolation level read committed');
    await client.query('set local idle_in_transaction_session_timeout = 0');
    const { rows } = await client.query(`select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as locked`);
    if ((rows as [{ readonly locked: boolean }])[0].locked) return;
    await client.query('rollback');
    await pause(20 + 80 * Math.random());
  } while (performance.now() < until);
  throw new StorageRefused(
    `The database ${named} is being migrated by another process; start again when that is done.`,
  );
}

/** The error as an operator can act on it. */
function refusal(named: string, error: unknown): unknown {
  const remedy = remedyOf(error);
  return remedy ? new StorageRefused(`The database ${named} ${remedy}.`, { cause: error }) : error;
}

function remedyOf(error: unknown): string | undefined {
  const state = sqlState(error);
  if (state.startsWith('28')) return 'rejects the user and password in DATABASE_URL; correct them';
  if (state === '3D000') return 'does not exist; create it, or set DATABASE_URL to one that does';
  if (state === '42501') {
    return 'does not allow its user to create tables; grant that, or set DATABASE_URL to a database that does';
  }
  if (refusesStartupParameters(error)) {
    return `is behind a pooler that refuses start-up parameters; set its ignore_startup_parameters to "${STARTUP_PARAMETERS.join(', ')}", and the same limits on the user by "alter role … set …", or set DATABASE_URL to the server itself`;
  }
  if (state !== '') {
    return `returned the error ${state}; see the log of the server, or set DATABASE_URL to another database`;
  }
  if (isLost(error)) {
    return `cannot be reached (${errorNumber(error) || 'no response'}); start the server, or set DATABASE_URL to one that runs`;
  }
  if (isHandshakeFailure(error))
    return `refused the connection (${error.message}); set in DATABASE_URL what the server requires`;
  return undefined;
}

/** Whether the connection failed over TLS, its certificates, or the authentication method. */
function isHandshakeFailure(error: unknown): error is Error {
  return error instanceof Error && /TLS|SSL|CERT|SELF_SIGNED|SASL/i.test(`${errorNumber(error)} ${error.message}`);
}
