import type { Outbox } from '../../../application/ports/outbox.ts';
import type { DomainEvent } from '../../../domain/events.ts';
import type { WriteSession } from '../session.ts';

const APPEND = 'insert into events (type, data, at) values (?, ?, ?)';

export class SqliteOutbox implements Outbox {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async append({ type, data, at }: DomainEvent): Promise<void> {
    await this.#session.run(APPEND, type, JSON.stringify(data), at);
  }
}
