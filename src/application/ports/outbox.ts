import type { DomainEvent } from '../../domain/events.ts';

/** Which events need not be kept any longer: those that match either of the two. */
export interface EventRetention {
  /** Events that happened before this instant, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly before: number;
  /** Events at or before this position. */
  readonly upTo: number;
}

/** The writing side of the event log. See `EventLog` for how events are read. */
export interface Outbox {
  append(event: DomainEvent): Promise<void>;
  /**
   * Removes the oldest events up to the first one that must be kept, and at most `most`. Returns how many it removed; 0 also while
   * another node removes some. It may leave events that were committed a moment ago.
   */
  purge(retention: EventRetention, most: number): Promise<number>;
}
