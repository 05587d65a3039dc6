import type { DomainEvent } from '../../domain/events.ts';

/** Keeps what others shall be told, in the unit of work of what it tells, at a position of its own, growing. */
export interface Outbox {
  append(event: DomainEvent): Promise<void>;
}
