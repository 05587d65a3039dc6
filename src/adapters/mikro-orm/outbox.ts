import type { Outbox } from '../../application/ports/outbox.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { WriteSession } from './write-session.ts';

const APPEND = 'insert into events (type, data, at) values (?, ?, ?)';

export class MikroOrmOutbox implements Outbox {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async append({ type, data, at }: DomainEvent): Promise<void> {
    this.#session.run(APPEND, type, JSON.stringify(data), at);
  }
}
