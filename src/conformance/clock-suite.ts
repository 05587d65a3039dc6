import assert from 'node:assert/strict';
import type { Clock } from '../application/ports/clock.ts';
import { EARLIEST_INSTANT, LATEST_INSTANT } from '../domain/limits.ts';
import { type Gaps, itUnless, openedForEach, type TestFunctions } from './test-functions.ts';

export interface OpenedClock {
  readonly clock: Clock;
  /** Releases everything. Is called once. */
  dispose(): Promise<void>;
}

/** What a clock may be unable to do: with `realTime`, to follow the time of this machine, because it can be set or stands still. */
export const CLOCK_CAPABILITIES = ['realTime'] as const;

/** A clock as the kit opens it. */
export interface ClockUnderTest {
  open(): Promise<OpenedClock>;
  readonly gaps?: Gaps<(typeof CLOCK_CAPABILITIES)[number]>;
}

/** How far a clock may be from that of the machine, in milliseconds: one that counts in other units is further off. */
const TOLERANCE = 60_000;

/** The contract of the port `Clock`. */
export function clockSuite({ open, gaps }: ClockUnderTest, test: TestFunctions): void {
  const { describe, it } = test;
  describe('Clock', () => {
    const opened = openedForEach(open, test);

    it('returns a whole number of milliseconds, every time', () => {
      for (let i = 0; i < 1_000; i++) {
        const now: unknown = opened.clock.now();
        assert.ok(Number.isSafeInteger(now), `${String(now)} must be a whole number`);
      }
    });

    it('returns an instant from the years 0 to 9999', () => {
      const now = opened.clock.now();

      assert.ok(now >= EARLIEST_INSTANT && now <= LATEST_INSTANT, `${now} must be an instant from the years 0 to 9999`);
    });

    itUnless(gaps?.realTime, test)('returns milliseconds since 1970-01-01T00:00:00Z', () => {
      const [before, now, after] = [Date.now(), opened.clock.now(), Date.now()];

      const isNear = now > before - TOLERANCE && now < after + TOLERANCE;
      assert.ok(isNear, `it returned ${now} at ${before}, which is more than a minute off`);
    });
  });
}
