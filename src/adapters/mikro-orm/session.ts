import type { Dialect, TextQuery } from './dialect.ts';
import type { Command, Query } from './statement.ts';
import type { TableWithId } from './tables.ts';

/** SQLite returns synchronously, PostgreSQL asynchronously. */
export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * A search for rows that match, in the order of their identifiers, of which any number may lie between two matches. It is
 * read in windows, so that it can be interrupted and need not run on the event loop.
 */
export interface TableSearch<Row> {
  /** Reads matches between two identifiers: takes them (the first exclusive), `values`, and how many rows at most. */
  readonly rows: string;
  /** Reads the identifier that is the given number of rows after another one. */
  readonly end: string;
  /** The search begins after this identifier, and ends with the last one. */
  readonly start: number;
  readonly last: number;
  readonly values: readonly unknown[];
  readonly most: number;
  /** Counts matches, up to one more than can be sorted, and reads the rows by sorting them. */
  readonly count: TextQuery<{ readonly n: number }>;
  readonly sortable: number;
  readonly sorted: TextQuery<Row>;
}

/** Runs statements, each prepared once. */
export interface ReadSession {
  readonly dialect: Dialect;
  one<Values extends object, Row>(query: Query<Values, Row>, values: NoInfer<Values>): MaybePromise<Row | undefined>;
  all<Values extends object, Row>(query: Query<Values, Row>, values: NoInfer<Values>): MaybePromise<Row[]>;
  rows<Row>(query: TextQuery<Row>): MaybePromise<Row[]>;
  /** Missing where the database finds matches in order by itself, and not on the event loop. */
  readonly search?: <Row>(search: TableSearch<Row>) => MaybePromise<Row[]>;
}

/** The connection of one unit of work. @throws {Error} after the unit of work has ended */
export interface WriteSession {
  readonly dialect: Dialect;
  one<Values extends object, Row>(query: Query<Values, Row>, values: NoInfer<Values>): MaybePromise<Row | undefined>;
  /** Returns how many rows it changed. */
  run<Values extends object>(command: Command<Values>, values: NoInfer<Values>): MaybePromise<number>;
  /** Runs a command whose result is not needed. It may still be running when the next one is sent; if it fails, the whole unit of work fails. */
  send<Values extends object>(command: Command<Values>, values: NoInfer<Values>): MaybePromise<void>;
  /** The next identifier for a row of the table. */
  nextId(table: TableWithId): MaybePromise<number>;
  /** Sends an `insert` of a row with this `id`. Later identifiers are greater, even if this one was not assigned by {@link nextId}. */
  add<Values extends { readonly id: number }>(
    table: TableWithId,
    insert: Command<Values>,
    values: NoInfer<Values>,
  ): MaybePromise<void>;
  /** Whether the error means that another category has the same name key. */
  isNameTaken(error: unknown): boolean;
}
