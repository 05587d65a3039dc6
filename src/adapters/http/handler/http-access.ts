import {
  type AccessControl,
  type AccessDecision,
  authorize as authorizeCaller,
  CredentialRequired,
  ScopeMissing,
} from '../../../application/access-control.ts';
import { type Caller, CredentialRefused } from '../../../application/ports/credential-verifier.ts';
import type { Allowance } from '../../../application/ports/rate-limiter.ts';
import { covers, type Scope } from '../../../domain/scope.ts';
import { HttpError } from '../http-error.ts';
import { credentialOf, unauthenticated } from '../request/credentials.ts';
import type { HeaderFields } from '../response/message.ts';
import { policyHeader, remainderHeader, retryAfter } from '../response/rate-limit.ts';
import type { Exchange } from './exchange.ts';

export interface HttpAccessParts {
  readonly access: AccessControl;
  readonly trustedProxies: number;
}

/** Takes credentials and addresses out of requests for {@link AccessControl}, and tells clients over HTTP what it found. */
export class HttpAccess {
  readonly #access: AccessControl;
  readonly #trustedProxies: number;
  readonly #policies: string;
  #limited = 0;

  constructor({ access, trustedProxies }: HttpAccessParts) {
    this.#access = access;
    this.#trustedProxies = trustedProxies;
    this.#policies = policyHeader(access.policies);
  }

  /** How many requests were beyond what their caller may ask. */
  get limited(): number {
    return this.#limited;
  }

  /** Tells the exchange who calls, or why that is not clear, and marks its answer with what the caller has left. */
  admit(exchange: Exchange): void | Promise<void> {
    let credential: string | undefined;
    if (this.#access.requiresAuthentication) {
      try {
        credential = credentialOf(exchange.request);
      } catch (error) {
        exchange.credentialFault = error as Error;
      }
    }
    const admittance = this.#access.admit(credential, exchange.clientAddress(this.#trustedProxies));
    if (!(admittance instanceof Promise)) return this.#tell(exchange, admittance);
    return admittance.then((found) => this.#tell(exchange, found));
  }

  /** Counts what came from an address and could not be read as a request. Returns the headers of its answer. */
  admitUnread(address: string): Promise<HeaderFields> | undefined {
    if (this.#access.policies.length === 0) return undefined;
    return this.#access.countAgainstQuota(address).then((allowance) => (allowance ? this.#headersOf(allowance) : []));
  }

  /**
   * Whether the caller of a stream may still do what it began to do. It verifies the credential again, which does not count as a
   * request. A credential that cannot be verified now is assumed to be as good as before.
   */
  async isStillAuthorized({ request }: Exchange, scope: Scope): Promise<boolean> {
    const credential = this.#access.requiresAuthentication ? credentialOf(request) : undefined;
    if (credential === undefined) return true;
    const { caller, fault } = await this.#access.verifyAgain(credential);
    return caller ? covers(caller.scopes, scope) : !(fault instanceof CredentialRefused);
  }

  #tell(exchange: Exchange, { caller, fault, allowance }: AccessDecision): void {
    exchange.caller = caller;
    if (fault) exchange.credentialFault = fault instanceof CredentialRefused ? unauthenticated(fault.message) : fault;
    if (!allowance) return;
    exchange.addHeaders(this.#headersOf(allowance));
    if (allowance.allowed) return;
    this.#limited += 1;
    const seconds = retryAfter(allowance);
    exchange.denial = new HttpError('rate_limited', `Too many requests (${this.#policies}): retry in ${seconds} s.`, {
      headers: ['Retry-After', String(seconds)],
    });
  }

  #headersOf({ remainders }: Allowance): HeaderFields {
    return ['RateLimit-Policy', this.#policies, 'RateLimit', remainderHeader(remainders)];
  }
}

/**
 * What asks for a scope is done only for who has it.
 * @throws {HttpError} `unauthenticated`, `insufficient_scope`, `unavailable`
 */
export function authorize({ caller, credentialFault: fault }: Exchange, scope: Scope): Caller {
  try {
    return authorizeCaller({ ...(caller && { caller }), ...(fault && { fault }) }, scope);
  } catch (error) {
    if (error instanceof CredentialRequired) {
      throw unauthenticated('A credential is required: send Authorization: Bearer … or X-API-Key.', false);
    }
    if (!(error instanceof ScopeMissing)) throw error;
    throw new HttpError('insufficient_scope', error.message, {
      headers: ['WWW-Authenticate', `Bearer realm="petstore", error="insufficient_scope", scope="${scope}"`],
    });
  }
}
