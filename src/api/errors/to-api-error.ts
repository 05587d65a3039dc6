import { KeyReused } from '../../application/idempotency.ts';
import { VerifierUnavailable } from '../../application/ports/credential-verifier.ts';
import { RequestInProgress } from '../../application/ports/idempotency-store.ts';
import { OutcomeUnknown, StorageUnavailable } from '../../application/ports/unit-of-work.ts';
import { DomainError } from '../../domain/refusals.ts';
import { ApiError, toPointer } from './api-error.ts';

/** The one place where what the layers below throw becomes what the outside sees. What nobody foresaw stays private. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DomainError) {
    const details = error.faults.map(({ path, message }) => ({ pointer: toPointer(path), code: error.code, message }));
    return new ApiError(error.code, error.message, { details });
  }
  if (error instanceof OutcomeUnknown) {
    return unavailable(
      'The connection to the storage was lost during the commit, so it is unknown whether the change was saved. Check before you retry; a request with an Idempotency-Key can be retried safely.',
    );
  }
  if (error instanceof StorageUnavailable) {
    return unavailable('The storage is unavailable; nothing was changed. Try again in a moment.');
  }
  if (error instanceof VerifierUnavailable) {
    return unavailable('The identity provider is unavailable. Try again in a moment.');
  }
  if (error instanceof RequestInProgress) {
    return new ApiError(
      'idempotency_key_in_progress',
      'The first request with this Idempotency-Key is still in progress; retry in a moment to get its response.',
      { retryAfter: 1 },
    );
  }
  if (error instanceof KeyReused) {
    return new ApiError(
      'idempotency_key_reused',
      'This Idempotency-Key was used with a different body before; retry with the same body, or use a new key.',
    );
  }
  return new ApiError(
    'internal_error',
    'The service failed unexpectedly; nothing was changed. The log contains the details under the requestId.',
  );
}

/** It cannot be done now, and may well be in a moment. */
function unavailable(message: string): ApiError {
  return new ApiError('unavailable', message, { retryAfter: 1 });
}
