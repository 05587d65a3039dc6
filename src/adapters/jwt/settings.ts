import ipaddr from 'ipaddr.js';

/** The algorithms that a token may be signed with (RFC 7518, RFC 8037): all of them asymmetric. */
export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

/** Which tokens are accepted. */
export interface JwtSettings {
  /** The `iss` of every token, exactly. */
  readonly issuer: string;
  /** What the `aud` of every token must be or contain. */
  readonly audience: string;
  /** Where the issuer publishes its keys as a JSON Web Key Set (RFC 7517): an address for which {@link isKeyAddress} holds, or a file. */
  readonly keys: { readonly url: string } | { readonly file: string };
  readonly algorithms: readonly Algorithm[];
  /** Accepted difference to the clock of the issuer, in seconds. */
  readonly clockTolerance: number;
  /** How long keys from an address are used before they are fetched again, in seconds. */
  readonly maxCacheAge: number;
}

/** How keys are fetched, in milliseconds. */
export interface KeyFetchPolicy {
  /** Time limit for the whole response. */
  readonly timeout: number;
  /** The minimum time between two requests after a failure, or when a key was missing. */
  readonly coolDown: number;
}

export const KEY_FETCH: KeyFetchPolicy = { timeout: 5_000, coolDown: 10_000 };

/**
 * Whether keys may be fetched from this address: `https`, or `http` on loopback, so that an attacker on the network cannot
 * inject a key; and without a password, which would be logged.
 */
export function isKeyAddress(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

/** `URL` has brought the name into its normal form. */
function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true;
  return ipaddr.IPv4.isValid(hostname) && ipaddr.IPv4.parse(hostname).range() === 'loopback';
}
