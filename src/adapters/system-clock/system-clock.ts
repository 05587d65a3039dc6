import { Clock } from '../../application/ports/clock.ts';

/** The machine's own clock. */
export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }
}
