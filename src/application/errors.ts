import { CredentialRequired, QuotaExceeded, ScopeMissing } from './access-control.ts';
import { KeyReused } from './idempotency.ts';
import { CredentialRefused, VerifierUnavailable } from './ports/credential-verifier.ts';
import { EventsExpired } from './ports/event-log.ts';
import { RequestInProgress } from './ports/idempotency-store.ts';
import { CommitInDoubt, StorageUnavailable } from './ports/unit-of-work.ts';

/**
 * The errors, in addition to the domain's refusals, that use cases and ports report to clients, subclasses first. A transport
 * has a table over them, so a new one does not compile until its external form is defined.
 */
export const APPLICATION_ERRORS = {
  CommitInDoubt,
  StorageUnavailable,
  VerifierUnavailable,
  EventsExpired,
  RequestInProgress,
  KeyReused,
  CredentialRequired,
  CredentialRefused,
  ScopeMissing,
  QuotaExceeded,
} as const;

export type ApplicationErrorName = keyof typeof APPLICATION_ERRORS;
export type ApplicationError<Name extends ApplicationErrorName = ApplicationErrorName> = InstanceType<
  (typeof APPLICATION_ERRORS)[Name]
>;
