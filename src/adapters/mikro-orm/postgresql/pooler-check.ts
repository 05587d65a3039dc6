import { StorageRefused } from '../../../application/ports/storage.ts';
import { sqlState } from './postgresql-errors.ts';
import { type PostgresqlPool, statementOf } from './postgresql-pool.ts';

/** A prepared statement does not exist, or another client prepared one of that name. */
const NOT_KEPT = /^(26000|42P05)$/;
const NO_TRANSACTIONS = /statement pooling/;

const PROBE = { sql: 'select pg_backend_pid() as pid', values: [] };

/** Another node may use the pooler's connection that a probe needs, so there are several. */
const PROBES = 3;

/**
 * A pooler may run each transaction of a client on another connection to the server. While a transaction holds the connection
 * that a statement was prepared on, the same statement runs on another one: it must be there too. @throws {StorageRefused}
 */
export async function checkPreparedStatements(
  probing: PostgresqlPool,
  holding: PostgresqlPool,
  named: string,
): Promise<void> {
  const prober = await probing.connect();
  try {
    const holder = await holding.connect();
    try {
      for (let i = 0; i < PROBES; i++) {
        await prober.query(statementOf(PROBE));
        await holder.query('begin');
        await prober.query(statementOf(PROBE));
        await holder.query('rollback');
      }
      holder.release();
    } catch (error) {
      holder.release(true);
      throw error;
    }
    prober.release();
  } catch (error) {
    prober.release(true);
    if (!NOT_KEPT.test(sqlState(error)) && !(error instanceof Error && NO_TRANSACTIONS.test(error.message)))
      throw error;
    throw new StorageRefused(
      `The database ${named} is behind a pooler that does not keep prepared statements; use its session mode, make it keep them (PgBouncer 1.21 or newer: max_prepared_statements = 200), or set DATABASE_URL to the server itself.`,
      { cause: error },
    );
  }
}

/** The start-up parameters that a pooler must pass on or ignore. */
export const STARTUP_PARAMETERS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;

/** Whether a pooler refused the connection because of its start-up parameters. */
export function refusesStartupParameters(error: unknown): boolean {
  return sqlState(error) === '08P01' && error instanceof Error && /startup parameter/i.test(error.message);
}
