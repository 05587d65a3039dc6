import type { Dialect, ReadSession } from '../session.ts';
import { asStorageError, isConflict, isLost } from './postgresql-errors.ts';
import { type PostgresqlPool, type PostgresqlResult, statementOf } from './postgresql-pool.ts';

/** How often a question is asked at most: a connection may have been cut while nobody used it. */
const MOST_ATTEMPTS = 3;

const DIALECT: Dialect = {
  along: () => '',
  isOneOf: (column, values) => ({ sql: `${column} = any(?)`, values: [values] }),
};

/** Asks on whichever connection of a pool is free. Each question is a statement, and sees what was committed when it began. */
export class PostgresqlReadSession implements ReadSession {
  readonly dialect = DIALECT;
  readonly #pool: PostgresqlPool;

  constructor(pool: PostgresqlPool) {
    this.#pool = pool;
  }

  async one<Row>(sql: string, ...values: readonly unknown[]): Promise<Row | undefined> {
    return (await this.#ask(sql, values)).rows[0] as Row | undefined;
  }

  async all<Row>(sql: string, ...values: readonly unknown[]): Promise<Row[]> {
    return (await this.#ask(sql, values)).rows as Row[];
  }

  async #ask(sql: string, values: readonly unknown[]): Promise<PostgresqlResult> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await ask(this.#pool, sql, values);
      } catch (error) {
        if (attempt === MOST_ATTEMPTS || !(isLost(error) || isConflict(error))) throw asStorageError(error);
      }
    }
  }
}

/** Runs one statement on a connection of the pool. */
export async function ask(pool: PostgresqlPool, sql: string, values: readonly unknown[]): Promise<PostgresqlResult> {
  const client = await pool.connect();
  try {
    const result = await client.query(statementOf(sql, values));
    client.release();
    return result;
  } catch (error) {
    client.release(isLost(error));
    throw error;
  }
}
