import { setTimeout as pause } from 'node:timers/promises';
import type { Dialect, TextQuery } from '../dialect.ts';
import type { ReadSession } from '../session.ts';
import type { CompiledStatements, Query } from '../statement.ts';
import { asStorageError, isConflict, isLost } from './postgresql-errors.ts';
import { type PostgresqlPool, type PostgresqlResult, statementOf } from './postgresql-pool.ts';

/** A query is executed at most so often: an idle connection may have been cut. */
const MOST_ATTEMPTS = 3;
/** A query that failed later than this is not retried. In milliseconds. */
const RETRY_WITHIN_MS = 5_000;
/** Time for pg to notice other connections that were cut too. */
const PAUSE_MS = 20;

export const POSTGRESQL: Dialect = {
  locksRows: true,
  writesIndexes: 'that change',
  indexHint: () => '',
  isOneOf: (column, values) => ({ sql: `${column} = any(?)`, values: [values] }),
};

/** Reads by compiled statements and by text. */
export abstract class StatementReads implements ReadSession {
  readonly dialect = POSTGRESQL;
  readonly #statements: CompiledStatements;

  constructor(statements: CompiledStatements) {
    this.#statements = statements;
  }

  async one<Values extends object, Row>(query: Query<Values, Row>, values: NoInfer<Values>): Promise<Row | undefined> {
    return (await this.all(query, values))[0];
  }

  all<Values extends object, Row>(query: Query<Values, Row>, values: NoInfer<Values>): Promise<Row[]> {
    return this.rows(this.#statements.bind(query, values));
  }

  abstract rows<Row>(query: TextQuery<Row>): Promise<Row[]>;
}

/** Queries on any free connection of a pool. Each query is one statement, and sees what was committed when it began. */
export class PostgresqlReadSession extends StatementReads {
  readonly #pool: PostgresqlPool;

  constructor(pool: PostgresqlPool, statements: CompiledStatements) {
    super(statements);
    this.#pool = pool;
  }

  async rows<Row>(query: TextQuery<Row>): Promise<Row[]> {
    const begun = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return (await ask(this.#pool, query)).rows as Row[];
      } catch (error) {
        const isOver = attempt === MOST_ATTEMPTS || performance.now() - begun > RETRY_WITHIN_MS;
        if (isOver || !(isLost(error) || isConflict(error))) throw asStorageError(error);
        await pause(attempt * PAUSE_MS);
      }
    }
  }
}

/** Runs one statement on a connection of the pool. */
export async function ask(pool: PostgresqlPool, query: TextQuery<unknown>): Promise<PostgresqlResult> {
  const client = await pool.connect();
  try {
    const result = await client.query(statementOf(query));
    client.release();
    return result;
  } catch (error) {
    client.release(isLost(error));
    throw error;
  }
}
