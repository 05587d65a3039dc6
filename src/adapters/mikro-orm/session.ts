/** What may be there at once or come later: SQLite answers at once, PostgreSQL does not. */
export type Soon<Value> = Value | Promise<Value>;

/** The tables whose identifiers the application asks for. */
export type Identified = 'categories' | 'pets' | 'orders' | 'api_keys';

/** A piece of SQL that must hold, and the values that it takes. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** What the databases say in different words. */
export interface Dialect {
  /** Behind the name of a table: along which of its indexes to go, or along none. Databases that plan by themselves need no word. */
  along(index: string | undefined): string;
  /** Holds for any number of values by one text, so that the statement stays the same. */
  isOneOf(column: string, values: readonly (string | number)[]): Condition;
}

/** Runs fixed SQL with `?` for its values, each statement prepared once. Times, identifiers and numbers come as numbers. */
export interface ReadSession {
  readonly dialect: Dialect;
  one<Row>(sql: string, ...values: readonly unknown[]): Soon<Row | undefined>;
  all<Row>(sql: string, ...values: readonly unknown[]): Soon<Row[]>;
}

/** A connection that is lent to one unit of work until that ends. @throws {Error} after that, and does nothing */
export interface WriteSession {
  /** Behind a `select`: no other unit of work changes the row until this one has ended. */
  readonly forUpdate: string;
  /** Behind a `select`: no other unit of work removes the row until this one has ended. */
  readonly forKeyShare: string;
  /** Which indexes an `update` writes: all that have a column that it names, or those in which a value changes. */
  readonly writesIndexes: 'that it names' | 'that change';
  one<Row>(sql: string, ...values: readonly unknown[]): Soon<Row | undefined>;
  /** Gives how many rows it changed. */
  run(sql: string, ...values: readonly unknown[]): Soon<number>;
  /** Runs what needs no answer. It may not have ended yet when the next one is asked for; if it fails, so does the whole unit of work. */
  send(sql: string, ...values: readonly unknown[]): Soon<void>;
  /** The next identifier for a row of the table. */
  nextId(table: Identified): Soon<number>;
  /** Sends an `insert` whose first value is the row's identifier; later ones are above it, whoever chose it. */
  add(table: Identified, sql: string, id: number, ...values: readonly unknown[]): Soon<void>;
  /** Whether no category, pet or order was ever kept. */
  isUntouched(): Soon<boolean>;
  /** Whether the error says that another category has the key of the name. */
  isNameTaken(error: unknown): boolean;
}
