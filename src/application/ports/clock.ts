import { sharedByCopies } from '../../domain/shared-by-copies.ts';

/** The only source of the time, so that tests can set it. */
abstract class ClockPort {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  abstract now(): number;
}

export type Clock = ClockPort;
export const Clock = sharedByCopies('Clock', ClockPort);
