import { hash } from 'node:crypto';
import { errors, type JWTPayload } from 'jose';
import { CredentialRefused } from '../../application/ports/credential-verifier.ts';
import { SCOPES, type Scope } from '../../domain/scope.ts';

const PARTS = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)\.[A-Za-z0-9_-]*$/;

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The header of a token in the compact form of RFC 7515, section 7.1; `undefined` for any other text.
 * @throws {CredentialRefused} a member is duplicate (RFC 7515 and RFC 7519, section 4 of each)
 */
export function headerOf(token: string): JsonObject | undefined {
  const [, first, second] = PARTS.exec(token) ?? [];
  if (first === undefined || second === undefined) return undefined;
  const header = objectIn(first);
  if (!header) return undefined;
  if ([first, second].some(hasDuplicate)) {
    throw new CredentialRefused('malformed', 'The token contains a duplicate member.');
  }
  return header;
}

/** The same decoder as in jose, so that both see the same text. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function textOf(part: string): string {
  return utf8.decode(Buffer.from(part, 'base64url'));
}

function objectIn(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(textOf(part));
    return typeof value === 'object' && value && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an object in it has a duplicate member. The parser keeps the last one, so the text has more names than the value. */
function hasDuplicate(part: string): boolean {
  const value = objectIn(part);
  if (!value) return false;
  // In JSON, a colon follows a string only if the string is the name of a member.
  const names = textOf(part).match(/"(?:[^"\\]|\\.)*"\s*:?/g) ?? [];
  return names.filter((name) => name.endsWith(':')).length > membersOf(value);
}

/** The number of members in all objects of a value. Without recursion: the client chooses how deep a token nests. */
function membersOf(value: unknown): number {
  let members = 0;
  for (const rest = [value]; rest.length > 0; ) {
    const next = rest.pop();
    if (typeof next !== 'object' || next === null) continue;
    const inside = Object.values(next);
    if (!Array.isArray(next)) members += inside.length;
    rest.push(...inside);
  }
  return members;
}

/**
 * The name of a caller, from the `sub` of the token; a long one is replaced by its digest, in a form that no short one has.
 * @throws {CredentialRefused} `sub` is not a string, or contains control characters
 */
export function callerName({ sub }: JWTPayload): string {
  if (typeof sub !== 'string' || sub === '' || /\p{Cc}|\p{Cs}/u.test(sub)) {
    throw new CredentialRefused(
      'malformed',
      'The claim "sub" of the token must be a string without control characters.',
    );
  }
  const name = `jwt:${sub}`;
  return name.length <= 300 ? name : `jwt#${hash('sha256', sub, 'base64url')}:${sub.slice(0, 100).toWellFormed()}`;
}

/** The scopes of this service in `scope` (RFC 8693, section 4.2) or in `scp`, its name at some issuers. */
export function scopesOf({ scope, scp }: JWTPayload): ReadonlySet<Scope> {
  const granted = [scope, scp].flatMap((claim) => (typeof claim === 'string' ? claim.split(' ') : claim));
  return new Set(SCOPES.filter((known) => granted.includes(known)));
}

/**
 * The refusal of a token for an error of jose; `undefined` if the token is not the cause. An unknown key and a wrong signature
 * get the same refusal. No message repeats a value of the token.
 */
export function refusalOf(error: unknown): CredentialRefused | undefined {
  if (error instanceof errors.JWTExpired) return expired();
  if (error instanceof errors.JWTClaimValidationFailed) return claimRefusal(error);
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey) {
    return new CredentialRefused('unknown', 'The token is not signed by the trusted issuer.');
  }
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return new CredentialRefused('unknown', 'The signature algorithm of the token ("alg") is not accepted.');
  }
  if (error instanceof errors.JOSENotSupported) {
    return new CredentialRefused('malformed', 'The header of the token requires an unsupported extension ("crit").');
  }
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) {
    return new CredentialRefused('malformed', 'The token is malformed.');
  }
  return undefined;
}

function expired(): CredentialRefused {
  return new CredentialRefused('expired', 'The token has expired (claim "exp").');
}

function claimRefusal({ claim, reason }: errors.JWTClaimValidationFailed): CredentialRefused {
  if (reason === 'missing') return new CredentialRefused('malformed', `The token has no claim "${claim}".`);
  if (reason === 'invalid')
    return new CredentialRefused('malformed', `The claim "${claim}" of the token must be a number.`);
  if (claim === 'nbf') return new CredentialRefused('unknown', 'The token is not valid yet (claim "nbf").');
  return new CredentialRefused('unknown', `The claim "${claim}" of the token does not have the expected value.`);
}
