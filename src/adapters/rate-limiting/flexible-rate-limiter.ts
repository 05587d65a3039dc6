import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { type Allowance, type ClientKind, RateLimiter, type RatePolicy } from '../../application/ports/rate-limiter.ts';
import { BoundedMemory } from './bounded-memory.ts';
import { PolicyCounter } from './policy-counter.ts';
import { LONGEST_WINDOW, Shares } from './shares.ts';

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
 * A client costs about 1 kB while its windows last, so that a flood from ever new addresses takes 50 MB and no more. Fifty thousand
 * clients of a kind in a minute are more than a service of this size has; those beyond share one share. Addresses never take
 * the place of callers.
 */
const MOST_CLIENTS = 50_000;

/** Where counts are kept: in memory, unless `makeLimiter` says otherwise. */
export interface Counting {
  readonly makeLimiter?: MakeLimiter;
  /** Of each kind. */
  readonly mostClients?: number;
  /** Lets go of what `makeLimiter` counts in. */
  close?(): Promise<void>;
}

const inMemory: MakeLimiter = ({ insuranceLimiter }) => insuranceLimiter;

/** Counts in fixed windows that begin with a client's first request, in the memory of this process unless told otherwise. */
export class FlexibleRateLimiter extends RateLimiter {
  readonly policies: readonly RatePolicy[];
  readonly #shares: Readonly<Record<ClientKind, Shares>>;
  readonly #counting: Counting;

  constructor(settings: RateSettings, counting: Counting = {}) {
    super();
    const { makeLimiter = inMemory, mostClients = MOST_CLIENTS } = counting;
    this.#counting = counting;
    this.policies = policiesOf(settings);
    const sharesOf = (kind: ClientKind) => {
      const counters = this.policies.map((policy) => {
        const options = { keyPrefix: `${kind}:${policy.name}`, points: policy.quota, duration: policy.window };
        const insuranceLimiter = new BoundedMemory(options, mostClients);
        return new PolicyCounter(policy, makeLimiter({ ...options, insuranceLimiter }), insuranceLimiter);
      });
      return new Shares(counters, mostClients);
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
  // As long as the rate takes to make up for a burst.
  const window = Math.ceil((burst * 60) / perMinute);
  return window < LONGEST_WINDOW ? [{ name: 'burst', quota: burst, window }, minute] : [minute];
}
