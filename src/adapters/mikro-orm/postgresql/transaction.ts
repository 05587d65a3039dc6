import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { TextQuery } from '../dialect.ts';
import { type CompiledStatements, postgresqlStatement } from '../statement.ts';
import { Bulk, type Unsent } from './bulk.ts';
import { Identifiers } from './identifiers.ts';
import { asStorageError, isConflict, isLost } from './postgresql-errors.ts';
import {
  type PostgresqlClient,
  type PostgresqlDatabase,
  type PostgresqlResult,
  type PostgresqlStatement,
  statementOf,
} from './postgresql-pool.ts';
import { LockedElsewhere, type Querying } from './querying.ts';
import type { StockRow } from './stock.ts';
import { type FirstLocks, StockLocks } from './stock-locks.ts';
import { Deadline } from './time-limit.ts';

export type Isolation = 'read committed' | 'serializable';

/** A statement that failed. From then on the server only rolls back, to a savepoint or altogether. */
export interface Failure {
  readonly error: unknown;
  /** The part whose statement it was. */
  readonly part: object | undefined;
}

/**
 * Limits that are sent with BEGIN hold behind a pooler that ignores those of the connection, and assigns another one to each
 * transaction.
 */
export function beginWith(isolation: Isolation, timeouts: Readonly<Record<string, number>>): string {
  const limits = Object.entries(timeouts).map(([name, value]) => `set local ${name} = ${value}`);
  return [`begin isolation level ${isolation}`, ...limits].join('; ');
}

export interface TransactionTerms {
  /** The text of BEGIN. */
  readonly begin: string;
  /** Whether several units of work share it. Each of them then has a savepoint before it writes anything that may be undone. */
  readonly isShared: boolean;
  /** How many units of work are left in it that may place an order. */
  ordersLeft(): number;
  /** Whether no other transaction of this node holds the pet. */
  hold(petId: number): boolean;
}

/** How long a connection has to roll back before it is closed, in milliseconds. */
const ROLLBACK_MS = 1_000;

const MARK = postgresqlStatement((db, { unit }: { unit: string }) =>
  db.insertInto('commit_markers').values({ unit, at: sql<number>`cast(extract(epoch from now()) * 1000 as bigint)` }),
);

/** A transaction on a connection. Statements are sent one after the other, without waiting for the results of those before. */
export class Transaction implements Querying {
  /** Identifies it in `commit_markers`. */
  readonly id = randomUUID();
  readonly stock: StockLocks;
  readonly identifiers: Identifiers;
  readonly #client: PostgresqlClient;
  readonly #database: PostgresqlDatabase;
  readonly #terms: TransactionTerms;
  #isCorked = false;
  #waiting = 0;
  #marked: Promise<unknown> | undefined;
  #hasWritten = false;
  #failure: Failure | undefined;
  /** The parts that were undone, and the names of the savepoints. */
  readonly #undone = new WeakSet<object>();
  readonly #bulk = new Bulk();
  readonly #savepoints = new Map<object, string>();

  constructor(client: PostgresqlClient, database: PostgresqlDatabase, terms: TransactionTerms) {
    this.#client = client;
    this.#database = database;
    this.#terms = terms;
    this.stock = new StockLocks(this, (petId) => terms.hold(petId));
    this.identifiers = new Identifiers(this, () => terms.ordersLeft());
  }

  get statements(): CompiledStatements {
    return this.#database.statements;
  }

  get isDistributed(): boolean {
    return this.#database.isDistributed;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  get isShared(): boolean {
    return this.#terms.isShared;
  }

  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /** Whether a unit of work waits for the server. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /**
   * Begins, and locks the pets that are known to be needed. Nothing is written before BEGIN has succeeded: it would be committed by
   * itself.
   */
  async begin(firstLocks: FirstLocks): Promise<void> {
    const begun = this.#await(undefined, this.#send(this.#terms.begin));
    // If BEGIN fails, this marks a transaction that never comes.
    if (this.isShared) this.mark();
    await Promise.all([begun, this.stock.lockFirst(firstLocks)]);
  }

  /** Sends a query and waits for its result. @throws {StorageUnavailable} or the error of the server */
  query(
    part: object | undefined,
    query: TextQuery<unknown>,
    failed?: (error: unknown) => void,
  ): Promise<PostgresqlResult> {
    return this.#await(part, this.#send(statementOf(query)), failed);
  }

  /** Sends a command of a unit of work that has ended well, perhaps later and together with those of others. */
  collect(part: object, unsent: Unsent): void {
    if (!this.isShared || this.isDistributed || !Bulk.takes(unsent)) {
      this.flush();
      return this.send(part, unsent);
    }
    this.#hasWritten = true;
    this.stock.note(unsent);
    this.#bulk.add(unsent);
  }

