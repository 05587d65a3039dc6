import type { EventType } from '../domain/events.ts';
import { EVENT_TYPES } from '../domain/events.ts';
import { type EventLog, EventsExpired } from './ports/event-log.ts';

const BATCH = 500;

/** Follows the end of the log, and knows for each type where its last event is. */
export class EventTail {
  readonly #eventLog: EventLog;
  /** `undefined` before the first reading. */
  #position: number | undefined;
  readonly #last = new Map<EventType, number>();

  constructor(eventLog: EventLog) {
    this.#eventLog = eventLog;
  }

  /** Reads to the end of the log. The first time, any earlier event may be of any type. */
  async follow(): Promise<void> {
    while (!(await this.#readOn()));
  }

  /** Whether an event of these types may follow the position. */
  mayFollow(types: readonly EventType[], position: number): boolean {
    return types.some((type) => (this.#last.get(type) ?? 0) > position);
  }

  /** How many positions the end is behind `position`. */
  distanceFrom(position: number): number {
    return (this.#position ?? 0) - position;
  }

  /** Returns whether it has reached the end. */
  async #readOn(): Promise<boolean> {
    if (this.#position === undefined) {
      const { last } = await this.#eventLog.range();
      for (const type of Object.keys(EVENT_TYPES) as EventType[]) this.#last.set(type, last);
      this.#position = last;
      return true;
    }
    try {
      const { events, position, last } = await this.#eventLog.read({ after: this.#position, limit: BATCH });
      for (const event of events) this.#last.set(event.type, event.position);
      this.#position = position;
      return position >= last;
    } catch (error) {
      if (!(error instanceof EventsExpired)) throw error;
      this.#position = undefined;
      return false;
    }
  }
}
