import type { Log } from '../../../application/ports/log.ts';
import type { TextQuery } from '../dialect.ts';
import { isConflict } from './postgresql-errors.ts';
import type { PostgresqlPool, PostgresqlResult } from './postgresql-pool.ts';
import { ask } from './read-session.ts';
import { Deadline } from './time-limit.ts';

/** How far the primary's write-ahead log is flushed at a moment, and the history that the log belongs to. */
export interface LogPosition {
  readonly lsn: string;
  /** The cluster, its timeline, the database and the schema. */
  readonly history: string;
}

/**
 * An acknowledged change was flushed before, unless `synchronous_commit` is off: then it was only inserted into the log. The
 * timeline is the first part of the name of a log file.
 */
const POSITION = `select lsn, concat_ws('/', system_identifier, left(pg_walfile_name(cast(lsn as pg_lsn)), 8),
    current_database(), current_schema()) as history
  from pg_control_system(), (select cast(case current_setting('synchronous_commit') when 'off'
    then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end as text) as lsn) as primary_log`;

/**
 * A promoted server still reports the position that it replayed last, so the query asks whether the server is a standby. A
 * standby that left the primary's timeline can be at a later position and still lack changes, so the timelines must be equal.
 * The standby records its timeline some time after the switch; a member of `pg_monitor` sees it at once.
 */
const STATE = `select pg_is_in_recovery() as standby,
    concat_ws('/', system_identifier, upper(lpad(to_hex(greatest(min_recovery_end_timeline,
      (select received_tli from pg_stat_wal_receiver))), 8, '0')), current_database(), current_schema()) as history,
    pg_last_wal_replay_lsn() >= cast(? as pg_lsn) as replayed
  from pg_control_system(), pg_control_recovery()`;

/** The truth values are texts: `t` or `f`. */
interface StateRow {
  readonly standby: string;
  readonly history: string;
  readonly replayed: string | null;
}

/** How long a replica is not used after it failed or was behind, in milliseconds: not every read has to wait for it. */
const COOL_DOWN_MS = 1_000;

/** Whether a replica may serve a read: it has caught up, is behind, or is not used for a while. */
export type ReplicaState = 'caught up' | 'behind' | 'cooling down';

/** Asks the primary for its position. */
export async function positionOf(primary: PostgresqlPool): Promise<LogPosition> {
  return (await ask(primary, { sql: POSITION, values: [] })).rows[0] as LogPosition;
}

/** One standby: whether it may serve reads, and reading from it. Its failures never reach the reader. */
export class Replica {
  readonly #name: string;
  readonly #reads: PostgresqlPool;
  /** A pool of its own, so that no question about the state waits for a long list. */
  readonly #states: PostgresqlPool;
  readonly #log: Log;
  #coolsDownUntil = 0;
  #isOut = false;

  /** `name` is shown in the log: it has no password. */
  constructor(name: string, pools: { readonly reads: PostgresqlPool; readonly states: PostgresqlPool }, log: Log) {
    this.#name = name;
    this.#reads = pools.reads;
    this.#states = pools.states;
    this.#log = log;
  }

  get isCoolingDown(): boolean {
    return performance.now() < this.#coolsDownUntil;
  }

  /** Whether it has replayed everything up to a position. It cools down if it does not answer within `timeout` milliseconds. */
  async caughtUpTo({ lsn, history }: LogPosition, timeout: number): Promise<ReplicaState> {
    const deadline = new Deadline(timeout);
    try {
      const { rows } = await deadline.limit(ask(this.#states, { sql: STATE, values: [lsn] }));
      const [found] = rows as [StateRow];
      if (found.standby !== 't') this.coolDown('is not a standby');
      else if (found.history !== history) this.coolDown('does not follow the primary (yet)');
      else if (found.replayed !== 't') return 'behind';
      else return this.#isBack();
    } catch (error) {
      this.coolDown(deadline.isOver ? 'does not respond' : `cannot be queried (${codeOf(error)})`);
    } finally {
      deadline.end();
    }
    return 'cooling down';
  }

  /** Returns `undefined` if it fails, for whatever reason. */
  async ask(query: TextQuery<unknown>): Promise<PostgresqlResult | undefined> {
    try {
      return await ask(this.#reads, query);
    } catch (error) {
      // Replaying the log conflicted with this one statement; the next one may succeed.
      if (!isConflict(error)) this.coolDown(`failed (${codeOf(error)})`);
      return undefined;
    }
  }

  /** Is not used for a while. */
  coolDown(because: string): void {
    if (this.#states.ending) return;
    this.#coolsDownUntil = performance.now() + COOL_DOWN_MS;
    if (this.#isOut) return;
    this.#isOut = true;
    this.#log.warn('a replica is out of service; reads go to the primary', {
      replica: this.#name,
      because: `it ${because}`,
    });
  }

  #isBack(): 'caught up' {
    if (this.#isOut) this.#log.info('a replica is back in service', { replica: this.#name });
    this.#isOut = false;
    return 'caught up';
  }
}

/** The code of an error, or else its message. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
