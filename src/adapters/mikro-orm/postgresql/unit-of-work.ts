import { AsyncLocalStorage } from 'node:async_hooks';
import type { Log } from '../../../application/ports/log.ts';
import {
  CommitInDoubt,
  StorageUnavailable,
  UnitOfWork,
  type WriteOptions,
  type WriteScope,
} from '../../../application/ports/unit-of-work.ts';
import { MikroOrmWriteScope } from '../write-scope.ts';
import { Batch, type Retries } from './batch.ts';
import { PostgresqlIdempotencyStore } from './idempotency-store.ts';
import { resolveInDoubt } from './in-doubt-commit.ts';
import { type Attempt, Job } from './job.ts';
import { JobQueue } from './job-queue.ts';
import { PostgresqlOutbox } from './outbox.ts';
import { asStorageError, isConflict, isLost } from './postgresql-errors.ts';
import type { PostgresqlClient, PostgresqlDatabase } from './postgresql-pool.ts';
import { PostgresqlInventoryRepository, PostgresqlOrderRepository } from './stock-repositories.ts';
import { Deadline, serverTimeouts } from './time-limit.ts';
import { beginWith, type Isolation, Transaction } from './transaction.ts';
import { PostgresqlWriteSession } from './write-session.ts';

export interface UnitOfWorkSettings {
  readonly isolation: Isolation;
  /** How long a commit may take, and after that how long to find out its outcome, in milliseconds. The limits of the server follow from it. */
  readonly commitTimeout: number;
}

/**
 * Transactions on the connections of a pool. Each takes the units of work that wait when its connection becomes free. Where PostgreSQL
 * reports a conflict, or a connection is lost, they run again; see docs/adr/0017-group-commit-on-postgresql.md.
 */
export class PostgresqlUnitOfWork extends UnitOfWork {
  readonly #settings: UnitOfWorkSettings;
  readonly #log: Log;
  readonly #queue = new JobQueue();
  readonly #inProgress = new Set<Promise<unknown>>();
  /** Whether the caller is inside a unit of work, which would wait for another one while it holds a connection. */
  readonly #inside = new AsyncLocalStorage<PostgresqlWriteSession>();
  readonly #retries: Retries = {
    retry: (job, kind, error) => {
      const pause = job.retryAfter(kind, asStorageError(error));
      if (pause !== undefined) setTimeout(() => this.#enqueueAgain(job), pause);
    },
    requeue: (job) => this.#enqueueAgain(job),
  };
  #database: PostgresqlDatabase | undefined;
  #isOpen = false;
  #onCommitted = () => {};
  #isConnecting = false;
  #beginText = '';

  constructor(settings: UnitOfWorkSettings, log: Log) {
    super();
    this.#settings = settings;
    this.#log = log;
  }

  /** `onCommitted` is called after each commit that wrote something. */
  open(database: PostgresqlDatabase, onCommitted = () => {}): void {
    const { isolation, commitTimeout } = this.#settings;
    this.#beginText = beginWith(isolation, database.hasTimeouts ? {} : serverTimeouts(commitTimeout));
    this.#database = database;
    this.#onCommitted = onCommitted;
    this.#isOpen = true;
  }

