import { sharedByCopies } from '../../domain/shared-by-copies.ts';

/** A promise to every client: so many requests in so many seconds. */
export interface RatePolicy {
  readonly name: string;
  /** Requests. */
  readonly quota: number;
  /** Seconds. */
  readonly window: number;
}

/** What is left to a client of one policy. */
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

/** Who is counted: a caller whose credential was verified, or an address that sent a request without one or a guess. */
export type ClientKind = 'caller' | 'address';

/**
 * Counts requests, so that no client takes more than its share. Every adapter keeps these promises:
 *
 * - Each client has a share of its own; what one takes is not missed by another. A caller and an address are two clients, also
 *   under the same name.
 * - However many addresses ask, each caller keeps its own share. An adapter that has room for so many clients only may let all
 *   further addresses share one share; it keeps the callers apart from them.
 * - However many ask at once, never more than the quota are allowed in a window, which begins with the first request in it.
 * - `left` never says more than is there.
 * - What is kept for a client is forgotten when its windows are over.
 * - It never fails: if what it counts in is away, it goes on counting by itself.
 */
abstract class RateLimiterPort {
  abstract readonly policies: readonly RatePolicy[];
  /** Counts one request. */
  abstract take(client: string, kind: ClientKind): Promise<Allowance>;
  /** What is left, without counting. */
  abstract look(client: string, kind: ClientKind): Promise<Allowance>;
  /** Lets go of everything; nothing stays open. */
  abstract close(): Promise<void>;
}

export type RateLimiter = RateLimiterPort;
export const RateLimiter = sharedByCopies('RateLimiter', RateLimiterPort);
