import type { EventRetention, Outbox } from '../../../application/ports/outbox.ts';
import type { DomainEvent } from '../../../domain/events.ts';
import { purgeEvents } from '../event-queries.ts';
import type { WriteSession } from '../session.ts';
import { postgresqlStatement } from '../statement.ts';
import { MAY_PURGE } from './purge.ts';

/**
 * Identifiers of the outbox are assigned before the commit, and commits overtake each other, so they are not the positions of the
 * events: see `event-relay.ts`. But a transaction that waited for another one has greater identifiers.
 */
export const APPEND_EVENT = postgresqlStatement((db, { type, data, at }: { type: string; data: string; at: number }) =>
  db.insertInto('outbox').values({ type, data, at }),
);

export class PostgresqlOutbox implements Outbox {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async append({ type, data, at }: DomainEvent): Promise<void> {
    await this.#session.send(APPEND_EVENT, { type, data: JSON.stringify(data), at });
  }

  /** Waits for nothing, because orders may share the transaction. */
  async purge(retention: EventRetention, most: number): Promise<number> {
    const allowed = await this.#session.one(MAY_PURGE, {});
    return allowed?.mayPurge === 't' ? purgeEvents(this.#session, retention, most) : 0;
  }
}