  /** Refuses new units of work, and resolves when those in progress have ended. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await Promise.allSettled(this.#inProgress);
  }

  async write<Result>(work: (scope: WriteScope) => Promise<Result>, { signal }: WriteOptions = {}): Promise<Result> {
    const database = this.#database;
    if (!this.#isOpen || !database) throw new StorageUnavailable('The storage is not open.');
    if (this.#inside.getStore()?.ended === false) {
      throw new StorageUnavailable('A unit of work was started within another one; both would wait for each other.');
    }
    signal?.throwIfAborted();
    const inContext = AsyncLocalStorage.snapshot();
    const job = new Job(() => inContext(() => this.#begin(work, database)), signal);
    this.#inProgress.add(job.result);
    this.#enqueue(job);
    try {
      return (await job.result) as Result;
    } finally {
      this.#inProgress.delete(job.result);
    }
  }

  /** Runs the work as far as its first statement. */
  #begin<Result>(work: (scope: WriteScope) => Promise<Result>, { statements }: PostgresqlDatabase): Attempt {
    const session = new PostgresqlWriteSession(statements);
    const scope = new MikroOrmWriteScope(session, {
      inventory: new PostgresqlInventoryRepository(session),
      orders: new PostgresqlOrderRepository(session),
      outbox: new PostgresqlOutbox(session),
      idempotency: new PostgresqlIdempotencyStore(session),
    });
    const ended = this.#inside
      .run(session, async () => work(scope))
      .then(
        (result) => ({ done: true, result }) as const,
        (error: unknown) => ({ done: false, error }) as const,
      );
    return { session, ended };
  }

  #enqueue(job: Job): void {
    if (job.isSettled) return;
    this.#queue.add(job);
    this.#connectIfNeeded();
  }

  #enqueueAgain(job: Job): void {
    job.beginAgain();
    this.#enqueue(job);
  }

  /** One connection at a time is asked for: the first that is free takes all that wait and can share its transaction. */
  #connectIfNeeded(): void {
    if (this.#isConnecting || !this.#database || !this.#queue.isReady) return;
    this.#isConnecting = true;
    void this.#serve(this.#database);
  }

  async #serve(database: PostgresqlDatabase): Promise<void> {
    const asked = performance.now();
    let client: PostgresqlClient | undefined;
    let failure: unknown;
    try {
      // What arrives in the same turn of the event loop shares the transaction.
      [client] = await Promise.all([database.pool.connect(), new Promise((resolve) => setImmediate(resolve))]);
    } catch (error) {
      failure = error;
    }
    this.#isConnecting = false;
    if (client) await this.#run(client, database);
    else this.#cannotConnect(asked, failure);
    this.#connectIfNeeded();
  }

  #cannotConnect(asked: number, error: unknown): void {
    for (const job of this.#queue.takeOlderThan(isLost(error) ? Number.POSITIVE_INFINITY : asked)) {
      if (isLost(error)) this.#retries.retry(job, 'loss', error);
      else job.reject(asStorageError(error));
    }
  }

  async #run(client: PostgresqlClient, database: PostgresqlDatabase): Promise<void> {
    const holder = {};
    const jobs = this.#queue.take(holder);
    if (jobs.length === 0) return client.release();
    this.#connectIfNeeded();
    const transaction = new Transaction(client, database, {
      begin: this.#beginText,
      isShared: jobs.length > 1,
      ordersLeft: () => jobs.filter(({ isSettled, isSealed, petId }) => !isSettled && !isSealed && petId).length,
      hold: (petId) => this.#queue.hold(petId, holder),
    });
    const batch = new Batch(jobs, transaction, this.#retries);
    try {
      if (await batch.run()) await this.#commit(batch, transaction, database);
    } finally {
      this.#queue.release(holder);
    }
  }

  async #commit(batch: Batch, transaction: Transaction, database: PostgresqlDatabase): Promise<void> {
    // It has a time of its own: what was done in time is not late because of it.
    const deadline = new Deadline(this.#settings.commitTimeout);
    let command: string;
    try {
      command = await deadline.limit(transaction.commit());
    } catch (error) {
      // After a conflict it is certain that nothing was committed. A proxy may report any other error after a commit.
      if (!isConflict(error)) return await this.#resolve(batch, transaction, database, error);
      transaction.end();
      return batch.notCommitted('conflict', error);
    } finally {
      deadline.end();
    }
    if (transaction.failure && isLost(transaction.failure.error)) transaction.close();
    else transaction.end();
    if (transaction.failure) batch.rolledBack();
    else if (command === 'COMMIT') this.#deliver(batch, transaction);
    else batch.reject(new StorageUnavailable('The database rolled the transaction back.'));
  }

  #deliver(batch: Batch, { hasWritten }: Transaction): void {
    batch.deliver();
    if (hasWritten) this.#onCommitted();
  }

  /** The commit was sent, and its response is missing or an error: asks the database whether it was executed. */
  async #resolve(batch: Batch, transaction: Transaction, database: PostgresqlDatabase, error: unknown): Promise<void> {
    transaction.close();
    const unit = transaction.id;
    const end = transaction.hasWritten ? await resolveInDoubt(unit, database, this.#settings.commitTimeout) : 'undone';
    if (end === 'kept') return this.#deliver(batch, transaction);
    if (end === 'unknown') {
      this.#log.error('the connection was lost during a commit; its outcome is unknown', { error, unit });
      return batch.reject(
        new CommitInDoubt('The connection was lost during a commit; its outcome is unknown.', { cause: error }),
      );
    }
    if (error instanceof StorageUnavailable || isLost(error)) batch.notCommitted('loss', error);
    else batch.reject(asStorageError(error));
  }
}
