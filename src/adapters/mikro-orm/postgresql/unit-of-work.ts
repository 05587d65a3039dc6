import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../../application/ports/log.ts';
import {
  CommitInDoubt,
  StorageUnavailable,
  UnitOfWork,
  type WriteScope,
} from '../../../application/ports/unit-of-work.ts';
import { MikroOrmWriteScope } from '../write-scope.ts';
import { PostgresqlIdempotencyStore } from './idempotency-store.ts';
import { resolveInDoubt } from './in-doubt-commit.ts';
import { PostgresqlOutbox } from './outbox.ts';
import { asStorageError, isConflict, isLost } from './postgresql-errors.ts';
import type { PostgresqlClient, PostgresqlDatabase, PostgresqlPool } from './postgresql-pool.ts';
import { Deadline } from './time-limit.ts';
import { PostgresqlWriteSession } from './write-session.ts';

export type Isolation = 'read committed' | 'serializable';

export interface UnitOfWorkSettings {
  readonly isolation: Isolation;
  /** How long one unit of work may take, in milliseconds, from when it has a connection. */
  readonly work: number;
}

/** How often a unit of work is begun at most, if others are in its way each time, or if its connection is lost each time. */
const MOST_CONFLICTS = 100;
const MOST_LOSSES = 4;

/** How long a connection has to undo what it did before it is thrown away, in milliseconds. */
const ROLLBACK_MS = 1_000;

/** This attempt kept nothing, and another one may go well. */
class TryAgain extends Error {
  readonly because: unknown;

  constructor(because: unknown) {
    super('The unit of work was disturbed.', { cause: because });
    this.because = because;
  }
}

/**
 * A transaction for each unit of work, on a connection of a pool. Where PostgreSQL says that transactions were in each
 * other's way, or a connection is lost, the whole unit is done again; see docs/adr/0011-postgresql.md.
 */
export class PostgresqlUnitOfWork extends UnitOfWork {
  readonly #settings: UnitOfWorkSettings;
  readonly #log: Log;
  readonly #underWay = new Set<Promise<unknown>>();
  /** Whether the caller is inside a unit of work, which would wait for a second connection while it holds one. */
  readonly #inside = new AsyncLocalStorage<PostgresqlWriteSession>();
  #database: PostgresqlDatabase | undefined;

  constructor(settings: UnitOfWorkSettings, log: Log) {
    super();
    this.#settings = settings;
    this.#log = log;
  }

  open(database: PostgresqlDatabase): void {
    this.#database = database;
  }

  /** Refuses what comes from now on, and resolves when all that was accepted has ended. */
  async close(): Promise<void> {
    this.#database = undefined;
    await Promise.allSettled(this.#underWay);
  }

  async write<Result>(work: (scope: WriteScope) => Promise<Result>): Promise<Result> {
    const database = this.#database;
    if (!database) throw new StorageUnavailable('The storage is not open.');
    if (this.#inside.getStore()?.ended === false) {
      throw new StorageUnavailable('A unit of work was started within another one; both would wait for each other.');
    }
    const written = this.#write(database, work);
    this.#underWay.add(written);
    try {
      return await written;
    } finally {
      this.#underWay.delete(written);
    }
  }

  async #write<Result>(database: PostgresqlDatabase, work: (scope: WriteScope) => Promise<Result>): Promise<Result> {
    let deadline: Deadline | undefined;
    try {
      for (let conflicts = 0, losses = 0; ; ) {
        try {
          const client = await connect(database.pool);
          deadline ??= new Deadline(this.#settings.work);
          return await this.#attempt(client, database, work, deadline);
        } catch (error) {
          if (!(error instanceof TryAgain)) throw error;
          const tries = isLost(error.because) ? ++losses : ++conflicts;
          if (conflicts === MOST_CONFLICTS || losses === MOST_LOSSES || deadline?.isOver) {
            throw asStorageError(error.because);
          }
          await pause(Math.random() * Math.min(2 ** tries, 100));
        }
      }
    } finally {
      deadline?.end();
    }
  }

  /** @throws {TryAgain} and what `work` throws */
  async #attempt<Result>(
    client: PostgresqlClient,
    database: PostgresqlDatabase,
    work: (scope: WriteScope) => Promise<Result>,
    deadline: Deadline,
  ): Promise<Result> {
    const session = new PostgresqlWriteSession(client, database.statements);
    const outbox = new PostgresqlOutbox(session);
    const idempotency = new PostgresqlIdempotencyStore(session);
    let result: Result;
    try {
      result = await deadline.limit(
        (async () => {
          await session.begin(this.#settings.isolation);
          const given = await this.#inside.run(session, () =>
            work(new MikroOrmWriteScope(session, { outbox, idempotency })),
          );
          // A statement that failed undoes the whole transaction, even if somebody caught what it said.
          if (session.failure) throw asStorageError(session.failure);
          await session.complete();
          return given;
        })(),
      );
    } catch (error) {
      session.end();
      await rollback(client, session);
      const { failure, isBehind } = session;
      throw isBehind || isConflict(failure) || isLost(failure) ? new TryAgain(failure) : error;
    }
    await this.#commit(client, database, session);
    return result;
  }

  async #commit(
    client: PostgresqlClient,
    database: PostgresqlDatabase,
    session: PostgresqlWriteSession,
  ): Promise<void> {
    // It has a time of its own: what was done in time is not late because of it.
    const late = new Deadline(this.#settings.work);
    let command: string;
    try {
      ({ command } = await late.limit(client.query('commit')));
    } catch (error) {
      // Only of a conflict is it certain what became of it: a proxy may report an error of its own after a commit.
      if (!isConflict(error)) return await this.#settle(client, database, session, error);
      release(client);
      throw new TryAgain(error);
    } finally {
      late.end();
    }
    release(client);
    if (command !== 'COMMIT') throw new StorageUnavailable('The database rolled the transaction back.');
  }

  /** The commit was sent, and its answer is missing or an error: asks the database which of the two it was. */
  async #settle(
    client: PostgresqlClient,
    database: PostgresqlDatabase,
    session: PostgresqlWriteSession,
    error: unknown,
  ): Promise<void> {
    client.release(true);
    const { mark } = session;
    const end = mark ? await resolveInDoubt(mark, database, this.#settings.work) : 'undone';
    if (end === 'unknown') {
      this.#log.error('the connection was lost during a commit; its outcome is unknown', {
        error,
        unit: mark?.unit,
      });
      throw new CommitInDoubt('The connection was lost during a commit; its outcome is unknown.', {
        cause: error,
      });
    }
    if (end === 'kept') return;
    throw error instanceof StorageUnavailable || isLost(error) ? new TryAgain(error) : asStorageError(error);
  }
}

async function connect(pool: PostgresqlPool): Promise<PostgresqlClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw isLost(error) ? new TryAgain(error) : asStorageError(error);
  }
}

/** Gives the connection back to its pool, or closes one that is still in a transaction. */
function release(client: PostgresqlClient): void {
  client.release(client.getTransactionStatus() !== 'I');
}

/** Undoes the transaction, or leaves that to the server by closing the connection. */
async function rollback(client: PostgresqlClient, session: PostgresqlWriteSession): Promise<void> {
  if (isLost(session.failure)) {
    client.release(true);
    return;
  }
  const late = new Deadline(ROLLBACK_MS);
  try {
    await late.limit(client.query('rollback'));
    release(client);
  } catch {
    client.release(true);
  } finally {
    late.end();
  }
}
