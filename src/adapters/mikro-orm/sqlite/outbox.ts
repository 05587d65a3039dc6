import type { EventRetention, Outbox } from '../../../application/ports/outbox.ts';
import type { DomainEvent } from '../../../domain/events.ts';
import { purgeEvents } from '../event-queries.ts';
import type { WriteSession } from '../session.ts';
import { statement } from '../statement.ts';
import type { RowOf } from '../tables.ts';

const APPEND = statement((db, { type, data, at }: Omit<RowOf<'events'>, 'position'>) =>
  db.insertInto('events').values({ type, data, at }),
);

export class SqliteOutbox implements Outbox {
  readonly #session: WriteSession;
  #hasAppended = false;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  get hasAppended(): boolean {
    return this.#hasAppended;
  }

  async append({ type, data, at }: DomainEvent): Promise<void> {
    await this.#session.run(APPEND, { type, data: JSON.stringify(data), at });
    this.#hasAppended = true;
  }

  purge(retention: EventRetention, most: number): Promise<number> {
    return purgeEvents(this.#session, retention, most);
  }
}
