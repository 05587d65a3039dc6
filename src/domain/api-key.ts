import { assertId, assertInstant, assertName } from './limits.ts';
import type { Scope } from './scope.ts';

export interface ApiKeySnapshot {
  readonly id: number;
  /** What people call it. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The digest of the secret text, which itself is kept nowhere. */
  readonly digest: string;
  /** Milliseconds since 1970-01-01T00:00:00Z, as every time here. */
  readonly createdAt: number;
  /** From when on it is of no use; never, if it has none. */
  readonly expiresAt?: number | undefined;
  readonly revokedAt?: number | undefined;
}

/** A secret that somebody was given, and what it opens: until it expires, or is revoked for ever. */
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

  /** Gives it an end, or another one, or none. Gives whether that was a change. */
  expireAt(instant: number | undefined): boolean {
    if (instant === this.#facts.expiresAt) return false;
    assertInstant(instant);
    this.#facts = { ...this.#facts, expiresAt: instant };
    return true;
  }

  /** Ends it for ever. Gives whether that was a change. */
  revoke(now: number): boolean {
    if (this.#facts.revokedAt !== undefined) return false;
    this.#facts = { ...this.#facts, revokedAt: now };
    return true;
  }
}

/** What a key is good for at an instant. Revoked is for ever, and therefore said before expired. */
export function keyState({ expiresAt, revokedAt }: ApiKeySnapshot, now: number): 'valid' | 'expired' | 'revoked' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && now >= expiresAt ? 'expired' : 'valid';
}
