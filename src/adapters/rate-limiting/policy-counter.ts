import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { RatePolicy, Remainder } from '../../application/ports/rate-limiter.ts';

export interface Count {
  readonly remainder: Remainder;
  /** Milliseconds until the caller is within the policy again; 0 for a request that is within it. */
  readonly refusedFor: number;
}

/** Counts by one policy in whatever the library can count in, and in memory while that fails. */
export class PolicyCounter {
  readonly #policy: RatePolicy;
  readonly #limiter: RateLimiterAbstract;
  readonly #insurance: RateLimiterAbstract;

  constructor(policy: RatePolicy, limiter: RateLimiterAbstract, insurance: RateLimiterAbstract) {
    this.#policy = policy;
    this.#limiter = limiter;
    this.#insurance = insurance;
  }

  async take(caller: string): Promise<Count> {
    try {
      return this.#within(await this.#limiter.consume(caller));
    } catch (reason) {
      if (reason instanceof RateLimiterRes) return this.#beyond(reason);
    }
    // Not insured by the library itself, as its stores are.
    try {
      return this.#within(await this.#insurance.consume(caller));
    } catch (reason) {
      return this.#beyond(reason as RateLimiterRes);
    }
  }

  async look(caller: string): Promise<Remainder> {
    try {
      return this.#remainder(await this.#limiter.get(caller));
    } catch {
      return this.#remainder(await this.#insurance.get(caller));
    }
  }

  #within(count: RateLimiterRes): Count {
    return { remainder: this.#remainder(count), refusedFor: 0 };
  }

  #beyond(count: RateLimiterRes): Count {
    return { remainder: this.#remainder(count), refusedFor: Math.max(count.msBeforeNext, 1) };
  }

  #remainder(count: RateLimiterRes | null): Remainder {
    // A window that is over may still be kept for a moment.
    if (count === null || count.msBeforeNext <= 0) return { policy: this.#policy, left: this.#policy.quota, reset: 0 };
    // The library reckons in the time of day; when that is set back, a window is no longer for it.
    const reset = Math.min(Math.ceil(count.msBeforeNext / 1000), this.#policy.window);
    return { policy: this.#policy, left: count.remainingPoints, reset };
  }
}
