import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { TextQuery } from '../dialect.ts';
import type { WriteSession } from '../session.ts';
import { type Command, type CompiledStatements, postgresqlStatement, type Query } from '../statement.ts';
import type { TableWithId } from '../tables.ts';
import { asStorageError, constraintOf, sqlState } from './postgresql-errors.ts';
import { type PostgresqlClient, type PostgresqlResult, statementOf } from './postgresql-pool.ts';
import { POSTGRESQL } from './read-session.ts';

const UNIQUE_VIOLATION = '23505';

const MARK = postgresqlStatement((db, { unit }: { unit: string }) =>
  db.insertInto('commit_markers').values({ unit, at: sql<number>`cast(extract(epoch from now()) * 1000 as bigint)` }),
);

const TAKE_IDS = postgresqlStatement((db, { sequence, count }: { sequence: string; count: number }) =>
  db.selectFrom(sql`generate_series(1, ${count})`.as('n')).select(sql<number>`nextval(${sequence})`.as('id')),
);

/** How many identifiers are taken at once at most. */
const MOST_AHEAD = 256;

const sequenceOf = (table: TableWithId) => `${table}_id_seq`;

/** By what a unit of work can be recognised once it is kept: a row that nobody else can have written. */
export interface Mark {
  readonly unit: string;
  /** The position of an event of its own; it has a row in `commit_markers` if there is none. */
  readonly position: number | undefined;
}

export interface AppendedEvent {
  /** The unit of work that appends it. */
  readonly unit: string;
  readonly type: string;
  readonly data: string;
  readonly at: number;
}

/** A connection within a transaction, lent to one unit of work. */
export class PostgresqlWriteSession implements WriteSession {
  readonly dialect = POSTGRESQL;
  readonly #client: PostgresqlClient;
  readonly #statements: CompiledStatements;
  /** The identifiers that it was given. */
  readonly #taken = new Map<TableWithId, Set<number>>();
  readonly #unit = randomUUID();
  readonly #beforeCommit: (() => Promise<unknown>)[] = [];
  /** What was sent, and may not have been answered yet. */
  readonly #sent: Promise<unknown>[] = [];
  /** Identifiers that it took ahead, for more rows than it has asked them for. They end with it: another unit may have taken later ones. */
  readonly #ahead = new Map<TableWithId, number[]>();
  #position: number | undefined;
  #hasWritten = false;
  #isBehind = false;
  #failure: unknown;
  #ended = false;

  constructor(client: PostgresqlClient, statements: CompiledStatements) {
    this.#client = client;
    this.#statements = statements;
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
    await this.#query({ sql: `begin isolation level ${isolation}`, values: [] });
  }

  async one<Values extends object, Row>(query: Query<Values, Row>, values: NoInfer<Values>): Promise<Row | undefined> {
    return (await this.#query(this.#statements.bind(query, values))).rows[0] as Row | undefined;
  }

  async run<Values extends object>(command: Command<Values>, values: NoInfer<Values>): Promise<number> {
    this.#hasWritten = true;
    return (await this.#query(this.#statements.bind(command, values))).rowCount ?? 0;
  }

  /** Sent at once, so that a unit of work waits for the network only where it wants to know something. */
  async send<Values extends object>(command: Command<Values>, values: NoInfer<Values>): Promise<void> {
    this.#assertNotEnded();
    this.#expect(this.run(command, values));
  }

  async nextId(table: TableWithId): Promise<number> {
    this.#assertNotEnded();
    const id = this.#ahead.get(table)?.shift() ?? (await this.#takeIds(table));
    this.#takenOf(table).add(id);
    return id;
  }

  async add<Values extends { readonly id: number }>(
    table: TableWithId,
    insert: Command<Values>,
    values: NoInfer<Values>,
  ): Promise<void> {
    const { id } = values;
    this.#assertNotEnded();
    const isOurs = this.#takenOf(table).has(id);
    if (!isOurs) await this.#passBy(table, id);
    const added = this.run(insert, values).catch((error: unknown) => {
      if (isOurs && isTaken(error, `${table}_pkey`)) this.#isBehind = true;
      throw error;
    });
    this.#expect(added);
    // Its name may be taken.
    if (table === 'categories') await added;
  }

  isNameTaken(error: unknown): boolean {
    return isTaken(error, 'categories_name_key');
  }

  /** Appends an event by a statement that takes the unit too, and returns the position. */
  async append(
    insert: Query<AppendedEvent, { readonly position: number }>,
    event: Omit<AppendedEvent, 'unit'>,
  ): Promise<void> {
    this.#assertNotEnded();
    this.#hasWritten = true;
    const appended = this.one(insert, { ...event, unit: this.#unit });
    this.#expect(appended.then((row) => (this.#position = row?.position)));
  }

  /** Has something done right before the unit is committed. */
  beforeCommit(act: () => Promise<unknown>): void {
    this.#beforeCommit.push(act);
  }

  /** Does what is left to do before the commit, and ends. */
  async complete(): Promise<void> {
    for (const act of this.#beforeCommit) await act();
    await Promise.all(this.#sent);
    if (this.#hasWritten && this.#position === undefined) await this.run(MARK, { unit: this.#unit });
    this.end();
  }

  end(): void {
    this.#ended = true;
  }

  async #query(query: TextQuery<unknown>): Promise<PostgresqlResult> {
    this.#assertNotEnded();
    try {
      return await this.#client.query(statementOf(query));
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
  async #takeIds(table: TableWithId): Promise<number> {
    const count = Math.min(Math.max(1, this.#takenOf(table).size), MOST_AHEAD);
    const { rows } = await this.#query(this.#statements.bind(TAKE_IDS, { sequence: sequenceOf(table), count }));
    const [first = Number.NaN, ...others] = (rows as { readonly id: number }[]).map(({ id }) => id);
    this.#ahead.set(table, others);
    return first;
  }

  /** Moves the sequence behind an identifier that did not come from it: that of a store which is filled by hand. */
  async #passBy(table: TableWithId, id: number): Promise<void> {
    const sequence = sequenceOf(table);
    await this.#query({
      sql: `select setval('${sequence}', ?) from ${sequence} where last_value <= ?`,
      values: [id, id],
    });
    this.#ahead.set(
      table,
      (this.#ahead.get(table) ?? []).filter((each) => each > id),
    );
  }

  #takenOf(table: TableWithId): Set<number> {
    let taken = this.#taken.get(table);
    if (!taken) this.#taken.set(table, (taken = new Set()));
    return taken;
  }

  #assertNotEnded(): void {
    if (this.#ended) throw new Error('This unit of work has ended; its scope can no longer be used.');
  }
}

function isTaken(error: unknown, constraint: string): boolean {
  return sqlState(error) === UNIQUE_VIOLATION && constraintOf(error) === constraint;
}
