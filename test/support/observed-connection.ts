import type { SqliteDatabase } from '../../src/adapters/mikro-orm/sqlite/sqlite-database.ts';

/** A connection that does as it is told, and notes how SQLite goes about each statement. */
export class ObservedConnection implements Pick<SqliteDatabase, 'prepare'> {
  readonly plans: string[] = [];
  /** What each statement was given first. */
  readonly firstValues: unknown[] = [];
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  prepare(sql: string): ReturnType<SqliteDatabase['prepare']> {
    const statement = this.#database.prepare(sql);
    const plan = this.#database.prepare(`explain query plan ${sql}`);
    const noted = (values: readonly unknown[]) => {
      this.firstValues.push(values[0]);
      this.plans.push((plan.all(...values) as { detail: string }[]).map(({ detail }) => detail).join('; '));
      return statement;
    };
    return {
      get: (...values) => noted(values).get(...values),
      all: (...values) => noted(values).all(...values),
      run: (...values) => noted(values).run(...values),
    };
  }
}
