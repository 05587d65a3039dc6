import type { Clock } from './ports/clock.ts';
import type { EventLog } from './ports/event-log.ts';
import type { UnitOfWork } from './ports/unit-of-work.ts';

/** Each step is a unit of work, so it is small: other changes wait for it, or share its commit. */
const PURGE_BATCH = 500;

export interface RetentionLimits {
  /** How long an event is kept at most, in milliseconds. */
  readonly age: number;
  /** How many of the newest positions of the log are kept at most. */
  readonly count: number;
}

/** Removes events that are too old or too many. */
export class EventRetention {
  readonly #work: UnitOfWork;
  readonly #log: EventLog;
  readonly #clock: Clock;
  readonly #limits: RetentionLimits;

  constructor(work: UnitOfWork, log: EventLog, clock: Clock, limits: RetentionLimits) {
    this.#work = work;
    this.#log = log;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Removes the oldest events, step by step. Returns how many; 0 also while another node does it. */
  async purge(): Promise<number> {
    const { last } = await this.#log.range();
    const retention = { before: this.#clock.now() - this.#limits.age, upTo: last - this.#limits.count };
    for (let purged = 0; ; ) {
      const removed = await this.#work.write(({ outbox }) => outbox.purge(retention, PURGE_BATCH));
      purged += removed;
      if (removed < PURGE_BATCH) return purged;
    }
  }
}
