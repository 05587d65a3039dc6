/** The algorithms that a token may be signed with (RFC 7518, RFC 8037): those whose verifying key can sign nothing. */
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

/** Whose tokens are taken, and how. */
export interface JwtSettings {
  /** The `iss` of every token, exactly. */
  readonly issuer: string;
  /** What the `aud` of every token must be, or have in its list. */
  readonly audience: string;
  /** Where the issuer publishes its keys as a JSON Web Key Set (RFC 7517): an address for which {@link isKeyAddress} holds, or a file. */
  readonly keys: { readonly url: string } | { readonly file: string };
  readonly algorithms: readonly Algorithm[];
  /** How far the issuer's clock may be from this one, in seconds. */
  readonly clockTolerance: number;
  /** For how long keys from an address are good before they are asked for again, in seconds. */
  readonly maxCacheAge: number;
}

/** How patiently keys are asked for, in milliseconds. */
export interface KeyFetchPolicy {
  /** How long the address may take for its whole answer. */
  readonly timeout: number;
  /** How long it is left alone when it failed, or had nothing new. */
  readonly coolDown: number;
}

export const KEY_FETCH: KeyFetchPolicy = { timeout: 5_000, coolDown: 10_000 };

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Whether keys may come from this address: `https`, or `http` from this machine itself, so that nobody on the way can
 * slip in a key; and without a password, which would end up in logs.
 */
export function isKeyAddress(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
}
