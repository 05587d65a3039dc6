import { setTimeout as pause } from 'node:timers/promises';
import { type CompiledStatements, postgresqlStatement } from '../statement.ts';
import { sqlState } from './postgresql-errors.ts';
import { type PostgresqlClient, type PostgresqlDatabase, statementOf } from './postgresql-pool.ts';
import type { Mark } from './write-session.ts';

const UNIQUE_VIOLATION = '23505';

const EVENT_KEPT = postgresqlStatement((db, { position, unit }: { position: number; unit: string }) =>
  db.selectFrom('events').select('position').where('position', '=', position).where('unit', '=', unit),
);
const TAKE_EVENT = postgresqlStatement((db, { position, unit }: { position: number; unit: string }) =>
  db.insertInto('events').values({ position, unit, type: '', data: '', at: 0, transaction: 0 }),
);
const MARK_KEPT = postgresqlStatement((db, { unit }: { unit: string }) =>
  db.selectFrom('commit_markers').select('unit').where('unit', '=', unit),
);
const TAKE_MARK = postgresqlStatement((db, { unit }: { unit: string }) =>
  db.insertInto('commit_markers').values({ unit, at: 0 }),
);

const PAUSE_MS = 50;

/**
 * Finds out what became of a commit whose answer was lost: tries to write the row that the unit of work wrote, which waits
 * while that may still be kept and fails when it was. It needs nothing but a unique key, so that it holds after a restart
 * and on other engines too, where the number of a transaction is used again or unknown. Gives up after `longest` milliseconds.
 */
export async function resolveInDoubt(
  mark: Mark,
  { pool, statements }: PostgresqlDatabase,
  longest: number,
): Promise<'kept' | 'undone' | 'unknown'> {
  const until = performance.now() + longest;
  do {
    try {
      return await lookFor(mark, statements, await pool.connect());
    } catch {
      await pause(PAUSE_MS);
    }
  } while (performance.now() < until);
  return 'unknown';
}

async function lookFor(
  { unit, position }: Mark,
  statements: CompiledStatements,
  client: PostgresqlClient,
): Promise<'kept' | 'undone'> {
  const [take, kept] =
    position === undefined
      ? [statements.bind(TAKE_MARK, { unit }), statements.bind(MARK_KEPT, { unit })]
      : [statements.bind(TAKE_EVENT, { position, unit }), statements.bind(EVENT_KEPT, { position, unit })];
  try {
    await client.query('begin');
    const taken = await client.query(statementOf(take)).then(
      () => true,
      (error: unknown) => {
        if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
        return false;
      },
    );
    await client.query('rollback');
    const { rows } = taken ? { rows: [] } : await client.query(statementOf(kept));
    client.release();
    return rows.length > 0 ? 'kept' : 'undone';
  } catch (error) {
    client.release(true);
    throw error;
  }
}
