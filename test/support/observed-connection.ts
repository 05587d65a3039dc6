import type { SqliteDatabase } from '../../src/adapters/mikro-orm/sqlite/sqlite-database.ts';

/** A statement that ran, and how SQLite executed it: one line for each step of its plan. */
export interface ObservedStatement {
  readonly sql: string;
  readonly plan: readonly string[];
}

/** A connection that runs statements and records their plans. */
export class ObservedConnection implements Pick<SqliteDatabase, 'prepare'> {
  readonly statements: ObservedStatement[] = [];
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  get plans(): string[] {
    return this.statements.map(({ plan }) => plan.join('; '));
  }

  prepare(sql: string): ReturnType<SqliteDatabase['prepare']> {
    const statement = this.#database.prepare(sql);
    const explained = this.#database.prepare(`explain query plan ${sql}`);
    const observed = (values: readonly unknown[]) => {
      const steps = explained.all(...values) as { detail: string }[];
      this.statements.push({ sql, plan: steps.map(({ detail }) => detail) });
      return statement;
    };
    return {
      get: (...values) => observed(values).get(...values),
      all: (...values) => observed(values).all(...values),
      run: (...values) => observed(values).run(...values),
    };
  }
}
