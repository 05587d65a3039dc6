import { type ApiKeySnapshot, keyState } from '../domain/api-key.ts';
import { KEY_PREFIX, parseKeyId } from './api-key-format.ts';
import type { Clock } from './ports/clock.ts';
import { type Caller, CredentialRefused, CredentialVerifier } from './ports/credential-verifier.ts';
import type { Reader } from './ports/reader.ts';
import type { Secrets } from './ports/secrets.ts';

/** The maximum number of cached keys. */
const CACHE_SIZE = 1_000;

/** A verified key: what is needed to check it again without hashing its text. */
interface CacheEntry {
  readonly id: number;
  readonly digest: string;
  readonly granted: ApiKeySnapshot['scopes'];
  readonly caller: Caller;
}

/** Verifies the API keys that the key desk issued. It is called for every request. */
export class ApiKeyVerifier extends CredentialVerifier {
  readonly #reader: Reader;
  readonly #clock: Clock;
  readonly #secrets: Secrets;
  /** A secret is compared with this if there is no such key, so that the comparison takes the same time. */
  readonly #digestOfNoKey: string;
  // The validity of a key is not cached, but read every time; only the digest of its text is.
  readonly #cache = new Map<string, CacheEntry>();

  constructor(reader: Reader, clock: Clock, secrets: Secrets) {
    super();
    this.#reader = reader;
    this.#clock = clock;
    this.#secrets = secrets;
    this.#digestOfNoKey = secrets.digest(KEY_PREFIX);
  }

  override async verify(credential: string): Promise<Caller | undefined> {
    if (!credential.startsWith(KEY_PREFIX)) return undefined;
    try {
      return await this.#check(credential);
    } catch (error) {
      if (error instanceof CredentialRefused) this.#cache.delete(credential);
      throw error;
    }
  }

  async #check(credential: string): Promise<Caller> {
    const cached = this.#cache.get(credential);
    const id = cached?.id ?? parseKeyId(credential);
    if (id === undefined) {
      throw new CredentialRefused('malformed', 'The API key is malformed; it may be truncated.');
    }

    const key = await this.#reader.apiKey(id);
    const digest = cached?.digest ?? this.#secrets.digest(credential);
    const isSame = this.#secrets.same(digest, key?.digest ?? this.#digestOfNoKey);
    if (!key || !isSame) throw new CredentialRefused('unknown', 'This API key does not exist.');

    const state = keyState(key, this.#clock.now());
    if (state === 'revoked') throw new CredentialRefused('revoked', 'This API key was revoked.');
    if (state === 'expired') {
      throw new CredentialRefused('expired', `This API key expired on ${formatForPeople(key.expiresAt ?? 0)}.`);
    }
    if (cached && isSameList(key.scopes, cached.granted)) return cached.caller;
    return this.#store(credential, key);
  }

  #store(credential: string, { id, digest, scopes }: ApiKeySnapshot): Caller {
    const caller = { name: `key:${id}`, scopes: new Set(scopes) };
    const [oldest] = this.#cache.keys();
    if (this.#cache.size >= CACHE_SIZE && oldest !== undefined) this.#cache.delete(oldest);
    this.#cache.set(credential, { id, digest, granted: scopes, caller });
    return caller;
  }
}

function isSameList<Item>(list: readonly Item[], other: readonly Item[]): boolean {
  return list.length === other.length && list.every((item, i) => item === other[i]);
}

/** An instant for people, such as `21 November 2026 at 09:00:00 UTC`. */
function formatForPeople(instant: number): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' }).format(instant);
}
