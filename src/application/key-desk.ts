import { ApiKey, type ApiKeySnapshot, keyState } from '../domain/api-key.ts';
import { LONGEST_NAME } from '../domain/limits.ts';
import { SCOPES, type Scope } from '../domain/scope.ts';
import { tidyText } from '../domain/text.ts';
import { formatApiKey, suppliedKeyId } from './api-key-format.ts';
import type { Clock } from './ports/clock.ts';
import type { Reader } from './ports/reader.ts';
import type { Secrets } from './ports/secrets.ts';
import type { UnitOfWork, WriteScope } from './ports/unit-of-work.ts';

export interface KeyInput {
  /** Its name for people: 1 to `LONGEST_NAME` characters, none of them a control character. */
  readonly name: string;
  /** One or more. */
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970-01-01T00:00:00Z, in the future. */
  readonly expiresAt?: number | undefined;
}

/** A key without the digest of its secret. */
export interface KeyView extends Omit<ApiKeySnapshot, 'digest'> {
  readonly state: ReturnType<typeof keyState>;
}

export interface IssuedKey {
  readonly key: KeyView;
  /** The text that its holder sends. It is not stored, and cannot be shown again. */
  readonly secret: string;
}

export interface SuppliedKey {
  readonly key: KeyView;
  /** Whether it was added now. */
  readonly isNew: boolean;
}

/** The use cases of API keys. */
export class KeyDesk {
  readonly #work: UnitOfWork;
  readonly #reader: Reader;
  readonly #clock: Clock;
  readonly #secrets: Secrets;

  constructor(work: UnitOfWork, reader: Reader, clock: Clock, secrets: Secrets) {
    this.#work = work;
    this.#reader = reader;
    this.#clock = clock;
    this.#secrets = secrets;
  }

  /** @throws {KeyRefused} */
  issue(input: KeyInput): Promise<IssuedKey> {
    return this.#work.write(async ({ apiKeys }) => {
      const createdAt = this.#clock.now();
      const name = validName(input);
      const scopes = SCOPES.filter((scope) => input.scopes.includes(scope));
      if (scopes.length === 0) throw new KeyRefused(`A key requires at least one of the scopes ${SCOPES.join(', ')}.`);
      const { expiresAt } = input;
      if (expiresAt !== undefined && expiresAt <= createdAt) {
        throw new KeyRefused('The expiry of a key must be in the future.');
      }

      const id = await apiKeys.nextId();
      const secret = formatApiKey(id, this.#secrets.make());
      const key = ApiKey.issue({ id, name, scopes, digest: this.#secrets.digest(secret), createdAt, expiresAt });
      await apiKeys.add(key);
      return { key: viewOf(key.snapshot(), createdAt), secret };
    });
  }

  /**
   * Adds a key whose text was chosen outside, unless the store has it already; a revoked one stays revoked. Only its digest
   * is stored. @throws {KeyRefused} if the text is no such key, or the store has another key of that number
   */
  supply(secret: string, { name, scopes }: Omit<KeyInput, 'expiresAt'>): Promise<SuppliedKey> {
    return this.#work.write(async ({ apiKeys }) => {
      const id = suppliedKeyId(secret);
      if (id === undefined) throw new KeyRefused('A supplied key must have the form of a key, and a random secret.');
      const now = this.#clock.now();
      const digest = this.#secrets.digest(secret);
      const found = (await apiKeys.lock(id))?.snapshot();
      if (found) {
        if (this.#secrets.same(found.digest, digest)) return { key: viewOf(found, now), isNew: false };
        throw new KeyRefused(
          `The store has another API key ${id}; use a free number in the supplied key, as in petstore_${id + 1}_….`,
        );
      }
      const key = ApiKey.issue({ id, name, scopes, digest, createdAt: now });
      await apiKeys.add(key);
      return { key: viewOf(key.snapshot(), now), isNew: true };
    });
  }

  /** All keys, including expired and revoked ones, in the order of their creation. */
  async list(): Promise<KeyView[]> {
    const keys = await this.#reader.apiKeys();
    const now = this.#clock.now();
    return keys.map((key) => viewOf(key, now));
  }

  /** Revokes a key permanently. A revoked key stays unchanged. @throws {KeyNotFound} */
  revoke(id: number): Promise<KeyView> {
    return this.#change(id, (key, now) => key.revoke(now));
  }

  /** Sets the expiry of a key, which may be in the past, or removes it (`undefined`). @throws {KeyNotFound} */
  expireAt(id: number, instant: number | undefined): Promise<KeyView> {
    return this.#change(id, (key) => key.expireAt(instant));
  }

  #change(id: number, change: (key: ApiKey, now: number) => boolean): Promise<KeyView> {
    return this.#work.write(async ({ apiKeys }: WriteScope) => {
      const key = await apiKeys.lock(id);
      if (!key) throw new KeyNotFound(id);

      const now = this.#clock.now();
      if (change(key, now)) await apiKeys.save(key);
      return viewOf(key.snapshot(), now);
    });
  }
}

/** There is no such key. */
export class KeyNotFound extends Error {
  override readonly name = 'KeyNotFound';

  constructor(id: number) {
    super(`No API key has the id ${id}; petstore keys list shows the existing ones.`);
  }
}

/** The key cannot be created. The message states the requirement, in one sentence. */
export class KeyRefused extends Error {
  override readonly name = 'KeyRefused';
}

function validName(input: KeyInput): string {
  const name = tidyText(input.name);
  const length = Array.from(name).length;
  if (length < 1 || length > LONGEST_NAME || /\p{Cc}|\p{Cs}/u.test(name)) {
    throw new KeyRefused(
      `The name of a key must have 1 to ${LONGEST_NAME} characters, none of them a control character.`,
    );
  }
  return name;
}

function viewOf(key: ApiKeySnapshot, now: number): KeyView {
  const { id, name, scopes, createdAt, expiresAt, revokedAt } = key;
  return {
    id,
    name,
    scopes,
    state: keyState(key, now),
    createdAt,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(revokedAt !== undefined && { revokedAt }),
  };
}
