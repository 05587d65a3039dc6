/** Gives the time. Whoever needs to know what time it is asks here, so that a test can decide it. */
export abstract class Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  abstract now(): number;
}
