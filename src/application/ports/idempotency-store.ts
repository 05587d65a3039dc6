import { sharedByCopies } from '../../domain/shared-by-copies.ts';

/** The response to a request that may be retried. Both texts may contain any characters. */
export interface IdempotencyRecord {
  /** Equal for a retry with the same content, different for any other content. */
  readonly fingerprint: string;
  /** An opaque text. It may be large. */
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
   * The record of the request; `undefined` if there is none. Until this unit of work ends, another one that locks the same
   * request waits or is refused. @throws {RequestInProgress} if another unit of work holds the lock and the adapter does not wait
   */
  lock(requestId: string): Promise<IdempotencyRecord | undefined>;
  /** Saves the record; replaces an existing one. */
  save(requestId: string, record: IdempotencyRecord): Promise<void>;
  /** Deletes at most `most` records that were saved before an instant, the oldest first. Returns how many it deleted. */
  deleteExpired(savedBefore: number, most: number): Promise<number>;
}

/** The same request is in progress; this one did nothing. */
class RequestInProgressClass extends Error {
  override readonly name = 'RequestInProgress';
}

export type RequestInProgress = RequestInProgressClass;
export const RequestInProgress = sharedByCopies('RequestInProgress', RequestInProgressClass);
