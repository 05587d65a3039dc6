import { covers, type Scope } from '../domain/scope.ts';
import { inLaterTurn } from './event-loop.ts';
import { type Caller, CredentialRefused, type CredentialVerifier } from './ports/credential-verifier.ts';
import type { Allowance, RateLimiter, RatePolicy } from './ports/rate-limiter.ts';

/** The caller when authentication is off. */
const ANONYMOUS: Caller = { name: 'anonymous', scopes: new Set(['admin']) };

const ADMITTED_ANONYMOUS: AccessDecision = { caller: ANONYMOUS };

const MAX_RECENTLY_GOOD = 1000;

/** The result of the checks of one request before it is executed. */
export interface AccessDecision {
  /** Absent if there is no credential, or none that was verified. */
  readonly caller?: Caller;
  /** Why there is no caller: `CredentialRefused`, or `StorageUnavailable` or `VerifierUnavailable` if it cannot be known now. */
  readonly fault?: Error;
  /** The remaining quota of the client; absent if requests are not limited. A request that is not `allowed` must be refused. */
  readonly allowance?: Allowance;
}

export interface AccessControlParts {
  /** None, if authentication is off. */
  readonly verifiers: readonly CredentialVerifier[];
  /** None, if requests are not limited. */
  readonly limiter: RateLimiter | undefined;
  /** Runs one verification, for a transport that measures its load. */
  readonly verifying?: <Result>(verify: () => Promise<Result>) => Promise<Result>;
}

/** The operation requires a credential, and the request has none. */
export class CredentialRequired extends Error {
  override readonly name = 'CredentialRequired';
}

/** The caller lacks the scope that the operation requires. */
export class ScopeMissing extends Error {
  override readonly name = 'ScopeMissing';
  readonly scope: Scope;

  constructor(scope: Scope) {
    super(`This operation requires the scope ${scope}, which the credential does not have.`);
    this.scope = scope;
  }
}

/** The client exceeded its quota. */
export class QuotaExceeded extends Error {
  override readonly name = 'QuotaExceeded';
  readonly allowance: Allowance;

  constructor(allowance: Allowance) {
    super('Too many requests.');
    this.allowance = allowance;
  }
}

/**
 * Identifies the caller for every transport, checks its scopes, and limits its requests. A request counts against the quota
 * of its caller if the credential is good, and otherwise against that of its address, so that guessing is limited too.
 */
export class AccessControl {
  readonly #verifiers: readonly CredentialVerifier[];
  readonly #limiter: RateLimiter | undefined;
  readonly #verifying: NonNullable<AccessControlParts['verifying']>;
  /** Credentials that were valid recently, least recently used first: guesses from the same address do not affect them. */
  readonly #recentlyGood = new Set<string>();
  /** The callers of credentials verified in this turn of the event loop: requests that arrive together need one verification. */
  readonly #thisTurn = new Map<string, Caller>();
  /** How many credentials of each address are being verified for the first time. */
  readonly #guesses = new Map<string, number>();

  constructor({ verifiers, limiter, verifying = (verify) => verify() }: AccessControlParts) {
    this.#verifiers = verifiers;
    this.#limiter = limiter;
    this.#verifying = verifying;
  }

  /** Whether callers need a credential. */
  get requiresAuthentication(): boolean {
    return this.#verifiers.length > 0;
  }

  /** None, if requests are not limited. */
  get policies(): readonly RatePolicy[] {
    return this.#limiter?.policies ?? [];
  }

  /** Verifies the credential of a request, if it has one, and counts the request. It never rejects because of the credential. */
  admit(credential: string | undefined, address: string): AccessDecision | Promise<AccessDecision> {
    const limiter = this.#limiter;
    if (!this.requiresAuthentication)
      return limiter ? this.#counted(ADMITTED_ANONYMOUS, address, limiter) : ADMITTED_ANONYMOUS;
    const isGuess = credential !== undefined && !this.#recentlyGood.has(credential) && !this.#thisTurn.has(credential);
    return limiter && isGuess
      ? this.#admitGuess(credential, address, limiter)
      : this.#verifyAndCount(credential, address);
  }

