import type { RateLimiter } from '../application/ports/rate-limiter.ts';
import type { Gaps } from './test-functions.ts';

/** A limiter of its own for one check, of which nobody has taken anything. */
export interface OpenedLimiter {
  /**
   * Its policies have windows of more than 2 seconds, and the smallest quota is 2 to 1,000. One that has room for so many clients
   * only is opened with room for 100 to 1,000, so that a check can fill it.
   */
  readonly limiter: RateLimiter;
  /** Lets milliseconds go by. */
  advance?(ms: number): Promise<void>;
  /** Lets go of everything. Is called once. */
  dispose(): Promise<void>;
}

/** What a limiter may be unable to do: with `advance`, to have its time go by faster than that of the world. */
export const LIMITER_CAPABILITIES = ['advance'] as const;

export type LimiterCapability = (typeof LIMITER_CAPABILITIES)[number];

/** A rate limiter as the kit wants it. */
export interface RateLimiterUnderTest {
  open(): Promise<OpenedLimiter>;
  readonly gaps?: Gaps<LimiterCapability>;
}
