import { sharedByCopies } from '../../domain/shared-by-copies.ts';

/** What tells one request that may be repeated from another. Texts of up to 300 characters each, compared exactly. */
export interface RequestName {
  readonly caller: string;
  /** What was asked for: the method and the path. */
  readonly operation: string;
  /** The key that the caller gave it. */
  readonly key: string;
}

export interface Outcome {
  /** Tells whether a repeat asks for the same. */
  readonly fingerprint: string;
  /** What was answered, as text that only whoever answers understands. It may be large. */
  readonly answer: string;
  /** When it was kept, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly at: number;
}

/** Remembers what was answered to requests that may be repeated, inside the unit of work that they caused. */
export interface OutcomeRepository {
  /**
   * What is kept for the request; `undefined` if nothing is. Until this unit of work ends, no other one gets an answer for
   * the same request: it waits, or is refused. @throws {RequestInProgress} if another one is at it and would have to be waited for
   */
  lock(request: RequestName): Promise<Outcome | undefined>;
  /** Keeps the outcome, in place of one that was kept before. */
  keep(request: RequestName, outcome: Outcome): Promise<void>;
  /** Forgets outcomes whose `at` is before an instant, at most so many of them, the oldest first. Gives how many. */
  forget(keptBefore: number, most: number): Promise<number>;
}

/** The same request is under way already; nothing was done. */
class RequestInProgressClass extends Error {
  override readonly name = 'RequestInProgress';
}

export type RequestInProgress = RequestInProgressClass;
export const RequestInProgress = sharedByCopies('RequestInProgress', RequestInProgressClass);
