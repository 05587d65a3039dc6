import type { Log } from '../../../application/ports/log.ts';
import type { TextQuery } from '../dialect.ts';
import { isConflict } from './postgresql-errors.ts';
import type { PostgresqlPool, PostgresqlResult } from './postgresql-pool.ts';
import { ask } from './read-session.ts';
import { Deadline } from './time-limit.ts';

/** How far the log of the primary was written down at a moment, and of which history that log is. */
export interface LogPosition {
  readonly lsn: string;
  /** The cluster, its timeline, and where in it the tables are. */
  readonly history: string;
}

/**
 * What is acknowledged was flushed before, unless `synchronous_commit` is off: then it was only written into the log. The
 * timeline is the first part of the name of a file of the log.
 */
const POSITION = `select lsn, concat_ws('/', system_identifier, left(pg_walfile_name(cast(lsn as pg_lsn)), 8),
    current_database(), current_schema()) as history
  from pg_control_system(), (select cast(case current_setting('synchronous_commit') when 'off'
    then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end as text) as lsn) as primary_log`;

/**
 * A server that was promoted goes on saying what it replayed last, so it is asked what it is. A standby that went on where
 * the primary of another timeline had not been can be further and still lack something: the timeline must be the same. The
 * standby notes it down some time after it got there; whoever may see by which one it is fed (`pg_monitor`) knows at once.
 */
const STANDING = `select pg_is_in_recovery() as standby,
    concat_ws('/', system_identifier, upper(lpad(to_hex(greatest(min_recovery_end_timeline,
      (select received_tli from pg_stat_wal_receiver))), 8, '0')), current_database(), current_schema()) as history,
    pg_last_wal_replay_lsn() >= cast(? as pg_lsn) as replayed
  from pg_control_system(), pg_control_recovery()`;

/** The truth values as texts: `t` or `f`. */
interface StandingRow {
  readonly standby: string;
  readonly history: string;
  readonly replayed: string | null;
}

/** How long a replica is left alone that failed or did not keep up, in milliseconds: not every read is to wait for it. */
const REST_MS = 1_000;

type Standing = 'ready' | 'behind' | 'resting';

/** Asks the primary how far it is. */
export async function positionOf(primary: PostgresqlPool): Promise<LogPosition> {
  return (await ask(primary, { sql: POSITION, values: [] })).rows[0] as LogPosition;
}

/** One standby: whether it may be read from, and reading from it. What goes wrong with it is never the reader's trouble. */
export class Replica {
  readonly #named: string;
  readonly #reads: PostgresqlPool;
  /** Apart from those to read, so that no question about its standing waits for a long list. */
  readonly #questions: PostgresqlPool;
  readonly #log: Log;
  #restsUntil = 0;
  #isAway = false;

  /** `named`: as it may be shown. */
  constructor(named: string, pools: { readonly reads: PostgresqlPool; readonly questions: PostgresqlPool }, log: Log) {
    this.#named = named;
    this.#reads = pools.reads;
    this.#questions = pools.questions;
    this.#log = log;
  }

  get rests(): boolean {
    return performance.now() < this.#restsUntil;
  }

  /** Whether it has all that the primary had at a position. Rests if it does not say so in time, in milliseconds. */
  async standingAt({ lsn, history }: LogPosition, patience: number): Promise<Standing> {
    const late = new Deadline(patience);
    try {
      const { rows } = await late.limit(ask(this.#questions, { sql: STANDING, values: [lsn] }));
      const [found] = rows as [StandingRow];
      if (found.standby !== 't') this.rest('is not a standby');
      else if (found.history !== history) this.rest('does not follow the primary (yet)');
      else if (found.replayed !== 't') return 'behind';
      else return this.#isBack();
    } catch (error) {
      this.rest(late.isOver ? 'does not respond' : `cannot be queried (${said(error)})`);
    } finally {
      late.end();
    }
    return 'resting';
  }

  /** Gives `undefined` where it could not answer, for whatever reason. */
  async ask(query: TextQuery<unknown>): Promise<PostgresqlResult | undefined> {
    try {
      return await ask(this.#reads, query);
    } catch (error) {
      // What it replays was in the way of this one statement; the next one may go well.
      if (!isConflict(error)) this.rest(`failed (${said(error)})`);
      return undefined;
    }
  }

  /** Is left alone for a while. */
  rest(because: string): void {
    if (this.#questions.ending) return;
    this.#restsUntil = performance.now() + REST_MS;
    if (this.#isAway) return;
    this.#isAway = true;
    this.#log.warn('a replica is out of service; reads go to the primary', {
      replica: this.#named,
      because: `it ${because}`,
    });
  }

  #isBack(): 'ready' {
    if (this.#isAway) this.#log.info('a replica is back in service', { replica: this.#named });
    this.#isAway = false;
    return 'ready';
  }
}

/** What is known of an error without what it was about: its code, or else its kind. */
function said(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
