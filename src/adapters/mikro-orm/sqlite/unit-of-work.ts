import { abortable } from '../../../application/abortable.ts';
import {
  StorageUnavailable,
  UnitOfWork,
  type WriteOptions,
  type WriteScope,
} from '../../../application/ports/unit-of-work.ts';
import { MikroOrmIdempotencyStore } from '../idempotency-store.ts';
import { MikroOrmWriteScope } from '../write-scope.ts';
import { SqliteOutbox } from './outbox.ts';
import { type PreparedStatements, type SqliteDatabase, takeWriteLock } from './sqlite-database.ts';
import { asStorageError } from './sqlite-errors.ts';
import { SqliteWriteSession } from './sqlite-sessions.ts';

interface Job {
  readonly signal: AbortSignal | undefined;
  work(scope: WriteScope): Promise<unknown>;
  /** Must be called right before the commit: from then on the signal has no effect. */
  complete(): void;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

interface Connection {
  readonly database: SqliteDatabase;
  readonly statements: PreparedStatements;
}

const MOST_PER_COMMIT = 256;

/**
 * One writer with a queue, and group commit: it takes the waiting units of work, runs one after the other, each in a
 * savepoint, commits once for all of them, and then settles their promises. A durable commit waits for the disk; with
 * group commit many units of work share one wait. A unit that is alone in its transaction needs no savepoint. See
 * docs/adr/0002-one-writer-group-commit.md.
 */
export class SqliteUnitOfWork extends UnitOfWork {
  readonly #busyTimeout: number;
  #waiting: Job[] = [];
  #connection: Connection | undefined;
  #onAppended = () => {};
  #draining: Promise<void> | undefined;
  /** The reason of the last failed commit, if the file or the disk failed. */
  #failure: StorageUnavailable | undefined;

  /** `busyTimeout`: how long to wait for another process that writes to the same file, in milliseconds. */
  constructor(busyTimeout = 5_000) {
    super();
    this.#busyTimeout = busyTimeout;
  }

  /** `onAppended` is called after each commit of events. */
  open(database: SqliteDatabase, statements: PreparedStatements, onAppended = () => {}): void {
    this.#connection = { database, statements };
    this.#onAppended = onAppended;
  }

  /** Rejects new units of work, and resolves when all accepted ones have ended. */
  async close(): Promise<void> {
    this.#connection = undefined;
    await this.#draining;
  }

  /** After a failed commit, tests whether a commit succeeds now. @throws {StorageUnavailable} */
  check(): void {
    if (this.#failure && this.#connection && !this.#draining) this.#failure = tryToCommit(this.#connection.database);
    if (this.#failure) throw this.#failure;
  }

  write<Result>(work: (scope: WriteScope) => Promise<Result>, { signal }: WriteOptions = {}): Promise<Result> {
    const connection = this.#connection;
    if (!connection) return Promise.reject(new StorageUnavailable('The storage is not open.'));
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    return new Promise<Result>((resolve, reject) => {
      const abort = () => reject(signal?.reason as Error);
      signal?.addEventListener('abort', abort);
      const complete = () => signal?.removeEventListener('abort', abort);
      this.#waiting.push({ signal, work, complete, resolve, reject });
      this.#draining ??= this.#drain(connection);
    });
  }

  async #drain(connection: Connection): Promise<void> {
    while (this.#waiting.length > 0) {
      // Waits for one turn of the event loop, so that all requests that have arrived by then share the commit.
      await new Promise((turn) => setImmediate(turn));
      const batch = this.#waiting.slice(0, MOST_PER_COMMIT);
      this.#waiting = this.#waiting.slice(MOST_PER_COMMIT);
      await this.#commitTogether(connection, batch);
    }
    // Synchronously after the check above; otherwise a unit of work that arrives in between would never run.
    this.#draining = undefined;
  }

  async #commitTogether({ database, statements }: Connection, batch: readonly Job[]): Promise<void> {
    const ended: EndedJob[] = [];
    const succeeded: Job[] = [];
    try {
      await takeWriteLock(() => statements.text('begin immediate').run([]), this.#busyTimeout);
      for (const job of batch) {
        if (job.signal?.aborted) continue;
        const end = batch.length === 1 ? await run(job, statements) : await runInSavepoint(job, database, statements);
        ended.push(end);
        if (end.hasSucceeded) succeeded.push(job);
        // SQLite itself rolls the transaction back when the disk is full or fails.
        if (!database.inTransaction) throw new StorageUnavailable('The database rolled the transaction back.');
      }
      // One that was aborted after its end cannot be taken out of the transaction alone, so the others run again.
      if (succeeded.some(({ signal }) => signal?.aborted)) {
        statements.text('rollback').run([]);
        this.#waiting.unshift(...batch.filter(({ signal }) => !signal?.aborted));
        return;
      }
      for (const job of batch) job.complete();
      if (succeeded.length > 0) {
        statements.text('commit').run([]);
        this.#failure = undefined;
      } else {
        statements.text('rollback').run([]);
      }
    } catch (error) {
      if (database.inTransaction) statements.text('rollback').run([]);
      const failure = asStorageError(error);
      if (failure instanceof StorageUnavailable) this.#failure = failure;
      for (const job of batch) {
        job.complete();
        job.reject(failure);
      }
      return;
    }
    for (const { settle } of ended) settle();
    if (ended.some(({ hasAppended }) => hasAppended)) this.#onAppended();
  }
}

/** Writes an unchanged value to the file. Returns the failure, if any. */
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

interface EndedJob {
  /** If not, its changes must not be committed. */
  readonly hasSucceeded: boolean;
  /** Whether it appended events that are committed with it. */
  readonly hasAppended: boolean;
  /** Settles the job's promise; is called after the commit. */
  settle(): void;
}

async function runInSavepoint(job: Job, database: SqliteDatabase, statements: PreparedStatements): Promise<EndedJob> {
  statements.text('savepoint job').run([]);
  const ended = await run(job, statements);
  if (database.inTransaction) {
    if (!ended.hasSucceeded) statements.text('rollback to job').run([]);
    statements.text('release job').run([]);
  }
  return ended;
}

/** Leaves the changes of a job that fails to be rolled back. */
async function run(job: Job, statements: PreparedStatements): Promise<EndedJob> {
  const session = new SqliteWriteSession(statements);
  const outbox = new SqliteOutbox(session);
  const repositories = { outbox, idempotency: new MikroOrmIdempotencyStore(session) };
  try {
    const result = await abortable(job.work(new MikroOrmWriteScope(session, repositories)), job.signal);
    job.signal?.throwIfAborted();
    return { hasSucceeded: true, hasAppended: outbox.hasAppended, settle: () => job.resolve(result) };
  } catch (error) {
    return { hasSucceeded: false, hasAppended: false, settle: () => job.reject(error) };
  } finally {
    session.end();
  }
}
