import {
  type EventBatch,
  EventLog,
  type EventRange,
  type EventRequest,
  EventsExpired,
  type StoredEvent,
} from '../../application/ports/event-log.ts';
import type { InMemoryStore } from './store.ts';

/** Positions have no gaps: the log has all from the oldest to the last one. */
export class InMemoryEventLog extends EventLog {
  readonly #store: InMemoryStore;

  constructor(store: InMemoryStore) {
    super();
    this.#store = store;
  }

  async read({ after: given, types, limit }: EventRequest): Promise<EventBatch> {
    const { oldest, last } = this.#range;
    const after = given ?? oldest - 1;
    if (after < oldest - 1) throw new EventsExpired(oldest);
    const { events: rows } = this.#store.tables;
    const events: StoredEvent[] = [];
    for (let position = after + 1; position <= last; position++) {
      const event = rows.get(position)?.event;
      if (!event || (types && !types.includes(event.type))) continue;
      events.push({ ...structuredClone(event), position });
      if (events.length === limit) return { events, position, last };
    }
    return { events, position: Math.max(after, last), last };
  }

  async range(): Promise<EventRange> {
    return this.#range;
  }

  subscribe(listener: () => void): () => void {
    return this.#store.eventsAppended.subscribe(listener);
  }

  get #range(): EventRange {
    const { events } = this.#store.tables;
    const [first] = events.all();
    return { oldest: first?.id ?? events.lastId + 1, last: events.lastId };
  }
}
