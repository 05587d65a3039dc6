import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import type { Clock } from '../../application/ports/clock.ts';
import { VerifierUnavailable } from '../../application/ports/credential-verifier.ts';
import type { Log } from '../../application/ports/log.ts';

/** A key set; the same object as long as its document has not changed. */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

/** Parses a JSON Web Key Set (RFC 7517). @throws on any other text */
export function keySetOf(text: string): KeySet {
  return createLocalJWKSet(JSON.parse(text) as JSONWebKeySet);
}

/** Times in milliseconds. */
interface RefreshPolicy {
  /** How long keys are used before they are fetched again. */
  readonly freshFor: number;
  /** The minimum time between two fetches after a failure, or because a key is missing. */
  readonly coolDown: number;
}

/**
 * The keys of an issuer, which may add and withdraw keys at any time. While the issuer is unavailable, the last known keys stay
 * in use. (jose's own remote key set does not do that, and takes no clock.)
 */
export class IssuerKeys {
  readonly #read: () => Promise<string>;
  readonly #policy: RefreshPolicy;
  readonly #clock: Clock;
  readonly #log: Log;
  #known: { readonly keys: KeySet; readonly text: string } | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #failure: VerifierUnavailable | undefined;
  #fetching: Promise<KeySet> | undefined;

  /** `read` returns a JSON Web Key Set as text. */
  constructor(read: () => Promise<string>, policy: RefreshPolicy, clock: Clock, log: Log) {
    this.#read = read;
    this.#policy = policy;
    this.#clock = clock;
    this.#log = log;
  }

  /** The newest keys that are available. @throws {VerifierUnavailable} no keys were ever fetched */
  current(): KeySet | Promise<KeySet> {
    const known = this.#known?.keys;
    if (!this.#isOver(this.#failure ? this.#policy.coolDown : this.#policy.freshFor)) {
      if (known) return known;
      if (this.#failure) throw this.#failure;
    }
    const fetching = this.#fetch();
    if (!known) return fetching;
    const found = fetching.catch(() => known);
    // An issuer that failed a moment ago may be slow again.
    return this.#failure ? known : found;
  }

  /**
   * Keys that are newer than `keys`, if there are any: for a token whose key is not among them.
   * @throws {VerifierUnavailable} the issuer is unavailable
   */
  async after(keys: KeySet): Promise<KeySet | undefined> {
    if (this.#known?.keys === keys) {
      if (this.#isOver(this.#policy.coolDown)) await this.#fetch();
      else if (this.#failure) throw this.#failure;
    }
    return this.#known?.keys === keys ? undefined : this.#known?.keys;
  }

  /** Whether so much time has passed since the last fetch, or the clock was set back since then. */
  #isOver(time: number): boolean {
    const elapsed = this.#clock.now() - this.#fetchedAt;
    return elapsed >= time || elapsed < 0;
  }

  #fetch(): Promise<KeySet> {
    return (this.#fetching ??= this.#refresh().finally(() => {
      this.#fetching = undefined;
    }));
  }

  async #refresh(): Promise<KeySet> {
    try {
      const text = await this.#read();
      if (text !== this.#known?.text) {
        this.#known = { keys: keySetOf(text), text };
      }
      if (this.#failure) this.#log.info('the key set of the identity provider is available again');
      this.#failure = undefined;
      return this.#known.keys;
    } catch (cause) {
      const failure = new VerifierUnavailable('The key set of the identity provider cannot be fetched.', { cause });
      if (!this.#failure) this.#log.warn('the key set of the identity provider is unavailable', { error: failure });
      this.#failure = failure;
      throw failure;
    } finally {
      this.#fetchedAt = this.#clock.now();
    }
  }
}
