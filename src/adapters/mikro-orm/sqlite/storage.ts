import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/sqlite';
import { Storage, StorageRefused } from '../../../application/ports/storage.ts';
import { StorageUnavailable } from '../../../application/ports/unit-of-work.ts';
import type { MikroOrmReader } from '../reader.ts';
import { inspectFile } from './file-inspection.ts';
import { migrations } from './migrations.ts';
import { tables } from './schema.ts';
import { PreparedStatements, type SqliteDatabase } from './sqlite-database.ts';
import { asStorageError, sqliteCode } from './sqlite-errors.ts';
import { SqliteReadSession } from './sqlite-sessions.ts';
import type { SqliteUnitOfWork } from './unit-of-work.ts';
import { takeWriteLock } from './write-lock.ts';

export interface SqliteSettings {
  /** The path of the database file. */
  readonly file: string;
  /** `full`: an acknowledged change survives a power cut; `normal`: it survives a crash of the process, and commits are faster. */
  readonly synchronous: 'full' | 'normal';
}

/** How long a statement itself waits for another process; the writer waits longer, without holding up the process. */
const BUSY_TIMEOUT_MS = 20;
/** While the schema is brought up to date, another process that starts may be doing the same. */
const STARTING_BUSY_TIMEOUT_MS = 10_000;
const CACHE_KIB = 6_000;

/** A store in one SQLite file: MikroORM opens a writing and a reading connection to it and migrates it. */
export class SqliteStorage extends Storage {
  readonly #settings: SqliteSettings;
  readonly #work: SqliteUnitOfWork;
  readonly #reader: MikroOrmReader;
  #orm: MikroORM | undefined;

  constructor(settings: SqliteSettings, work: SqliteUnitOfWork, reader: MikroOrmReader) {
    super();
    this.#settings = settings;
    this.#work = work;
    this.#reader = reader;
  }

  async open(): Promise<void> {
    const { file } = this.#settings;
    try {
      await makeFolder(dirname(file));
      const orm = await MikroORM.init(connectionTo(file));
      this.#orm = orm;
      const writing = await nativeConnection(orm, 'write');
      inspectFile(writing, file);
      this.#tune(writing);
      writing.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
      await migrate(orm, writing);

      const reading = await nativeConnection(orm, 'read');
      this.#tune(reading);
      reading.pragma('query_only = on');
      this.#work.open(writing);
      this.#reader.open(new SqliteReadSession(new PreparedStatements(reading)));
    } catch (error) {
      await this.close();
      throw error instanceof StorageRefused ? error : refusal(file, error);
    }
  }

  async close(): Promise<void> {
    await this.#work.close();
    this.#reader.close();
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
      (found) => found.isFile(),
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

/** How MikroORM connects to a file: once to write, and apart from it once to read what is committed. */
export function connectionTo(file: string) {
  return {
    entities: tables,
    dbName: file,
    replicas: [{ name: 'reader', dbName: file }],
    preferReadReplicas: false,
    extensions: [Migrator],
    migrations: { migrationsList: migrations, transactional: false, snapshot: false },
    logger: () => undefined,
  };
}

/** With those that lead to it. Node's own recursive `mkdir` never ends where the system lets none be made, as under /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(dirname(folder));
  try {
    await mkdir(folder);
  } catch (error) {
    // Another process that starts may have made it.
    if (sqliteCode(error) !== 'EEXIST') throw error;
  }
}

/** Everything or nothing, and one process at a time: one transaction around all migrations that are due. */
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
  const said = /^SQLITE_(NOTADB|CORRUPT)/.test(code)
    ? 'is not a readable SQLite database: it is damaged, or something else'
    : /^(SQLITE_(READONLY|CANTOPEN|PERM|IOERR)|E(ACCES|PERM|ROFS|NOTDIR|EXIST|ISDIR|NOENT))/.test(code)
      ? 'cannot be opened for writing there'
      : `answers ${code}`;
  return new StorageRefused(
    `The database file ${file} ${said}; set DATABASE_URL to a file that the service may create or write, or repair this one.`,
    { cause: error },
  );
}
