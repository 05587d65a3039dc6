import { sql } from 'kysely';
import { postgresqlStatement } from '../statement.ts';
import type { PostgresqlPool } from './postgresql-pool.ts';
import { ask } from './read-session.ts';

/** The key of the advisory lock of the node that purges: 'PURG' in ASCII. */
const PURGE_LOCK = 0x50555247;

/** Whether this node may purge until its transaction ends; another one does otherwise. */
export const MAY_PURGE = postgresqlStatement((db) =>
  db.selectNoFrom(sql<'t' | 'f'>`pg_try_advisory_xact_lock(${sql.lit(PURGE_LOCK)})`.as('mayPurge')),
);

/** A marker is needed while its commit is in doubt: twice the time of a unit of work, which is ten minutes at most. */
const RETENTION_MINUTES = 60;

/** How many markers one transaction deletes at most. */
const MARKERS_PER_STEP = 5_000;

const EVERY_MS = 60_000;

/** By the clock of the database, which wrote the markers too. */
const DELETE_MARKERS = {
  sql: `with purge as materialized (select pg_try_advisory_xact_lock(${PURGE_LOCK}) as allowed)
    delete from commit_markers where unit in (select unit from commit_markers
      where at < extract(epoch from now() - interval '${RETENTION_MINUTES} minutes') * 1000
        and (select allowed from purge)
      order by at limit ${MARKERS_PER_STEP})`,
  values: [],
};

/** Deletes the commit markers that are not needed any more, step by step. Returns how many there were. */
export async function purgeMarkers(pool: PostgresqlPool): Promise<number> {
  for (let purged = 0; ; ) {
    const deleted = (await ask(pool, DELETE_MARKERS)).rowCount ?? 0;
    purged += deleted;
    if (deleted < MARKERS_PER_STEP) return purged;
  }
}

/** Purges the commit markers of a database every minute, until it is stopped. */
export class MarkerPurge {
  #timer: NodeJS.Timeout | undefined;
  #inProgress: Promise<unknown> | undefined;

  start(pool: PostgresqlPool): void {
    this.#timer = setInterval(() => {
      // What fails now is purged the next time.
      this.#inProgress ??= purgeMarkers(pool)
        .catch(() => undefined)
        .finally(() => (this.#inProgress = undefined));
    }, EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#inProgress;
  }
}
