import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { RatePolicy, Remainder } from '../../application/ports/rate-limiter.ts';

export interface Count {
  readonly remainder: Remainder;
  /** Milliseconds until the client is within the policy again; 0 for a request that is within it. */
  readonly refusedFor: number;
}

/** Counts by one policy in a store of the library, and in memory while that fails. */
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
    // The library's own insurance covers only its own stores.
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
    // An expired window may still be stored for a moment.
    if (count === null || count.msBeforeNext <= 0) return { policy: this.#policy, left: this.#policy.quota, reset: 0 };
    // The library uses the time of day; a window is not longer when that is set back.
    const reset = Math.min(Math.ceil(count.msBeforeNext / 1000), this.#policy.window);
    return { policy: this.#policy, left: count.remainingPoints, reset };
  }
}
