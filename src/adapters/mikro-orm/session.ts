import type { Command, Query } from './statement.ts';
import type { TableWithId } from './tables.ts';

/** SQLite returns at once, PostgreSQL later. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** A piece of SQL that must hold, and the values that it takes. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** A query as text, with `?` for its values: for what Kysely cannot express. Its maker answers for the type of the rows. */
export interface TextQuery<Row> {
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly '~row'?: Row;
}

/** Where the databases differ. */
export interface Dialect {
  /** Whether a `select` can lock rows. On SQLite, a unit of work has the whole file to itself. */
  readonly locksRows: boolean;
  /** Which indexes an `update` writes: all that have a column that it names, or those in which a value changes. */
  readonly writesIndexes: 'that it names' | 'that change';
  /** Goes behind the name of a table: which of its indexes to use, or none. Databases that plan by themselves need no hint. */
  indexHint(index: string | undefined): string;
  /** Takes any number of values by one text, so that the statement stays the same. */
  isOneOf(column: string, values: readonly (string | number)[]): Condition;
}

/** Runs statements, each prepared once. */
export interface ReadSession {
  readonly dialect: Dialect;
  one<Values extends object, Row>(query: Query<Values, Row>, values: NoInfer<Values>): MaybePromise<Row | undefined>;
  all<Values extends object, Row>(query: Query<Values, Row>, values: NoInfer<Values>): MaybePromise<Row[]>;
  rows<Row>(query: TextQuery<Row>): MaybePromise<Row[]>;
}

/** A connection that is lent to one unit of work until that ends. @throws {Error} after that, and does nothing */
export interface WriteSession {
  readonly dialect: Dialect;
  one<Values extends object, Row>(query: Query<Values, Row>, values: NoInfer<Values>): MaybePromise<Row | undefined>;
  /** Returns how many rows it changed. */
  run<Values extends object>(command: Command<Values>, values: NoInfer<Values>): MaybePromise<number>;
  /** Runs what needs no answer. It may not have ended yet when the next one is asked for; if it fails, so does the whole unit of work. */
  send<Values extends object>(command: Command<Values>, values: NoInfer<Values>): MaybePromise<void>;
  /** The next identifier for a row of the table. */
  nextId(table: TableWithId): MaybePromise<number>;
  /** Sends an `insert` of a row with this `id`; later ones are above it, wherever it came from. */
  add<Values extends { readonly id: number }>(
    table: TableWithId,
    insert: Command<Values>,
    values: NoInfer<Values>,
  ): MaybePromise<void>;
  /** Whether the error says that another category has the key of the name. */
  isNameTaken(error: unknown): boolean;
}
