import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import type { Clock } from '../../application/ports/clock.ts';
import { VerifierUnavailable } from '../../application/ports/credential-verifier.ts';
import type { Log } from '../../application/ports/log.ts';

/** The keys of one moment; the same object for as long as nothing about them has changed. */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

/** The keys in a JSON Web Key Set (RFC 7517). @throws it is none */
export function keySetOf(text: string): KeySet {
  return createLocalJWKSet(JSON.parse(text) as JSONWebKeySet);
}

/** Times in milliseconds. */
interface RefreshPolicy {
  /** How long keys are good before they are read again. */
  readonly freshFor: number;
  /** How long nobody asks again after something failed, or because a key is missing. */
  readonly coolDown: number;
}

/**
 * The keys of an issuer, who may add and withdraw some at any time. What is known goes on working while the issuer is away.
 * (That, and a clock that can be set, is what jose's own remote key set does not have.)
 */
export class IssuerKeys {
  readonly #read: () => Promise<string>;
  readonly #policy: RefreshPolicy;
  readonly #clock: Clock;
  readonly #log: Log;
  #known: { readonly keys: KeySet; readonly text: string } | undefined;
  #asked = Number.NEGATIVE_INFINITY;
  #failure: VerifierUnavailable | undefined;
  #asking: Promise<KeySet> | undefined;

  /** `read` gives a JSON Web Key Set as text. */
  constructor(read: () => Promise<string>, policy: RefreshPolicy, clock: Clock, log: Log) {
    this.#read = read;
    this.#policy = policy;
    this.#clock = clock;
    this.#log = log;
  }

  /** The keys as they are now, as far as can be found out. @throws {VerifierUnavailable} none were ever found */
  current(): KeySet | Promise<KeySet> {
    const known = this.#known?.keys;
    if (!this.#isOver(this.#failure ? this.#policy.coolDown : this.#policy.freshFor)) {
      if (known) return known;
      if (this.#failure) throw this.#failure;
    }
    const asking = this.#ask();
    if (!known) return asking;
    const found = asking.catch(() => known);
    // Who was away a moment ago may keep everyone waiting again.
    return this.#failure ? known : found;
  }

  /**
   * Keys that are newer than these, if there are any: for somebody who misses one.
   * @throws {VerifierUnavailable} whether there are any cannot be found out
   */
  async after(keys: KeySet): Promise<KeySet | undefined> {
    if (this.#known?.keys === keys) {
      if (this.#isOver(this.#policy.coolDown)) await this.#ask();
      else if (this.#failure) throw this.#failure;
    }
    return this.#known?.keys === keys ? undefined : this.#known?.keys;
  }

  /** Whether so much time has gone by since the keys were asked for. A clock that was set back counts as that. */
  #isOver(time: number): boolean {
    const gone = this.#clock.now() - this.#asked;
    return gone >= time || gone < 0;
  }

  #ask(): Promise<KeySet> {
    return (this.#asking ??= this.#renew().finally(() => {
      this.#asking = undefined;
    }));
  }

  async #renew(): Promise<KeySet> {
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
      this.#asked = this.#clock.now();
    }
  }
}
