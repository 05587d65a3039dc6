import type { DomainEvent, EventType } from '../../domain/events.ts';
import { sharedByCopies } from '../../domain/shared-by-copies.ts';

/** An event with its position in the log: a whole number from 1 upwards, with gaps. */
export type StoredEvent = DomainEvent & { readonly position: number };

export interface EventRequest {
  /** Only events after this position, 0 or more; left out for the oldest event that the log still has. */
  readonly after?: number | undefined;
  /** Only events of these types; all types if left out. */
  readonly types?: readonly EventType[] | undefined;
  /** How many events at most, 1 or more. */
  readonly limit: number;
}

export interface EventBatch {
  /** In ascending order of their positions. */
  readonly events: readonly StoredEvent[];
  /** The log was read up to here, so reading continues after it; never less than `after`. */
  readonly position: number;
  /** The last position of the log when it was read. More may match while `position` is less than this. */
  readonly last: number;
}

export interface EventRange {
  /** The first position that retention has not removed; one more than `last` if the log is empty. */
  readonly oldest: number;
  /** The last position that can be read; 0 if there never was an event. */
  readonly last: number;
}

/**
 * Reads what units of work appended to their outboxes. Every adapter keeps these promises:
 *
 * - Each committed event appears once, with a position of its own, and with the type, data and instant that were appended.
 *   Nothing of a unit of work that failed or is in progress appears.
 * - The events of one unit of work have ascending positions in the order in which they were appended. If a unit of work began
 *   after another one was acknowledged, or waited for a lock of it, its events have greater positions.
 * - Positions can be trusted: once `last` or an event has shown a position, no event ever appears at or before it that was not there,
 *   on any connection, node or replica. Positions never start again, also after the log was emptied or the storage was opened again.
 * - A result is at least as new as every unit of work that had been acknowledged when it was requested.
 * - Retention removes the oldest events only. Reading after a position that is followed by a removed one is an error, not a gap.
 * - A result may contain fewer events than `limit`, even none, though more match: a reader continues after `position` until that is
 *   `last`. Its cost does not depend on the size of the log.
 * - Reading never waits for a unit of work in progress.
 *
 * A storage that is away or damaged rejects with `StorageUnavailable`.
 */
abstract class EventLogPort {
  /** @throws {EventsExpired} if retention has removed an event after `after` */
  abstract read(request: EventRequest): Promise<EventBatch>;
  abstract range(): Promise<EventRange>;
  /**
   * Calls `listener` when events can be read that could not be before, whichever process appended them: soon after their commit, at
   * least once for the last of them, perhaps once for many, and perhaps for none. It does not keep the process alive. The listener
   * returns at once and does not throw. Returns a function that ends the subscription.
   */
  abstract subscribe(listener: () => void): () => void;
}

export type EventLog = EventLogPort;
export const EventLog = sharedByCopies('EventLog', EventLogPort);

/** Retention has removed events that were asked for. */
class EventsExpiredClass extends Error {
  override readonly name = 'EventsExpired';
  /** The first position that is still available. */
  readonly oldest: number;

  constructor(oldest: number) {
    super(`The events before position ${oldest} were removed.`);
    this.oldest = oldest;
  }
}

export type EventsExpired = EventsExpiredClass;
export const EventsExpired = sharedByCopies('EventsExpired', EventsExpiredClass);
