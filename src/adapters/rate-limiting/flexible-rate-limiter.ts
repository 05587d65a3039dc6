import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { type Allowance, RateLimiter, type RatePolicy, type Remainder } from '../../application/ports/rate-limiter.ts';
import { BoundedMemory } from './bounded-memory.ts';
import { PolicyCounter } from './policy-counter.ts';

export interface RateSettings {
  /** Requests in any minute that begins with a request. */
  readonly perMinute: number;
  /** How many of them may come at once. */
  readonly burst: number;
}

/** What the library is told about one policy: how many `points` in a `duration` of seconds. */
export interface LimiterOptions {
  readonly keyPrefix: string;
  readonly points: number;
  readonly duration: number;
  /** Counts while a store fails. */
  readonly insuranceLimiter: RateLimiterAbstract;
}

/**
 * Makes what one policy is counted in, from any store of the library: `(options) => new RateLimiterRedis({ ...options, storeClient })`.
 * It may fail, and then memory counts; it must not hang, so whatever may do so goes into an `RLWrapperTimeouts`.
 */
export type MakeLimiter = (options: LimiterOptions) => RateLimiterAbstract;

/**
 * A caller costs about 1 kB while its windows last, so that a flood from ever new addresses takes 50 MB and no more. Fifty thousand
 * callers in a minute are more than a service of this size has; those beyond share one share.
 */
const MOST_CALLERS = 50_000;

/** Seconds. */
const LONGEST_WINDOW = 60;

/** Where counts are kept: in memory, unless `makeLimiter` says otherwise. */
export interface Counting {
  readonly makeLimiter?: MakeLimiter;
  readonly mostCallers?: number;
  /** Lets go of what `makeLimiter` counts in. */
  close?(): Promise<void>;
}

const inMemory: MakeLimiter = ({ insuranceLimiter }) => insuranceLimiter;

/** Counts in fixed windows that begin with a caller's first request, in the memory of this process unless told otherwise. */
export class FlexibleRateLimiter extends RateLimiter {
  readonly policies: readonly RatePolicy[];
  readonly #counters: readonly PolicyCounter[];
  readonly #mostCallers: number;
  readonly #counting: Counting;
  /** Who was refused, and until when (milliseconds since 1970-01-01T00:00:00Z): nothing is counted of what they ask for before. */
  readonly #refused = new Map<string, number>();

  constructor(settings: RateSettings, counting: Counting = {}) {
    super();
    const { makeLimiter = inMemory, mostCallers = MOST_CALLERS } = counting;
    this.#counting = counting;
    this.policies = policiesOf(settings);
    this.#mostCallers = mostCallers;
    this.#counters = this.policies.map((policy) => {
      const options = { keyPrefix: policy.name, points: policy.quota, duration: policy.window };
      const insuranceLimiter = new BoundedMemory(options, mostCallers);
      return new PolicyCounter(policy, makeLimiter({ ...options, insuranceLimiter }), insuranceLimiter);
    });
  }

  async take(caller: string): Promise<Allowance> {
    if (this.#isRefused(caller)) return { allowed: false, remainders: await this.#remainders(caller) };
    const remainders: Remainder[] = [];
    let allowed = true;
    // One after the other: what one policy refuses is not counted by those behind it.
    for (const counter of this.#counters) {
      if (!allowed) {
        remainders.push(await counter.look(caller));
        continue;
      }
      const { remainder, refusedFor } = await counter.take(caller);
      remainders.push(remainder);
      if (refusedFor > 0) {
        allowed = false;
        this.#refuse(caller, Date.now() + refusedFor);
      }
    }
    return { allowed, remainders };
  }

  async look(caller: string): Promise<Allowance> {
    const remainders = await this.#remainders(caller);
    return { allowed: remainders.every(({ left }) => left > 0), remainders };
  }

  async close(): Promise<void> {
    await this.#counting.close?.();
  }

  async #remainders(caller: string): Promise<Remainder[]> {
    const remainders: Remainder[] = [];
    for (const counter of this.#counters) remainders.push(await counter.look(caller));
    return remainders;
  }

  #isRefused(caller: string): boolean {
    const until = this.#refused.get(caller);
    if (until === undefined) return false;
    const wait = until - Date.now();
    // Longer than a window: the clock was set back.
    if (wait > 0 && wait <= LONGEST_WINDOW * 1000) return true;
    this.#refused.delete(caller);
    return false;
  }

  #refuse(caller: string, until: number): void {
    // Forgetting who was refused costs no more than asking again.
    if (this.#refused.size >= this.#mostCallers) this.#refused.clear();
    this.#refused.set(caller, until);
  }
}

function policiesOf({ perMinute, burst }: RateSettings): RatePolicy[] {
  const minute = { name: 'minute', quota: perMinute, window: LONGEST_WINDOW };
  // As long as the rate takes to make up for a burst.
  const window = Math.ceil((burst * 60) / perMinute);
  return window < LONGEST_WINDOW ? [{ name: 'burst', quota: burst, window }, minute] : [minute];
}
