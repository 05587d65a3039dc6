import type { AnyStatement, CompiledStatement, CompiledStatements } from '../statement.ts';

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
  /** Adds to SQL a function that is called `name`. */
  function(
    name: string,
    options: { readonly deterministic?: boolean },
    compute: (...texts: string[]) => string | Buffer,
  ): unknown;
}

/** Every statement is prepared once, the first time it is used: preparing costs more than running. */
export class PreparedStatements {
  readonly #database: SqliteDatabase;
  readonly #compiled: CompiledStatements;
  readonly #typed = new Map<AnyStatement, PreparedStatement>();
  readonly #texts = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase, compiled: CompiledStatements) {
    this.#database = database;
    this.#compiled = compiled;
  }

  get(statement: AnyStatement): PreparedStatement {
    let prepared = this.#typed.get(statement);
    if (!prepared) {
      prepared = new PreparedStatement(this.#database, this.#compiled.of(statement));
      this.#typed.set(statement, prepared);
    }
    return prepared;
  }

  text(sql: string): SqliteStatement {
    let prepared = this.#texts.get(sql);
    if (!prepared) {
      prepared = this.#database.prepare(sql);
      this.#texts.set(sql, prepared);
    }
    return prepared;
  }
}

/** Takes values by name. */
class PreparedStatement {
  readonly #statement: SqliteStatement;
  readonly #compiled: CompiledStatement;

  constructor(database: SqliteDatabase, compiled: CompiledStatement) {
    this.#statement = database.prepare(compiled.sql);
    this.#compiled = compiled;
  }

  one(values: object): unknown {
    return this.#statement.get(...this.#compiled.parametersFor(values));
  }

  all(values: object): unknown[] {
    return this.#statement.all(...this.#compiled.parametersFor(values));
  }

  run(values: object): number {
    return this.#statement.run(...this.#compiled.parametersFor(values)).changes;
  }
}
