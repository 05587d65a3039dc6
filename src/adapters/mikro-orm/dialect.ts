/** An SQL condition and its values. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** A query as text, with `?` for its values, where Kysely cannot express it. The caller is responsible for the type of the rows. */
export interface TextQuery<Row> {
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly '~row'?: Row;
}

/** The differences between the databases. */
export interface Dialect {
  /** Whether a `select` can lock rows. On SQLite, a unit of work holds the write lock of the whole file. */
  readonly locksRows: boolean;
  /** Which indexes an `update` writes: all that contain a column that it names, or those in which a value changes. */
  readonly writesIndexes: 'that it names' | 'that change';
  /** SQL after the name of a table: the index to use, or no index. Empty on a database whose planner needs no hint. */
  indexHint(index: string | undefined): string;
  /** Takes any number of values with one text, so that the statement stays the same. */
  isOneOf(column: string, values: readonly (string | number)[]): Condition;
}
