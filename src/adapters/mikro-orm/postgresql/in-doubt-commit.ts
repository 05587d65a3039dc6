import { setTimeout as pause } from 'node:timers/promises';
import { type CompiledStatements, postgresqlStatement } from '../statement.ts';
import { sqlState, UNIQUE_VIOLATION } from './postgresql-errors.ts';
import { type PostgresqlClient, type PostgresqlDatabase, statementOf } from './postgresql-pool.ts';

const IS_MARKED = postgresqlStatement((db, { unit }: { unit: string }) =>
  db.selectFrom('commit_markers').select('unit').where('unit', '=', unit),
);
const TRY_TO_MARK = postgresqlStatement((db, { unit }: { unit: string }) =>
  db.insertInto('commit_markers').values({ unit, at: 0 }),
);

const PAUSE_MS = 50;

/**
 * Finds out whether a transaction was committed whose response was lost. Inserting its marker again waits while that is undecided, and
 * fails if it was committed. This needs a unique key and nothing else, so that it works after a restart of the server, which uses
 * numbers of transactions again, and on other engines. Returns `unknown` after `timeout` milliseconds.
 */
export async function resolveInDoubt(
  unit: string,
  { pool, statements }: PostgresqlDatabase,
  timeout: number,
): Promise<'kept' | 'undone' | 'unknown'> {
  const until = performance.now() + timeout;
  do {
    try {
      return await lookFor(unit, statements, await pool.connect());
    } catch {
      await pause(PAUSE_MS);
    }
  } while (performance.now() < until);
  return 'unknown';
}

async function lookFor(
  unit: string,
  statements: CompiledStatements,
  client: PostgresqlClient,
): Promise<'kept' | 'undone'> {
  try {
    await client.query('begin');
    const isFree = await client.query(statementOf(statements.bind(TRY_TO_MARK, { unit }))).then(
      () => true,
      (error: unknown) => {
        if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
        return false;
      },
    );
    await client.query('rollback');
    const { rows } = isFree ? { rows: [] } : await client.query(statementOf(statements.bind(IS_MARKED, { unit })));
    client.release();
    return rows.length > 0 ? 'kept' : 'undone';
  } catch (error) {
    client.release(true);
    throw error;
  }
}
