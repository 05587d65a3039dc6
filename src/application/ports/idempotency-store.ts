import { sharedByCopies } from '../../domain/shared-by-copies.ts';

/** The response to a request that may be retried. Both texts may have any characters. */
export interface IdempotencyRecord {
  /** Tells whether a retry asks for the same. */
  readonly fingerprint: string;
  /** As text that only its writer understands. It may be large. */
  readonly response: string;
  /** In milliseconds since 1970-01-01T00:00:00Z. */
  readonly savedAt: number;
}

/**
 * Stores the responses to requests that may be retried, inside the units of work of those requests. The id of a request is
 * an opaque text of up to 300 characters, compared exactly.
 */
export interface IdempotencyStore {
  /**
   * The record of the request; `undefined` if there is none. Until this unit of work ends, no other one gets an answer for
   * the same request: it waits, or is refused. @throws {RequestInProgress} if another one is at it and would have to be waited for
   */
  lock(requestId: string): Promise<IdempotencyRecord | undefined>;
  /** Saves the record, in place of one that was saved before. */
  save(requestId: string, record: IdempotencyRecord): Promise<void>;
  /** Deletes records that were saved before an instant, at most so many of them, the oldest first. Returns how many. */
  deleteExpired(savedBefore: number, most: number): Promise<number>;
}

/** The same request is in progress already; nothing was done. */
class RequestInProgressClass extends Error {
  override readonly name = 'RequestInProgress';
}

export type RequestInProgress = RequestInProgressClass;
export const RequestInProgress = sharedByCopies('RequestInProgress', RequestInProgressClass);
