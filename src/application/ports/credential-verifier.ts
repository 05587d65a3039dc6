import type { Scope } from '../../domain/scope.ts';
import { sharedByCopies } from '../../domain/shared-by-copies.ts';

/** A client that was identified, and what it may do. */
export interface Caller {
  /** Identifies the caller permanently, in logs and in stored records. Up to 300 characters, no secret. */
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
}

/**
 * Verifies credentials. Every adapter guarantees:
 *
 * - Kinds: `verify` returns `undefined` for a credential of another kind, without an expensive computation.
 * - Revocation: a revoked credential is refused as soon as the adapter can know about it, at the latest after the delay that the
 *   adapter documents.
 * - Uniform refusals: an unknown credential and one with a wrong secret get the same refusal, after the same time.
 */
abstract class CredentialVerifierPort {
  /**
   * @throws {CredentialRefused} the credential is of this kind and not valid
   * @throws {StorageUnavailable | VerifierUnavailable} the credential cannot be verified now
   */
  abstract verify(credential: string): Promise<Caller | undefined>;
}

export type CredentialVerifier = CredentialVerifierPort;
export const CredentialVerifier = sharedByCopies('CredentialVerifier', CredentialVerifierPort);

/** The credential is not valid. The message tells its holder the reason, in one sentence. */
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

/** The identity provider is unavailable. */
class VerifierUnavailableClass extends Error {
  override readonly name = 'VerifierUnavailable';
}

export type VerifierUnavailable = VerifierUnavailableClass;
export const VerifierUnavailable = sharedByCopies('VerifierUnavailable', VerifierUnavailableClass);