  /** Verifies a credential that was good before, for work that lasts. It counts against no quota, and never rejects. */
  verifyAgain(credential: string): Promise<AccessDecision> {
    return this.#identify(credential);
  }

  /** Counts a request that was refused before its credential was checked. */
  async countAgainstQuota(address: string): Promise<Allowance | undefined> {
    return this.#limiter?.take(address, 'address');
  }

  /**
   * Verifies a credential that was not valid recently, unless its address has no request left. Credentials that are being verified
   * count as taken; otherwise any number could be tried concurrently. A valid one costs the address nothing in the end.
   */
  async #admitGuess(credential: string, address: string, limiter: RateLimiter): Promise<AccessDecision> {
    const guesses = (this.#guesses.get(address) ?? 0) + 1;
    this.#guesses.set(address, guesses);
    try {
      const allowance = await limiter.look(address, 'address');
      if (allowance.remainders.every(({ left }) => left >= guesses))
        return await this.#verifyAndCount(credential, address);
      return { allowance: { ...allowance, allowed: false } };
    } finally {
      const others = (this.#guesses.get(address) ?? 1) - 1;
      if (others > 0) this.#guesses.set(address, others);
      else this.#guesses.delete(address);
    }
  }

  async #verifyAndCount(credential: string | undefined, address: string): Promise<AccessDecision> {
    const admittance = credential === undefined ? {} : await this.#identify(credential);
    return this.#limiter ? this.#counted(admittance, address, this.#limiter) : admittance;
  }

  async #identify(credential: string): Promise<AccessDecision> {
    try {
      return { caller: this.#thisTurn.get(credential) ?? (await this.#verifying(() => this.#verify(credential))) };
    } catch (error) {
      // A revoked or expired credential counts as a guess again.
      if (error instanceof CredentialRefused) this.#recentlyGood.delete(credential);
      return { fault: error as Error };
    }
  }

  async #counted(admittance: AccessDecision, address: string, limiter: RateLimiter): Promise<AccessDecision> {
    const { caller } = admittance;
    const allowance =
      caller && caller !== ANONYMOUS
        ? await limiter.take(caller.name, 'caller')
        : await limiter.take(address, 'address');
    return { ...admittance, allowance };
  }

  async #verify(credential: string): Promise<Caller> {
    for (const verifier of this.#verifiers) {
      const caller = await verifier.verify(credential);
      if (!caller) continue;
      this.#remember(credential, caller);
      return caller;
    }
    throw new CredentialRefused('unknown', 'This kind of credential is not accepted.');
  }

  #remember(credential: string, caller: Caller): void {
    this.#recentlyGood.delete(credential);
    this.#recentlyGood.add(credential);
    const [oldest] = this.#recentlyGood;
    if (this.#recentlyGood.size > MAX_RECENTLY_GOOD && oldest !== undefined) this.#recentlyGood.delete(oldest);
    if (this.#thisTurn.size === 0) inLaterTurn(() => this.#thisTurn.clear());
    this.#thisTurn.set(credential, caller);
  }
}

/**
 * Returns the caller if it has the scope. It is called before anything else is looked up, so that a refusal does not reveal what
 * exists. @throws {QuotaExceeded | CredentialRequired | ScopeMissing} or the `fault`, which may be `CredentialRefused`
 */
export function authorize({ caller, fault, allowance }: AccessDecision, scope: Scope): Caller {
  if (allowance && !allowance.allowed) throw new QuotaExceeded(allowance);
  if (!caller) throw fault ?? new CredentialRequired('A credential is required.');
  if (covers(caller.scopes, scope)) return caller;
  throw new ScopeMissing(scope);
}
