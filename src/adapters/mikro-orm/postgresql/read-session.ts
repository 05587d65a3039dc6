import { setTimeout as pause } from 'node:timers/promises';
import type { Dialect, ReadSession } from '../session.ts';
import { asStorageError, isConflict, isLost } from './postgresql-errors.ts';
import { type PostgresqlPool, type PostgresqlResult, statementOf } from './postgresql-pool.ts';

/** How often a question is asked at most: a connection may have been cut while nobody used it. */
const MOST_ATTEMPTS = 3;
/** A question that failed later than this is not asked again: whoever asked has waited long enough. In milliseconds. */
const MOST_WAITING_MS = 5_000;
/** Connections that were cut together with that one are noticed meanwhile. */
const PAUSE_MS = 20;

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
    const begun = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await ask(this.#pool, sql, values);
      } catch (error) {
        const isOver = attempt === MOST_ATTEMPTS || performance.now() - begun > MOST_WAITING_MS;
        if (isOver || !(isLost(error) || isConflict(error))) throw asStorageError(error);
        await pause(attempt * PAUSE_MS);
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
