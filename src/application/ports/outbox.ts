import type { DomainEvent } from '../../domain/events.ts';

/** Stores events in the unit of work of the change that they report. Each event gets a unique, ascending position. */
export interface Outbox {
  append(event: DomainEvent): Promise<void>;
}
