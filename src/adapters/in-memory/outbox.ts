import type { EventRetention, Outbox } from '../../application/ports/outbox.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { StagedChanges } from './staged-changes.ts';

export class InMemoryOutbox implements Outbox {
  readonly #staged: StagedChanges;

  constructor(staged: StagedChanges) {
    this.#staged = staged;
  }

  async append(event: DomainEvent): Promise<void> {
    const { events } = this.#staged.tables;
    // A copy of JSON, as the other storages keep it.
    events.insert({ id: events.nextId(), event: JSON.parse(JSON.stringify(event)) as DomainEvent });
  }

  async purge({ before, upTo }: EventRetention, most: number): Promise<number> {
    const { events } = this.#staged.tables;
    const expired: number[] = [];
    for (const { id, event } of events.all()) {
      if (expired.length === most || (event.at >= before && id > upTo)) break;
      expired.push(id);
    }
    for (const id of expired) events.delete(id);
    return expired.length;
  }
}
