import { StorageUnavailable, UnitOfWork, type WriteScope } from '../../../application/ports/unit-of-work.ts';
import { MikroOrmIdempotencyStore } from '../idempotency-store.ts';
import { MikroOrmWriteScope } from '../write-scope.ts';
import { SqliteOutbox } from './outbox.ts';
import type { PreparedStatements, SqliteDatabase } from './sqlite-database.ts';
import { asStorageError } from './sqlite-errors.ts';
import { SqliteWriteSession } from './sqlite-sessions.ts';
import { TimeLimit } from './time-limit.ts';
import { takeWriteLock } from './write-lock.ts';

interface Job {
  work(scope: WriteScope): Promise<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

interface Connection {
  readonly database: SqliteDatabase;
  readonly statements: PreparedStatements;
}

export interface UnitOfWorkLimits {
  /** How long one unit of work may take, in milliseconds. */
  readonly work: number;
  /** How long to wait for another process that writes to the same file, in milliseconds. */
  readonly busy: number;
}

const MOST_PER_COMMIT = 256;

/**
 * One writer with a queue, and group commit: it takes what waits, runs one unit of work after the other, each within a
 * savepoint of its own, commits once for all of them, and answers everyone after that. A durable commit waits for the
 * disk; this way many units of work share one wait. See docs/adr/0002-one-writer-group-commit.md.
 */
export class SqliteUnitOfWork extends UnitOfWork {
  readonly #limits: UnitOfWorkLimits;
  #waiting: Job[] = [];
  #connection: Connection | undefined;
  #underWay: Promise<void> | undefined;
  /** Why the last commit failed, if the file or the disk was to blame. */
  #failure: StorageUnavailable | undefined;

  constructor(limits: UnitOfWorkLimits = { work: 15_000, busy: 5_000 }) {
    super();
    this.#limits = limits;
  }

  open(database: SqliteDatabase, statements: PreparedStatements): void {
    this.#connection = { database, statements };
  }

  /** Refuses what comes from now on, and resolves when all that was accepted has ended. */
  async close(): Promise<void> {
    this.#connection = undefined;
    await this.#underWay;
  }

  /** After a commit that failed, tries whether one would go well now. @throws {StorageUnavailable} */
  check(): void {
    if (this.#failure && this.#connection && !this.#underWay) this.#failure = tryToCommit(this.#connection.database);
    if (this.#failure) throw this.#failure;
  }

  write<Result>(work: (scope: WriteScope) => Promise<Result>): Promise<Result> {
    const connection = this.#connection;
    if (!connection) return Promise.reject(new StorageUnavailable('The storage is not open.'));
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      this.#underWay ??= this.#drain(connection);
    });
  }

  async #drain(connection: Connection): Promise<void> {
    while (this.#waiting.length > 0) {
      // One turn of the event loop, so that everything that has arrived by then shares the commit.
      await new Promise((turn) => setImmediate(turn));
      const batch = this.#waiting.slice(0, MOST_PER_COMMIT);
      this.#waiting = this.#waiting.slice(MOST_PER_COMMIT);
      await this.#commitTogether(connection, batch);
    }
    // Here and not later, or what is asked for between now and then would wait for nobody.
    this.#underWay = undefined;
  }

  async #commitTogether({ database, statements }: Connection, batch: readonly Job[]): Promise<void> {
    const time = new TimeLimit(this.#limits.work);
    const answers: (() => void)[] = [];
    try {
      await takeWriteLock(() => statements.text('begin immediate').run([]), this.#limits.busy);
      for (const job of batch) {
        answers.push(await runInSavepoint(job, database, statements, time.next()));
        // SQLite itself undoes everything when the disk is full or fails.
        if (!database.inTransaction) throw new StorageUnavailable('The database rolled the transaction back.');
      }
      statements.text('commit').run([]);
      this.#failure = undefined;
    } catch (error) {
      if (database.inTransaction) statements.text('rollback').run([]);
      const failure = asStorageError(error);
      if (failure instanceof StorageUnavailable) this.#failure = failure;
      for (const job of batch) job.reject(failure);
      return;
    } finally {
      time.end();
    }
    for (const answer of answers) answer();
  }
}

/** Writes to the file what stands there already. Gives what is in the way, if anything. */
function tryToCommit(database: SqliteDatabase): StorageUnavailable | undefined {
  try {
    database.exec('begin immediate');
    database.pragma(`user_version = ${Number(database.pragma('user_version', { simple: true }))}`);
    database.exec('commit');
    return undefined;
  } catch (error) {
    if (database.inTransaction) database.exec('rollback');
    const failure = asStorageError(error);
    if (failure instanceof StorageUnavailable) return failure;
    throw failure;
  }
}

/** Gives how to answer the job, once its effect is on the disk. */
async function runInSavepoint(
  job: Job,
  database: SqliteDatabase,
  statements: PreparedStatements,
  timeIsUp: Promise<never>,
): Promise<() => void> {
  const session = new SqliteWriteSession(statements);
  const repositories = { outbox: new SqliteOutbox(session), idempotency: new MikroOrmIdempotencyStore(session) };
  statements.text('savepoint job').run([]);
  try {
    const result = await Promise.race([job.work(new MikroOrmWriteScope(session, repositories)), timeIsUp]);
    session.end();
    statements.text('release job').run([]);
    return () => job.resolve(result);
  } catch (error) {
    session.end();
    if (database.inTransaction) {
      statements.text('rollback to job').run([]);
      statements.text('release job').run([]);
    }
    return () => job.reject(error);
  }
}