  /** Sends what was collected. If that fails, it is unknown which unit of work was the cause. */
  flush(): void {
    for (const unsent of this.#bulk.drain()) this.#expect(this.#bulk, unsent.command, unsent.failed);
  }

  /** Sends a command whose result is awaited by the commit. */
  send(part: object, unsent: Unsent): void {
    this.#hasWritten = true;
    this.stock.note(unsent);
    this.#expect(part, unsent.command, unsent.failed);
  }

  /** From here on, what a unit of work writes can be undone without that of the others. */
  savepoint(part: object): void {
    this.#hasWritten = true;
    if (!this.isShared) return;
    this.flush();
    // Each has a name of its own: after a failure that belongs to an earlier one, there must be nothing to roll back to.
    const name = `unit_${this.#savepoints.size}`;
    this.#savepoints.set(part, name);
    this.#expect(part, `savepoint ${name}`);
  }

  release(part: object): void {
    const name = this.#savepoints.get(part);
    if (name) this.#expect(part, `release ${name}`);
  }

  /** Undoes what a unit of work has written since its savepoint, also after a statement of it failed. */
  async undo(part: object): Promise<void> {
    const name = this.#savepoints.get(part);
    this.#undone.add(part);
    this.stock.forget();
    if (this.#failure?.part === part) this.#failure = undefined;
    await this.#await(undefined, this.#send(`rollback to ${name}; release ${name}`)).catch(() => undefined);
  }

  /** Locks the stock of a pet. @throws {LockedElsewhere} */
  lockStock(part: object, petId: number): Promise<StockRow | undefined> {
    if (!this.stock.knows(petId) && this.#bulk.changesStock(petId)) this.flush();
    return this.stock.lock(part, petId);
  }

  /** Locks a request by the digest of its id, and runs a query for its record once it is locked. @throws {LockedElsewhere} */
  async lockRequest(part: object, digest: string, query: TextQuery<unknown>): Promise<PostgresqlResult> {
    if (this.#bulk.savesRecords) this.flush();
    const { isShared } = this;
    const sql = isShared
      ? 'select pg_try_advisory_xact_lock(?) as locked'
      : "select 't' as locked from pg_advisory_xact_lock(?)";
    const [{ rows }, found] = await Promise.all([this.query(part, { sql, values: [digest] }), this.query(part, query)]);
    const [row] = rows as [{ readonly locked: 't' | 'f' }];
    if (row.locked !== 't') throw new LockedElsewhere(undefined, 'another session');
    return found;
  }

  /** Sends the marker of the transaction, unless that was done. */
  mark(): void {
    if (!this.isMarked) this.markedBy(this.query(undefined, this.statements.bind(MARK, { unit: this.id })));
  }

  get isMarked(): boolean {
    return this.#marked !== undefined;
  }

  /** Another statement writes the marker too. */
  markedBy(sent: Promise<unknown>): void {
    this.#marked = sent;
    sent.catch(() => undefined);
  }

  /**
   * Commits, once the marker of the transaction is written: if the connection is lost, whether the marker was committed tells what
   * became of all. It must not arrive together with the commit, which may reach the server after it was looked for in vain.
   * Returns the command that the server executed.
   */
  async commit(): Promise<string> {
    this.flush();
    if (this.#hasWritten) {
      this.mark();
      // If that fails, the server rolls back.
      await this.#marked?.catch(() => undefined);
    }
    return (await this.#send('commit')).command;
  }

  /** Rolls back, or leaves that to the server by closing the connection. */
  async rollback(): Promise<void> {
    if (this.#failure && isLost(this.#failure.error)) return this.close();
    const deadline = new Deadline(ROLLBACK_MS);
    try {
      await deadline.limit(this.#send('rollback'));
      this.end();
    } catch {
      this.close();
    } finally {
      deadline.end();
    }
  }

  /** Returns the connection to its pool, or closes one that is still in a transaction. */
  end(): void {
    this.#client.release(this.#client.getTransactionStatus() !== 'I');
  }

  close(): void {
    this.#client.release(true);
  }

  /** Sends a statement together with all others of the same turn of the event loop. */
  #send(statement: string | PostgresqlStatement): Promise<PostgresqlResult> {
    const stream = this.#client.connection?.stream;
    if (stream && !this.#isCorked) {
      this.#isCorked = true;
      stream.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        stream.uncork();
      });
    }
    return this.#client.query(statement);
  }

  #expect(part: object, command: TextQuery<unknown> | string, failed?: (error: unknown) => void): void {
    const sent = this.#send(typeof command === 'string' ? command : statementOf(command));
    sent.catch((error: unknown) => {
      failed?.(error);
      this.#failed(part, error);
    });
  }

  async #await(
    part: object | undefined,
    sent: Promise<PostgresqlResult>,
    failed?: (error: unknown) => void,
  ): Promise<PostgresqlResult> {
    this.#waiting += 1;
    try {
      return await sent;
    } catch (error) {
      failed?.(error);
      this.#failed(part, error);
      // After the first failure, the server only says that there was one.
      throw asStorageError(this.#failure?.error ?? error);
    } finally {
      this.#waiting -= 1;
    }
  }

  #failed(part: object | undefined, error: unknown): void {
    // Rolling back to a savepoint undoes everything but these.
    if (part && this.#undone.has(part) && !isLost(error) && !isConflict(error)) return;
    this.#failure ??= { error, part };
  }
}
