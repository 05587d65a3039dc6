import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/sqlite';
import { type OpenOptions, Storage, StorageRefused } from '../../../application/ports/storage.ts';
import { StorageUnavailable } from '../../../application/ports/unit-of-work.ts';
import type { MikroOrmReader } from '../reader.ts';
import { CompiledStatements } from '../statement.ts';
import { sqliteTables } from '../tables.ts';
import { SqliteEventLog } from './event-log.ts';
import { inspectFile } from './file-inspection.ts';
import { migrations } from './migrations.ts';
import { type SearchLimits, SearchThread } from './search-thread.ts';
import { PreparedStatements, type SqliteDatabase, takeWriteLock } from './sqlite-database.ts';
import { asStorageError, sqliteCode } from './sqlite-errors.ts';
import { SQLITE, SqliteReadSession } from './sqlite-sessions.ts';
import type { SqliteUnitOfWork } from './unit-of-work.ts';

export interface SqliteSettings {
  /** The path of the database file. */
  readonly file: string;
  /** `full`: an acknowledged change survives a power cut; `normal`: it survives a crash of the process, and commits are faster. */
  readonly synchronous: 'full' | 'normal';
  readonly search?: SearchLimits;
}

/** How long a statement blocks for a lock of another process. The writer waits longer, without blocking the event loop. */
const BUSY_TIMEOUT_MS = 20;
/** During a migration, another process that starts may be migrating too. */
const STARTING_BUSY_TIMEOUT_MS = 10_000;
const CACHE_KIB = 6_000;

/** Only the user of the service may read it. SQLite gives the `-wal` and `-shm` files the mode of the database file. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** A store in one SQLite file. MikroORM opens a write connection and a read connection to it, and migrates it. */
export class SqliteStorage extends Storage {
  readonly #settings: SqliteSettings;
  readonly #work: SqliteUnitOfWork;
  readonly #reader: MikroOrmReader;
  readonly #eventLog: SqliteEventLog;
  #orm: MikroORM | undefined;
  #searches: SearchThread | undefined;

  constructor(
    settings: SqliteSettings,
    work: SqliteUnitOfWork,
    reader: MikroOrmReader,
    eventLog = new SqliteEventLog(),
  ) {
    super();
    this.#settings = settings;
    this.#work = work;
    this.#reader = reader;
    this.#eventLog = eventLog;
  }

  async open({ migrate: mayMigrate = true }: OpenOptions = {}): Promise<void> {
    const { file } = this.#settings;
    try {
      if (mayMigrate) await makeFile(file);
      else if (!(await this.isThere())) throw new StorageRefused(`There is no store in the file ${file}.`);
      const orm = await MikroORM.init(connectionTo(file));
      this.#orm = orm;
      const writing = await nativeConnection(orm, 'write');
      const state = inspectFile(writing, file);
      if (!mayMigrate && state !== 'current') throw new StorageRefused(outdated(file));
      this.#tune(writing);
      writing.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
      if (mayMigrate) await migrate(orm, writing);

      const reading = await nativeConnection(orm, 'read');
      this.#tune(reading);
      reading.pragma('query_only = on');
      const statements = CompiledStatements.forSqlite(orm.em.getKysely({ columnNamingStrategy: 'property' }), SQLITE);
      this.#work.open(writing, new PreparedStatements(writing, statements), () => this.#eventLog.appended());
      this.#searches = new SearchThread(file, this.#settings.search);
      const session = new SqliteReadSession(new PreparedStatements(reading, statements), this.#searches);
      this.#reader.open(session);
      this.#eventLog.open(session);
    } catch (error) {
      await this.close();
      throw error instanceof StorageRefused ? error : refusal(file, error);
    }
  }

  async close(): Promise<void> {
    await this.#work.close();
    this.#reader.close();
    this.#eventLog.close();
    await this.#searches?.close();
    const orm = this.#orm;
    this.#orm = undefined;
    await orm?.close(true);
  }

  async check(): Promise<void> {
    if (!this.#orm) throw new StorageUnavailable('The storage is not open.');
    try {
      const reading = await nativeConnection(this.#orm, 'read');
      reading.prepare('select 1 from pets limit 1').get();
    } catch (error) {
      throw asStorageError(error);
    }
    this.#work.check();
  }

  override async isThere(): Promise<boolean> {
    return stat(this.#settings.file).then(
      (found) => found.isFile() && found.size > 0,
      () => false,
    );
  }

  #tune(database: SqliteDatabase): void {
    database.pragma(`busy_timeout = ${STARTING_BUSY_TIMEOUT_MS}`);
    database.pragma('journal_mode = wal');
    database.pragma(`synchronous = ${this.#settings.synchronous}`);
    database.pragma('foreign_keys = on');
    database.pragma('temp_store = memory');
    database.pragma('wal_autocheckpoint = 10000');
    database.pragma(`cache_size = -${CACHE_KIB}`);
  }
}

/** How MikroORM connects to a file: one connection to write, and one to read committed data. */
export function connectionTo(file: string) {
  return {
    entities: [...sqliteTables],
    dbName: file,
    replicas: [{ name: 'reader', dbName: file }],
    preferReadReplicas: false,
    extensions: [Migrator],
    migrations: { migrationsList: migrations, transactional: false, snapshot: false },
    logger: () => undefined,
  };
}

/** SQLite would create a file that every user of the machine can read. An existing file keeps its mode. */
async function makeFile(file: string): Promise<void> {
  await makeFolder(dirname(file));
  // Within one step of the event loop: closing a file that SQLite has open would release the locks of this process on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', FILE_MODE));
}

function outdated(file: string): string {
  return `The database file ${file} was written by an older version of this service; start the service of this version, which brings the file up to date, or use the commands of the older version.`;
}

/** With its parents. Node's recursive `mkdir` does not return where the system refuses folders, as under /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(dirname(folder));
  try {
    await mkdir(folder, FOLDER_MODE);
  } catch (error) {
    // Another process that starts may have created it.
    if (sqliteCode(error) !== 'EEXIST') throw error;
  }
}

/** Runs all pending migrations in one transaction: all or none, one process at a time. */
async function migrate(orm: MikroORM, writing: SqliteDatabase): Promise<void> {
  await takeWriteLock(() => writing.exec('begin immediate'), STARTING_BUSY_TIMEOUT_MS);
  try {
    await orm.migrator.up();
    writing.exec('commit');
  } catch (error) {
    if (writing.inTransaction) writing.exec('rollback');
    throw error;
  }
}

async function nativeConnection(orm: MikroORM, type: 'read' | 'write'): Promise<SqliteDatabase> {
  return (await orm.em.getConnection(type).getNativeClient()) as SqliteDatabase;
}

function refusal(file: string, error: unknown): unknown {
  const code = sqliteCode(error);
  if (!code) return error;
  const problem = /^SQLITE_(NOTADB|CORRUPT)/.test(code)
    ? 'is not a readable SQLite database: it is damaged or has another format'
    : /^(SQLITE_(READONLY|CANTOPEN|PERM|IOERR)|E(ACCES|PERM|ROFS|NOTDIR|EXIST|ISDIR|NOENT))/.test(code)
      ? 'cannot be opened for writing there'
      : `failed with ${code}`;
  return new StorageRefused(
    `The database file ${file} ${problem}; set DATABASE_URL to a file that the service may create or write, or repair this one.`,
    { cause: error },
  );
}
