import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../application/ports/clock.ts';
import {
  type Caller,
  CredentialRefused,
  CredentialVerifier,
  VerifierUnavailable,
} from '../../application/ports/credential-verifier.ts';
import type { Log } from '../../application/ports/log.ts';
import { IssuerKeys, type KeySet } from './issuer-keys.ts';
import { fetchText, readText } from './key-documents.ts';
import { isKeyAddress, type JwtSettings, KEY_FETCH, type KeyFetchPolicy } from './settings.ts';
import { callerName, headerOf, type JsonObject, refusalOf, scopesOf } from './token.ts';

/** Characters, which in a token are bytes. */
const MAX_LENGTH = 8 * 1024;

/** The size of the cache of verified tokens, and how long an entry is used at most, in milliseconds. */
const MAX_CACHED = 1_000;
const MAX_CACHE_AGE_MS = 60_000;

/** The minimum time between two reads of a key file, in milliseconds. */
const FILE_REFRESH_MS = 1_000;

/** A verified token: its caller, the keys that verified it, and when. */
interface CacheEntry {
  readonly caller: Caller;
  readonly keys: KeySet;
  readonly since: number;
  /** The claim of the token, in seconds. */
  readonly exp: number;
}

/**
 * Verifies the signed tokens (RFC 7519) of one issuer, such as an OpenID provider, according to RFC 8725 and RFC 9068.
 * A token is accepted until it expires, and while its key is published: up to `maxCacheAge` after the key was withdrawn.
 */
export class JwtVerifier extends CredentialVerifier {
  readonly #settings: JwtSettings;
  readonly #clock: Clock;
  readonly #keys: IssuerKeys;
  readonly #verified = new LRUCache<string, CacheEntry>({ max: MAX_CACHED });

  constructor(settings: JwtSettings, clock: Clock, log: Log, fetching: KeyFetchPolicy = KEY_FETCH) {
    super();
    this.#settings = settings;
    this.#clock = clock;
    this.#keys = keysOf(settings, clock, log, fetching);
  }

  override async verify(credential: string): Promise<Caller | undefined> {
    const cached = this.#verified.get(credential);
    if (cached) {
      const now = this.#clock.now();
      const isFresh = now >= cached.since && now < cached.since + MAX_CACHE_AGE_MS;
      if (isFresh && !this.#isOver(cached, now) && (await this.#keys.current()) === cached.keys) {
        return cached.caller;
      }
      this.#verified.delete(credential);
    }
    if (!credential.includes('.')) return undefined;
    if (credential.length > MAX_LENGTH) {
      throw new CredentialRefused('malformed', `The token exceeds the limit of ${MAX_LENGTH} bytes.`);
    }
    const header = headerOf(credential);
    if (!header) return undefined;
    mustBeAccessToken(header);
    try {
      return await this.#find(credential, header);
    } catch (error) {
      throw toRefusal(error);
    }
  }

  async #find(token: string, header: JsonObject): Promise<Caller> {
    const keys = await this.#keys.current();
    try {
      return await this.#check(token, keys);
    } catch (error) {
      const newer = isKeyMissing(error, header) ? await this.#keys.after(keys) : undefined;
      if (!newer) throw error;
      return await this.#check(token, newer);
    }
  }

  async #check(token: string, keys: KeySet): Promise<Caller> {
    const claims = await this.#claims(token, keys);
    const caller = { name: callerName(claims), scopes: scopesOf(claims) };
    this.#verified.set(token, { caller, keys, since: this.#clock.now(), exp: claims.exp ?? 0 });
    return caller;
  }

  /** The claims of the token, if one of the keys has signed it. @throws an error of jose */
  async #claims(token: string, keys: KeySet): Promise<JWTPayload> {
    const { issuer, audience, algorithms, clockTolerance } = this.#settings;
    const options: JWTVerifyOptions = {
      issuer,
      audience,
      clockTolerance,
      algorithms: [...algorithms],
      currentDate: new Date(this.#clock.now()),
      requiredClaims: ['exp', 'sub'],
    };
    try {
      return (await jwtVerify(token, keys, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      // The token names no key, so each one is tried.
      for await (const key of error) {
        const found = await jwtVerify(token, key, options).catch((failure: unknown) => {
          if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
        });
        if (found) return found.payload;
      }
      throw new errors.JWSSignatureVerificationFailed();
    }
  }

  /** Checks `exp` as jose does. `nbf` needs no second check: it is in the past already. */
  #isOver({ exp }: CacheEntry, now: number): boolean {
    return exp <= Math.floor(now / 1000) - this.#settings.clockTolerance;
  }
}

function keysOf({ keys, maxCacheAge }: JwtSettings, clock: Clock, log: Log, fetching: KeyFetchPolicy): IssuerKeys {
  if ('file' in keys) {
    return new IssuerKeys(
      () => readText(keys.file),
      { freshFor: FILE_REFRESH_MS, coolDown: FILE_REFRESH_MS },
      clock,
      log,
    );
  }
  if (!isKeyAddress(keys.url)) throw new TypeError(`Keys cannot be fetched from ${JSON.stringify(keys.url)}.`);
  const url = new URL(keys.url);
  const policy = { freshFor: maxCacheAge * 1000, coolDown: fetching.coolDown };
  return new IssuerKeys(() => fetchText(url, fetching.timeout), policy, clock, log);
}

/** `typ` marks tokens that the issuer signs for other purposes (RFC 8725, section 3.11). @throws {CredentialRefused} */
function mustBeAccessToken({ typ }: JsonObject): void {
  if (typ === undefined || (typeof typ === 'string' && /^(?:application\/)?(?:at\+)?jwt$/i.test(typ))) return;
  throw new CredentialRefused('malformed', 'The type of the token ("typ") must be JWT or at+jwt.');
}

/** Whether newer keys may help: no key matches, or the token names no key and none of the known ones has signed it. */
function isKeyMissing(error: unknown, { kid }: JsonObject): boolean {
  if (error instanceof errors.JWKSNoMatchingKey) return true;
  return error instanceof errors.JWSSignatureVerificationFailed && kid === undefined;
}

function toRefusal(error: unknown): CredentialRefused | VerifierUnavailable {
  if (error instanceof CredentialRefused || error instanceof VerifierUnavailable) return error;
  return (
    refusalOf(error) ?? new VerifierUnavailable('The key set of the identity provider is unusable.', { cause: error })
  );
}
