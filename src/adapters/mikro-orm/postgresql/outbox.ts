import type { Outbox } from '../../../application/ports/outbox.ts';
import type { DomainEvent } from '../../../domain/events.ts';
import type { PostgresqlWriteSession } from './write-session.ts';

/**
 * Positions are given out before the commit, and commits overtake each other: whoever reads on from a position must stop
 * before the first transaction that is still under way. So each event has the number of its transaction, and
 * `transaction < pg_snapshot_xmin(pg_current_snapshot())` holds for those before which nothing more will come.
 */
const APPEND = `insert into events (unit, type, data, at, transaction)
  values (?, ?, ?, ?, cast(cast(pg_current_xact_id() as text) as bigint)) returning position`;

export class PostgresqlOutbox implements Outbox {
  readonly #session: PostgresqlWriteSession;

  constructor(session: PostgresqlWriteSession) {
    this.#session = session;
  }

  async append({ type, data, at }: DomainEvent): Promise<void> {
    await this.#session.append(APPEND, type, JSON.stringify(data), at);
  }
}
