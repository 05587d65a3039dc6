import { APPLICATION_ERRORS, type ApplicationError, type ApplicationErrorName } from '../../application/errors.ts';
import { DomainError } from '../../domain/refusals.ts';
import { ApiError, toPointer } from './api-error.ts';

/**
 * The external form of every error of the application; the error catalogue has that of every refusal of the domain, by its code.
 * A new error does not compile until it has a row.
 */
const TABLE: { readonly [Name in ApplicationErrorName]: (error: ApplicationError<Name>) => ApiError } = {
  CommitInDoubt: () =>
    unavailable(
      'The connection to the storage was lost during the commit, so it is unknown whether the change was saved. Check before you retry; a request with an Idempotency-Key can be retried safely.',
    ),
  StorageUnavailable: () => unavailable('The storage is unavailable; nothing was changed. Try again in a moment.'),
  VerifierUnavailable: () => unavailable('The identity provider is unavailable. Try again in a moment.'),
  EventsExpired: ({ oldest }) =>
    new ApiError(
      'events_expired',
      `Events after this position were removed; the oldest position available is ${oldest}. Continue with after=${oldest - 1}, and list the resources to learn what the removed events said.`,
    ),
  RequestInProgress: () =>
    new ApiError(
      'idempotency_key_in_progress',
      'The first request with this Idempotency-Key is still in progress; retry in a moment to get its response.',
      { retryAfter: 1 },
    ),
  KeyReused: () =>
    new ApiError(
      'idempotency_key_reused',
      'This Idempotency-Key was used with a different body before; retry with the same body, or use a new key.',
    ),
  CredentialRequired: () => new ApiError('unauthenticated', 'A credential is required.'),
  CredentialRefused: ({ message }) => new ApiError('unauthenticated', message),
  ScopeMissing: ({ message }) => new ApiError('insufficient_scope', message),
  QuotaExceeded: ({ message }) => new ApiError('rate_limited', message, { retryAfter: 1 }),
};

const ROWS = (Object.keys(TABLE) as ApplicationErrorName[]).map((name) => ({
  type: APPLICATION_ERRORS[name],
  toApi: TABLE[name] as (error: ApplicationError) => ApiError,
}));

/** Converts every error of the inner layers to its external form. The details of an unexpected error are not disclosed. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DomainError) {
    const details = error.faults.map(({ path, message }) => ({ pointer: toPointer(path), code: error.code, message }));
    return new ApiError(error.code, error.message, { details });
  }
  const row = ROWS.find(({ type }) => error instanceof type);
  if (row) return row.toApi(error as ApplicationError);
  return new ApiError(
    'internal_error',
    'The service failed unexpectedly; nothing was changed. The log contains the details under the requestId.',
  );
}

/** The request cannot be processed now; a retry may succeed. */
function unavailable(message: string): ApiError {
  return new ApiError('unavailable', message, { retryAfter: 1 });
}
