import { Clock } from '../application/ports/clock.ts';

/** A clock that stands still until it is set. */
export class FixedClock extends Clock {
  #now: number;

  constructor(now: number = Date.UTC(2026, 10, 21, 9)) {
    super();
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  /** Sets it to an instant, in milliseconds since 1970-01-01T00:00:00Z. */
  set(now: number): void {
    this.#now = now;
  }
}
