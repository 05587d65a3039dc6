import type { Scope } from '../../domain/scope.ts';
import { sharedByCopies } from '../../domain/shared-by-copies.ts';

/** Who calls, and what they may do. */
export interface Caller {
  /** Tells callers apart for ever, in logs and in what is kept for them. Up to 300 characters, no secret. */
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
}

/**
 * Finds out for whom a credential speaks. Every adapter keeps these promises:
 *
 * - A credential that is not of its kind is `undefined`; it is cheap to find that out.
 * - What was revoked, by whomever, is refused as soon as the adapter can know, and never after the time that it names.
 * - A refusal is the same for a credential that never was and for one whose secret part is wrong, and takes the same time.
 */
abstract class CredentialVerifierPort {
  /**
   * @throws {CredentialRefused} it is of this kind, and no good
   * @throws {StorageUnavailable | VerifierUnavailable} whether it is good cannot be found out now
   */
  abstract verify(credential: string): Promise<Caller | undefined>;
}

export type CredentialVerifier = CredentialVerifierPort;
export const CredentialVerifier = sharedByCopies('CredentialVerifier', CredentialVerifierPort);

/** The credential opens nothing. The message says why, in one sentence for whoever holds it. */
class CredentialRefusedClass extends Error {
  override readonly name = 'CredentialRefused';
  readonly reason: 'malformed' | 'unknown' | 'expired' | 'revoked';

  constructor(reason: CredentialRefusedClass['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

export type CredentialRefused = CredentialRefusedClass;
export const CredentialRefused = sharedByCopies('CredentialRefused', CredentialRefusedClass);

/** Whoever vouches for credentials does not answer now. */
class VerifierUnavailableClass extends Error {
  override readonly name = 'VerifierUnavailable';
}

export type VerifierUnavailable = VerifierUnavailableClass;
export const VerifierUnavailable = sharedByCopies('VerifierUnavailable', VerifierUnavailableClass);
