import type { Outbox } from '../../../application/ports/outbox.ts';
import type { DomainEvent } from '../../../domain/events.ts';
import type { WriteSession } from '../session.ts';
import { statement } from '../statement.ts';
import type { RowOf } from '../tables.ts';

const APPEND = statement((db, { type, data, at }: Omit<RowOf<'events'>, 'position'>) =>
  db.insertInto('events').values({ type, data, at }),
);

export class SqliteOutbox implements Outbox {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async append({ type, data, at }: DomainEvent): Promise<void> {
    await this.#session.run(APPEND, { type, data: JSON.stringify(data), at });
  }
}
