import type { RateLimiter } from '../application/ports/rate-limiter.ts';
import type { Gaps } from './test-functions.ts';

/** A new limiter for one check, without any requests. */
export interface OpenedLimiter {
  /**
   * Its policies have windows of more than 2 seconds, and the smallest quota is 2 to 1,000. One with a maximum number of clients
   * is opened with a maximum of 100 to 1,000, so that a check can reach it.
   */
  readonly limiter: RateLimiter;
  /** Advances the time of the limiter by milliseconds. */
  advance?(ms: number): Promise<void>;
  /** Releases everything. Is called once. */
  dispose(): Promise<void>;
}

/** What a limiter may be unable to do: with `advance`, to use a clock that a check can advance. */
export const LIMITER_CAPABILITIES = ['advance'] as const;

export type LimiterCapability = (typeof LIMITER_CAPABILITIES)[number];

/** A rate limiter as the kit opens it. */
export interface RateLimiterUnderTest {
  open(): Promise<OpenedLimiter>;
  readonly gaps?: Gaps<LimiterCapability>;
}
