import { setTimeout as pause } from 'node:timers/promises';
import type { AnyStatement, CompiledStatements } from '../statement.ts';
import { asStorageError, isBusy } from './sqlite-errors.ts';

/** The part of a better-sqlite3 statement that is used here. */
export interface SqliteStatement {
  get(...values: readonly unknown[]): unknown;
  all(...values: readonly unknown[]): unknown[];
  run(...values: readonly unknown[]): { changes: number };
}

/** The part of a better-sqlite3 connection that is used here. MikroORM opens and closes it. */
export interface SqliteDatabase {
  readonly inTransaction: boolean;
  prepare(sql: string): SqliteStatement;
  exec(sql: string): unknown;
  pragma(source: string, options?: { readonly simple?: boolean }): unknown;
  /** Registers a function for use in SQL. */
  function(
    name: string,
    options: { readonly deterministic?: boolean },
    compute: (...texts: string[]) => string | Buffer,
  ): unknown;
}

/** Prepares every statement once, at its first use, because preparing costs more than running. */
export class PreparedStatements {
  readonly #database: SqliteDatabase;
  readonly #compiled: CompiledStatements;
  readonly #typed = new Map<AnyStatement, PreparedStatement<object>>();
  readonly #texts = new Map<string, PreparedStatement<readonly unknown[]>>();

  constructor(database: SqliteDatabase, compiled: CompiledStatements) {
    this.#database = database;
    this.#compiled = compiled;
  }

  /** For values by name. */
  get(statement: AnyStatement): PreparedStatement<object> {
    let prepared = this.#typed.get(statement);
    if (!prepared) {
      const compiled = this.#compiled.of(statement);
      prepared = new PreparedStatement(this.#database.prepare(compiled.sql), (values) =>
        compiled.parametersFor(values),
      );
      this.#typed.set(statement, prepared);
    }
    return prepared;
  }

  /** For values in their order. */
  text(sql: string): PreparedStatement<readonly unknown[]> {
    let prepared = this.#texts.get(sql);
    if (!prepared) {
      prepared = new PreparedStatement(this.#database.prepare(sql), (values) => values);
      this.#texts.set(sql, prepared);
    }
    return prepared;
  }
}

/** @throws {StorageUnavailable} if the file or the disk fails, or another process holds a lock */
class PreparedStatement<Values> {
  readonly #statement: SqliteStatement;
  readonly #inOrder: (values: Values) => readonly unknown[];

  constructor(statement: SqliteStatement, inOrder: (values: Values) => readonly unknown[]) {
    this.#statement = statement;
    this.#inOrder = inOrder;
  }

  one(values: Values): unknown {
    try {
      return this.#statement.get(...this.#inOrder(values));
    } catch (error) {
      throw asStorageError(error);
    }
  }

  all(values: Values): unknown[] {
    try {
      return this.#statement.all(...this.#inOrder(values));
    } catch (error) {
      throw asStorageError(error);
    }
  }

  run(values: Values): number {
    try {
      return this.#statement.run(...this.#inOrder(values)).changes;
    } catch (error) {
      throw asStorageError(error);
    }
  }
}

/**
 * Takes the write lock of the file with `begin`, which runs `BEGIN IMMEDIATE`: from then on no other process can change
 * the file. While another process holds the lock, it retries without blocking the event loop, for `longest` milliseconds.
 */
export async function takeWriteLock(begin: () => unknown, longest: number): Promise<void> {
  const deadline = performance.now() + longest;
  for (;;) {
    try {
      begin();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      await pause(5 + 20 * Math.random());
    }
  }
}
