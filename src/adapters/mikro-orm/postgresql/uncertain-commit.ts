import { setTimeout as pause } from 'node:timers/promises';
import { sqlState } from './postgresql-errors.ts';
import { type PostgresqlClient, type PostgresqlPool, statementOf } from './postgresql-pool.ts';
import type { Mark } from './write-session.ts';

const UNIQUE_VIOLATION = '23505';

const EVENT_KEPT = 'select 1 from events where position = ? and unit = ?';
const TAKE_EVENT = "insert into events (position, unit, type, data, at, transaction) values (?, ?, '', '', 0, 0)";
const MARK_KEPT = 'select 1 from marks where unit = ?';
const TAKE_MARK = 'insert into marks (unit, at) values (?, 0)';

const PAUSE_MS = 50;

/**
 * Finds out what became of a commit whose answer was lost: tries to write the row that the unit of work wrote, which waits
 * while that may still be kept and fails when it was. It needs nothing but a unique key, so that it holds after a restart
 * and on other engines too, where the number of a transaction is used again or unknown. Gives up after `longest` milliseconds.
 */
export async function becameOf(
  mark: Mark,
  pool: PostgresqlPool,
  longest: number,
): Promise<'kept' | 'undone' | 'unknown'> {
  const until = performance.now() + longest;
  do {
    try {
      return await lookFor(mark, await pool.connect());
    } catch {
      await pause(PAUSE_MS);
    }
  } while (performance.now() < until);
  return 'unknown';
}

async function lookFor({ unit, position }: Mark, client: PostgresqlClient): Promise<'kept' | 'undone'> {
  const row = position === undefined ? [unit] : [position, unit];
  const [take, kept] = position === undefined ? [TAKE_MARK, MARK_KEPT] : [TAKE_EVENT, EVENT_KEPT];
  try {
    await client.query('begin');
    const taken = await client.query(statementOf(take, row)).then(
      () => true,
      (error: unknown) => {
        if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
        return false;
      },
    );
    await client.query('rollback');
    const { rows } = taken ? { rows: [] } : await client.query(statementOf(kept, row));
    client.release();
    return rows.length > 0 ? 'kept' : 'undone';
  } catch (error) {
    client.release(true);
    throw error;
  }
}
