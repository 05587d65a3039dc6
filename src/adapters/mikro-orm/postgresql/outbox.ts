import { sql } from 'kysely';
import type { Outbox } from '../../../application/ports/outbox.ts';
import type { DomainEvent } from '../../../domain/events.ts';
import type { WriteSession } from '../session.ts';
import { postgresqlStatement } from '../statement.ts';

/**
 * Positions are assigned before the commit, and commits overtake each other: a consumer that continues from a position must
 * stop before the first transaction in progress. So each event has the number of its transaction, and
 * `transaction < pg_snapshot_xmin(pg_current_snapshot())` holds for the events before which no other can appear.
 */
export const APPEND_EVENT = postgresqlStatement(
  (db, { type, data, at }: { type: string; data: string; at: number }) => {
    const transaction = sql<number>`cast(cast(pg_current_xact_id() as text) as bigint)`;
    return db.insertInto('events').values({ type, data, at, transaction });
  },
);

export class PostgresqlOutbox implements Outbox {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async append({ type, data, at }: DomainEvent): Promise<void> {
    await this.#session.send(APPEND_EVENT, { type, data: JSON.stringify(data), at });
  }
}
