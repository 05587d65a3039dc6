import type { Socket } from 'node:net';
import {
  type Caller,
  CredentialRefused,
  type CredentialVerifier,
} from '../../../application/ports/credential-verifier.ts';
import type { Allowance, RateLimiter } from '../../../application/ports/rate-limiter.ts';
import { covers, type Scope } from '../../../domain/scope.ts';
import { HttpError } from '../http-error.ts';
import { clientAddress, peerAddress } from '../protocol/client-address.ts';
import { credentialOf, unauthenticated } from '../protocol/credentials.ts';
import type { HeaderFields } from '../protocol/message.ts';
import { policyHeader, remainderHeader, retryAfter } from '../protocol/rate-limit.ts';
import type { Exchange } from './exchange.ts';
import type { Load } from './load.ts';

/** Who everybody is where nobody is asked. */
const ANYBODY: Caller = { name: 'anonymous', scopes: new Set(['admin']) };

const MOST_KNOWN = 1000;

export interface AdmissionParts {
  /** None, if nobody is asked who they are. */
  readonly verifiers: readonly CredentialVerifier[];
  /** None, if nobody is limited. */
  readonly limiter: RateLimiter | undefined;
  readonly trustedProxies: number;
  readonly load: Load;
}

/**
 * Finds out who calls, and counts the request: against the credential's share if that is good, and against the address's
 * otherwise, so that guessing is limited too.
 */
export class Admission {
  readonly #verifiers: readonly CredentialVerifier[];
  readonly #limiter: RateLimiter | undefined;
  readonly #trustedProxies: number;
  readonly #load: Load;
  readonly #policies: string;
  /** Credentials that were good lately, least recently used first: guesses from the same address do not affect them. */
  readonly #known = new Set<string>();
  /** Who came with these credentials in this turn of the event loop: many requests that are read at once need one look. */
  readonly #thisTurn = new Map<string, Caller>();
  /** How many credentials of each address are being verified for the first time. */
  readonly #guesses = new Map<string, number>();
  #limited = 0;

  constructor({ verifiers, limiter, trustedProxies, load }: AdmissionParts) {
    this.#verifiers = verifiers;
    this.#limiter = limiter;
    this.#trustedProxies = trustedProxies;
    this.#load = load;
    this.#policies = limiter ? policyHeader(limiter.policies) : '';
  }

  /** How many requests were beyond what their caller may ask. */
  get limited(): number {
    return this.#limited;
  }

  /** Tells the exchange who calls, or why that is not clear, and marks its answer with what the caller has left. */
  admit(exchange: Exchange): void | Promise<void> {
    if (this.#verifiers.length > 0) return this.#identifyAndCharge(exchange);
    exchange.caller = ANYBODY;
    if (this.#limiter) return this.#chargeAddress(exchange, this.#limiter);
  }

  async #chargeAddress(exchange: Exchange, limiter: RateLimiter): Promise<void> {
    this.#charge(exchange, await limiter.take(this.#addressOf(exchange), 'address'));
  }

  async #identifyAndCharge(exchange: Exchange): Promise<void> {
    let credential: string | undefined;
    try {
      credential = credentialOf(exchange.request);
    } catch (error) {
      exchange.credentialFault = error as Error;
    }
    const limiter = this.#limiter;
    const isGuess = credential !== undefined && !this.#known.has(credential) && !this.#thisTurn.has(credential);
    if (limiter && isGuess) await this.#guessAndCharge(exchange, credential, limiter);
    else await this.#verifyAndCharge(exchange, credential);
  }

  /**
   * Verifies a credential that was not good lately, unless its address has no request left. Those that are being verified count
   * as taken, or as many could be tried as come at once. One that is good costs the address nothing in the end.
   */
  async #guessAndCharge(exchange: Exchange, credential: string | undefined, limiter: RateLimiter): Promise<void> {
    const address = this.#addressOf(exchange);
    const guesses = (this.#guesses.get(address) ?? 0) + 1;
    this.#guesses.set(address, guesses);
    try {
      const allowance = await limiter.look(address, 'address');
      if (allowance.remainders.every(({ left }) => left >= guesses)) await this.#verifyAndCharge(exchange, credential);
      else this.#charge(exchange, { ...allowance, allowed: false });
    } finally {
      const others = (this.#guesses.get(address) ?? 1) - 1;
      if (others > 0) this.#guesses.set(address, others);
      else this.#guesses.delete(address);
    }
  }

  async #verifyAndCharge(exchange: Exchange, credential: string | undefined): Promise<void> {
    try {
      if (credential !== undefined)
        exchange.caller = this.#thisTurn.get(credential) ?? (await this.#verify(credential));
    } catch (error) {
      exchange.credentialFault = error instanceof CredentialRefused ? unauthenticated(error.message) : (error as Error);
    }
    if (!this.#limiter) return;
    if (exchange.caller) this.#charge(exchange, await this.#limiter.take(exchange.caller.name, 'caller'));
    else await this.#chargeAddress(exchange, this.#limiter);
  }

  /** Counts what came over the connection and could not be read as a request. Gives the headers of its answer. */
  admitUnread(socket: Socket): Promise<HeaderFields> | undefined {
    return this.#limiter?.take(peerAddress(socket), 'address').then((allowance) => this.#headersOf(allowance));
  }

  async #verify(credential: string): Promise<Caller> {
    this.#load.begin();
    try {
      for (const verifier of this.#verifiers) {
        const caller = await verifier.verify(credential);
        if (!caller) continue;
        this.#remember(credential, caller);
        return caller;
      }
    } catch (error) {
      // One that was revoked or has expired is a guess again.
      if (error instanceof CredentialRefused) this.#known.delete(credential);
      throw error;
    } finally {
      this.#load.end();
    }
    throw new CredentialRefused('unknown', 'This kind of credential is not accepted.');
  }

  #remember(credential: string, caller: Caller): void {
    this.#known.delete(credential);
    this.#known.add(credential);
    const [oldest] = this.#known;
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    if (this.#thisTurn.size === 0) setImmediate(() => this.#thisTurn.clear());
    this.#thisTurn.set(credential, caller);
  }

  #charge(exchange: Exchange, allowance: Allowance): void {
    exchange.mark(this.#headersOf(allowance));
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

  #addressOf({ request }: Exchange): string {
    return clientAddress(request, this.#trustedProxies);
  }
}

/**
 * What asks for a scope is done only for who has it. Nothing else is looked at before, so that a refusal tells nothing
 * about what is there. @throws {HttpError} `unauthenticated`, `insufficient_scope`, `unavailable`
 */
export function authorize({ caller, credentialFault }: Exchange, scope: Scope): Caller {
  if (!caller) {
    throw (
      credentialFault ?? unauthenticated('A credential is required: send Authorization: Bearer … or X-API-Key.', false)
    );
  }
  if (covers(caller.scopes, scope)) return caller;
  throw new HttpError(
    'insufficient_scope',
    `This operation requires the scope ${scope}, which the credential does not have.`,
    {
      headers: ['WWW-Authenticate', `Bearer realm="petstore", error="insufficient_scope", scope="${scope}"`],
    },
  );
}
