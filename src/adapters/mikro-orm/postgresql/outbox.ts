import { sql } from 'kysely';
import type { Outbox } from '../../../application/ports/outbox.ts';
import type { DomainEvent } from '../../../domain/events.ts';
import { postgresqlStatement } from '../statement.ts';
import type { AppendedEvent, PostgresqlWriteSession } from './write-session.ts';

/**
 * Positions are assigned before the commit, and commits overtake each other: a consumer that continues from a position must
 * stop before the first transaction in progress. So each event has the number of its transaction, and
 * `transaction < pg_snapshot_xmin(pg_current_snapshot())` holds for the events before which no other can appear.
 */
const APPEND = postgresqlStatement((db, { unit, type, data, at }: AppendedEvent) => {
  const transaction = sql<number>`cast(cast(pg_current_xact_id() as text) as bigint)`;
  return db.insertInto('events').values({ unit, type, data, at, transaction }).returning('position');
});

export class PostgresqlOutbox implements Outbox {
  readonly #session: PostgresqlWriteSession;

  constructor(session: PostgresqlWriteSession) {
    this.#session = session;
  }

  async append({ type, data, at }: DomainEvent): Promise<void> {
    await this.#session.append(APPEND, { type, data: JSON.stringify(data), at });
  }
}
