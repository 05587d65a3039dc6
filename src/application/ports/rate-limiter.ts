/** A promise to every caller: so many requests in so many seconds. */
export interface RatePolicy {
  readonly name: string;
  /** Requests. */
  readonly quota: number;
  /** Seconds. */
  readonly window: number;
}

/** What is left to a caller of one policy. */
export interface Remainder {
  readonly policy: RatePolicy;
  /** Requests, 0 or more. */
  readonly left: number;
  /** Seconds, counted up, until the whole quota is there again. */
  readonly reset: number;
}

export interface Allowance {
  /** Whether this request was within every policy. */
  readonly allowed: boolean;
  /** One for every policy, in their order. */
  readonly remainders: readonly Remainder[];
}

/**
 * Counts requests, so that nobody takes more than their share. Every adapter keeps these promises:
 *
 * - Callers have a share each; what one takes is not missed by another.
 * - However many ask at once, never more than the quota are allowed in a window, which begins with the first request in it.
 * - `left` never says more than is there.
 * - What is kept for a caller is forgotten when its windows are over.
 * - It never fails: if what it counts in is away, it goes on counting by itself.
 */
export abstract class RateLimiter {
  abstract readonly policies: readonly RatePolicy[];
  /** Counts one request. */
  abstract take(caller: string): Promise<Allowance>;
  /** What is left, without counting. */
  abstract look(caller: string): Promise<Allowance>;
  /** Lets go of everything; nothing stays open. */
  abstract close(): Promise<void>;
}
