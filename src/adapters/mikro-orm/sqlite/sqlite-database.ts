/** A prepared statement of better-sqlite3, as far as it is used here. */
export interface SqliteStatement {
  get(...values: readonly unknown[]): unknown;
  all(...values: readonly unknown[]): unknown[];
  run(...values: readonly unknown[]): { changes: number };
}

/** A connection of better-sqlite3, as far as it is used here. MikroORM opens and closes it. */
export interface SqliteDatabase {
  readonly inTransaction: boolean;
  prepare(sql: string): SqliteStatement;
  exec(sql: string): unknown;
  pragma(source: string, options?: { readonly simple?: boolean }): unknown;
  /** Gives SQL a function that is called `name`. */
  function(name: string, options: { readonly deterministic?: boolean }, compute: (text: string) => string): unknown;
}

/** Every statement is prepared once, the first time its text is used: preparing costs more than running. */
export class PreparedStatements {
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  get(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
