import { CredentialRequired, QuotaExceeded, ScopeMissing } from 'petstore-service/application/access-control';
import { DomainError } from 'petstore-service/domain/refusals';
import { HttpError } from 'petstore-service/http/http-error';
import { CredentialRefused, VerifierUnavailable } from 'petstore-service/ports/credential-verifier';
import { StorageUnavailable } from 'petstore-service/ports/unit-of-work';

/** A request that this transport refuses by itself. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function must(status, holds, message) {
  if (!holds) throw new Refused(status, message);
}

/** A refusal of the store, whose message has the store's ids. */
export function isOfStore(error) {
  return error instanceof DomainError;
}

/** The status of a response, by what was thrown. */
export function statusOf(error) {
  if (error instanceof Refused || error instanceof HttpError) return error.status;
  if (error instanceof CredentialRequired || error instanceof CredentialRefused) return 401;
  if (error instanceof ScopeMissing) return 403;
  if (error instanceof QuotaExceeded) return 429;
  if (error instanceof StorageUnavailable || error instanceof VerifierUnavailable) return 503;
  if (isOfStore(error)) return error.code.endsWith('_not_found') ? 404 : 400;
  return 500;
}
