import type { Outbox } from '../../application/ports/outbox.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { Draft } from './draft.ts';

export class InMemoryOutbox implements Outbox {
  readonly #draft: Draft;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  async append(event: DomainEvent): Promise<void> {
    const { events } = this.#draft.tables;
    events.insert({ id: events.nextId(), event: structuredClone(event) });
  }
}
