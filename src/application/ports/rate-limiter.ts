import { sharedByCopies } from '../../domain/shared-by-copies.ts';

/** The number of requests that a client may send in a window of time. */
export interface RatePolicy {
  readonly name: string;
  /** Requests. */
  readonly quota: number;
  /** Seconds. */
  readonly window: number;
}

/** What a client has left of one policy. */
export interface Remainder {
  readonly policy: RatePolicy;
  /** Requests, 0 or more. */
  readonly left: number;
  /** Seconds, rounded up, until the whole quota is available again. */
  readonly reset: number;
}

export interface Allowance {
  /** Whether this request was within every policy. */
  readonly allowed: boolean;
  /** One for each policy, in the order of the policies. */
  readonly remainders: readonly Remainder[];
}

/** What is counted: the requests of a caller whose credential was verified, or those of an address without a verified credential. */
export type ClientKind = 'caller' | 'address';

/**
 * Counts requests against quotas. Every adapter guarantees:
 *
 * - Separate quotas: each client has its own quota. A caller and an address are two clients, even under the same name.
 * - Callers first: a large number of addresses never takes a caller's quota away. An adapter with bounded memory may let further addresses
 *   share one quota, separate from the callers.
 * - Concurrency: however many requests arrive at once, at most the quota is allowed in a window. A window begins with its first request.
 * - `left` is never more than what is left.
 * - Expiry: the data of a client is deleted when its windows are over.
 * - Availability: no method fails. If a shared store is unavailable, the adapter counts locally.
 */
abstract class RateLimiterPort {
  abstract readonly policies: readonly RatePolicy[];
  /** Counts one request. */
  abstract take(client: string, kind: ClientKind): Promise<Allowance>;
  /** What the client has left; counts nothing. */
  abstract look(client: string, kind: ClientKind): Promise<Allowance>;
  /** Closes all resources. */
  abstract close(): Promise<void>;
}

export type RateLimiter = RateLimiterPort;
export const RateLimiter = sharedByCopies('RateLimiter', RateLimiterPort);
