import { randomUUID } from 'node:crypto';
import type { Identified, WriteSession } from '../session.ts';
import { asStorageError, constraintOf, sqlState } from './postgresql-errors.ts';
import { type PostgresqlClient, type PostgresqlResult, statementOf } from './postgresql-pool.ts';

const UNIQUE_VIOLATION = '23505';

const TOUCH = 'update store set touched = 1 where touched = 0';
/** Locks the one row that says it, so that whoever asks is alone with the answer, and with whoever keeps the first category. */
const TOUCHED = 'select touched from store where id = 1 for update';
const MARK = 'insert into marks (unit, at) values (?, cast(extract(epoch from now()) * 1000 as bigint))';

/** How many identifiers are taken at once at most. */
const MOST_AHEAD = 256;

const sequenceOf = (table: Identified) => `${table}_id_seq`;

/** By what a unit of work can be recognised once it is kept: a row that nobody else can have written. */
export interface Mark {
  readonly unit: string;
  /** The position of an event of its own; it has a row in `marks` if there is none. */
  readonly position: number | undefined;
}

/** A connection within a transaction, lent to one unit of work. */
export class PostgresqlWriteSession implements WriteSession {
  readonly forUpdate = ' for update';
  readonly forKeyShare = ' for key share';
  readonly writesIndexes = 'that change';
  readonly #client: PostgresqlClient;
  /** The identifiers that it was given. */
  readonly #taken = new Map<Identified, Set<number>>();
  readonly #unit = randomUUID();
  readonly #beforeCommit: (() => Promise<unknown>)[] = [];
  /** What was sent, and may not have been answered yet. */
  readonly #sent: Promise<unknown>[] = [];
  /** Identifiers that it took ahead, for more rows than it has asked them for. They end with it: another unit may have taken later ones. */
  readonly #ahead = new Map<Identified, number[]>();
  #position: number | undefined;
  #hasWritten = false;
  #isBehind = false;
  #failure: unknown;
  #ended = false;

  constructor(client: PostgresqlClient) {
    this.#client = client;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** What the database said to the first statement that failed: from then on it undoes the transaction, whatever is asked. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * Whether a row has an identifier already that the sequence gave, or had given: the server crashed, or another one took over,
   * behind a pooler that kept the connection. Another one will do.
   */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Where to find out whether it was kept; `undefined` if there is nothing to keep. */
  get mark(): Mark | undefined {
    return this.#hasWritten ? { unit: this.#unit, position: this.#position } : undefined;
  }

  /** Is waited for before anything else is sent: outside of a transaction, each statement would be kept by itself. */
  async begin(isolation: 'read committed' | 'serializable'): Promise<void> {
    await this.#query(`begin isolation level ${isolation}`, []);
  }

  async one<Row>(sql: string, ...values: readonly unknown[]): Promise<Row | undefined> {
    return (await this.#query(sql, values)).rows[0] as Row | undefined;
  }

  async run(sql: string, ...values: readonly unknown[]): Promise<number> {
    this.#hasWritten = true;
    return (await this.#query(sql, values)).rowCount ?? 0;
  }

  /** Sent at once, so that a unit of work waits for the network only where it wants to know something. */
  async send(sql: string, ...values: readonly unknown[]): Promise<void> {
    this.#mustLast();
    this.#expect(this.run(sql, ...values));
  }

  async nextId(table: Identified): Promise<number> {
    this.#mustLast();
    const id = this.#ahead.get(table)?.shift() ?? (await this.#takeIds(table));
    this.#takenOf(table).add(id);
    return id;
  }

  async add(table: Identified, sql: string, id: number, ...values: readonly unknown[]): Promise<void> {
    this.#mustLast();
    const isOurs = this.#takenOf(table).has(id);
    if (!isOurs) await this.#passBy(table, id);
    const added = this.run(sql, id, ...values).catch((error: unknown) => {
      if (isOurs && isTaken(error, `${table}_pkey`)) this.#isBehind = true;
      throw error;
    });
    this.#expect(added);
    if (table !== 'categories') return;
    // Its name may be taken.
    await added;
    // Pets have a category, and orders a pet: the first thing that is ever kept is a category.
    await this.send(TOUCH);
  }

  async isUntouched(): Promise<boolean> {
    return (await this.one<{ touched: number }>(TOUCHED))?.touched === 0;
  }

  isNameTaken(error: unknown): boolean {
    return isTaken(error, 'categories_name_key');
  }

  /** Appends an event by a statement that takes the unit first and gives its `position`. */
  async append(sql: string, ...values: readonly unknown[]): Promise<void> {
    this.#mustLast();
    this.#hasWritten = true;
    const appended = this.one<{ position: number }>(sql, this.#unit, ...values);
    this.#expect(appended.then((row) => (this.#position = row?.position)));
  }

  /** Has something done right before the unit is kept. */
  beforeCommit(act: () => Promise<unknown>): void {
    this.#beforeCommit.push(act);
  }

  /** Does what is left to do before the commit, and ends. */
  async complete(): Promise<void> {
    for (const act of this.#beforeCommit) await act();
    await Promise.all(this.#sent);
    if (this.#hasWritten && this.#position === undefined) await this.run(MARK, this.#unit);
    this.end();
  }

  end(): void {
    this.#ended = true;
  }

  async #query(sql: string, values: readonly unknown[]): Promise<PostgresqlResult> {
    this.#mustLast();
    try {
      return await this.#client.query(statementOf(sql, values));
    } catch (error) {
      this.#failure ??= error;
      // After the first failure, all that the database says is that there was one.
      throw asStorageError(this.#failure);
    }
  }

  /** What was sent is asked for before the end; until then nobody listens to it. */
  #expect(answer: Promise<unknown>): void {
    answer.catch(() => undefined);
    this.#sent.push(answer);
  }

  /** Takes as many as it has taken so far, since whoever adds many adds more. Gives the first of them. */
  async #takeIds(table: Identified): Promise<number> {
    const count = Math.min(Math.max(1, this.#takenOf(table).size), MOST_AHEAD);
    const sql = `select nextval('${sequenceOf(table)}') as id from generate_series(1, ?)`;
    const { rows } = await this.#query(sql, [count]);
    const [first = Number.NaN, ...others] = (rows as { id: number }[]).map(({ id }) => id);
    this.#ahead.set(table, others);
    return first;
  }

  /** Moves the sequence behind an identifier that did not come from it: that of a store which is filled by hand. */
  async #passBy(table: Identified, id: number): Promise<void> {
    const sequence = sequenceOf(table);
    await this.one(`select setval('${sequence}', ?) from ${sequence} where last_value <= ?`, id, id);
    this.#ahead.set(
      table,
      (this.#ahead.get(table) ?? []).filter((each) => each > id),
    );
  }

  #takenOf(table: Identified): Set<number> {
    let taken = this.#taken.get(table);
    if (!taken) this.#taken.set(table, (taken = new Set()));
    return taken;
  }

  #mustLast(): void {
    if (this.#ended) throw new Error('This unit of work has ended: its scope is of no use any more.');
  }
}

function isTaken(error: unknown, constraint: string): boolean {
  return sqlState(error) === UNIQUE_VIOLATION && constraintOf(error) === constraint;
}
