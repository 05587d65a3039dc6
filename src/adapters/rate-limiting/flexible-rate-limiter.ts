import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { type Allowance, type ClientKind, RateLimiter, type RatePolicy } from '../../application/ports/rate-limiter.ts';
import { BoundedMemory } from './bounded-memory.ts';
import { PolicyCounter } from './policy-counter.ts';
import { LONGEST_WINDOW, Shares } from './shares.ts';

export interface RateSettings {
  /** Requests in a window of one minute, which begins with the first request. */
  readonly perMinute: number;
  /** Requests at once. */
  readonly burst: number;
}

/** One policy in the library's terms: `points` in a `duration` of seconds. */
export interface LimiterOptions {
  readonly keyPrefix: string;
  readonly points: number;
  readonly duration: number;
  /** Counts while a store fails. */
  readonly insuranceLimiter: RateLimiterAbstract;
}

/**
 * Creates the counter of one policy, from any store of the library: `(options) => new RateLimiterRedis({ ...options, storeClient })`.
 * When it fails, memory counts instead. It must not hang: wrap a store that may in `RLWrapperTimeouts`.
 */
export type MakeLimiter = (options: LimiterOptions) => RateLimiterAbstract;

/**
 * A client costs about 1 kB while its windows last, so that a flood from ever new addresses takes at most 50 MB. Fifty thousand
 * clients of a kind in a minute are more than a service of this size has; further ones share one quota. Addresses and callers are
 * counted separately, so neither displaces the other.
 */
const MAX_CLIENTS = 50_000;

/** Where requests are counted: in memory, unless `makeLimiter` is set. */
export interface Counting {
  readonly makeLimiter?: MakeLimiter;
  /** Of each kind. */
  readonly maxClients?: number;
  /** Closes the store of `makeLimiter`. */
  close?(): Promise<void>;
}

const inMemory: MakeLimiter = ({ insuranceLimiter }) => insuranceLimiter;

/** Counts in fixed windows that begin with a client's first request, in the memory of this process by default. */
export class FlexibleRateLimiter extends RateLimiter {
  readonly policies: readonly RatePolicy[];
  readonly #shares: Readonly<Record<ClientKind, Shares>>;
  readonly #counting: Counting;

  constructor(settings: RateSettings, counting: Counting = {}) {
    super();
    const { makeLimiter = inMemory, maxClients = MAX_CLIENTS } = counting;
    this.#counting = counting;
    this.policies = policiesOf(settings);
    const sharesOf = (kind: ClientKind) => {
      const counters = this.policies.map((policy) => {
        const options = { keyPrefix: `${kind}:${policy.name}`, points: policy.quota, duration: policy.window };
        const insuranceLimiter = new BoundedMemory(options, maxClients);
        return new PolicyCounter(policy, makeLimiter({ ...options, insuranceLimiter }), insuranceLimiter);
      });
      return new Shares(counters, maxClients);
    };
    this.#shares = { caller: sharesOf('caller'), address: sharesOf('address') };
  }

  take(client: string, kind: ClientKind): Promise<Allowance> {
    return this.#shares[kind].take(client);
  }

  look(client: string, kind: ClientKind): Promise<Allowance> {
    return this.#shares[kind].look(client);
  }

  async close(): Promise<void> {
    await this.#counting.close?.();
  }
}

function policiesOf({ perMinute, burst }: RateSettings): RatePolicy[] {
  const minute = { name: 'minute', quota: perMinute, window: LONGEST_WINDOW };
  // As long as the rate needs to refill a burst.
  const window = Math.ceil((burst * 60) / perMinute);
  return window < LONGEST_WINDOW ? [{ name: 'burst', quota: burst, window }, minute] : [minute];
}
