import type { Outbox } from '../../application/ports/outbox.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { StagedChanges } from './staged-changes.ts';

export class InMemoryOutbox implements Outbox {
  readonly #staged: StagedChanges;

  constructor(staged: StagedChanges) {
    this.#staged = staged;
  }

  async append(event: DomainEvent): Promise<void> {
    const { events } = this.#staged.tables;
    events.insert({ id: events.nextId(), event: structuredClone(event) });
  }
}
