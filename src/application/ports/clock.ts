import { sharedByCopies } from '../../domain/shared-by-copies.ts';

/** Gives the time. Whoever needs to know what time it is asks here, so that a test can decide it. */
abstract class ClockPort {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  abstract now(): number;
}

export type Clock = ClockPort;
export const Clock = sharedByCopies('Clock', ClockPort);
