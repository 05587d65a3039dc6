import { assertId, assertInstant, assertName } from './limits.ts';
import type { Scope } from './scope.ts';

export interface ApiKeySnapshot {
  readonly id: number;
  /** Its name for people. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The digest of the secret text, which itself is not stored. */
  readonly digest: string;
  /** Milliseconds since 1970-01-01T00:00:00Z, as every time here. */
  readonly createdAt: number;
  /** When it expires; never, if absent. */
  readonly expiresAt?: number | undefined;
  readonly revokedAt?: number | undefined;
}

/** An issued key with its scopes; it is valid until it expires or is revoked. */
export class ApiKey {
  readonly id: number;
  #facts: Omit<ApiKeySnapshot, 'id'>;

  private constructor({ id, ...facts }: ApiKeySnapshot) {
    assertId(id);
    assertName(facts.name);
    for (const instant of [facts.createdAt, facts.expiresAt, facts.revokedAt]) assertInstant(instant);
    this.id = id;
    this.#facts = facts;
  }

  static issue(key: Omit<ApiKeySnapshot, 'revokedAt'>): ApiKey {
    return new ApiKey(key);
  }

  static recall(snapshot: ApiKeySnapshot): ApiKey {
    return new ApiKey(snapshot);
  }

  snapshot(): ApiKeySnapshot {
    return { id: this.id, ...this.#facts };
  }

  /** Sets or removes its expiry. Returns whether anything changed. */
  expireAt(instant: number | undefined): boolean {
    if (instant === this.#facts.expiresAt) return false;
    assertInstant(instant);
    this.#facts = { ...this.#facts, expiresAt: instant };
    return true;
  }

  /** Revokes it permanently. Returns whether anything changed. */
  revoke(now: number): boolean {
    if (this.#facts.revokedAt !== undefined) return false;
    this.#facts = { ...this.#facts, revokedAt: now };
    return true;
  }
}

/** The state of a key at an instant. A revoked key stays revoked, even after its expiry. */
export function keyState({ expiresAt, revokedAt }: ApiKeySnapshot, now: number): 'valid' | 'expired' | 'revoked' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && now >= expiresAt ? 'expired' : 'valid';
}
