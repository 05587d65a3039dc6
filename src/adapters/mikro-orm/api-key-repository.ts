import type { ApiKeyRepository } from '../../application/ports/api-key-repository.ts';
import { ApiKey } from '../../domain/api-key.ts';
import { API_KEY, type ApiKeyRow, showApiKey } from './api-key-rows.ts';
import type { WriteSession } from './session.ts';

const ADD =
  'insert into api_keys (id, name, scopes, digest, created_at, expires_at, revoked_at) values (?, ?, ?, ?, ?, ?, ?)';
const SAVE =
  'update api_keys set name = ?, scopes = ?, digest = ?, created_at = ?, expires_at = ?, revoked_at = ? where id = ?';

export class MikroOrmApiKeyRepository implements ApiKeyRepository {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async nextId(): Promise<number> {
    return this.#session.nextId('api_keys');
  }

  async lock(id: number): Promise<ApiKey | undefined> {
    if (!Number.isSafeInteger(id)) return undefined;
    const row = await this.#session.one<ApiKeyRow>(`${API_KEY}${this.#session.forUpdate}`, id);
    return row && ApiKey.recall(showApiKey(row));
  }

  async add(key: ApiKey): Promise<void> {
    await this.#session.add('api_keys', ADD, key.id, ...factsOf(key));
  }

  async save(key: ApiKey): Promise<void> {
    await this.#session.send(SAVE, ...factsOf(key), key.id);
  }
}

function factsOf(key: ApiKey): unknown[] {
  const { name, scopes, digest, createdAt, expiresAt, revokedAt } = key.snapshot();
  return [name, JSON.stringify(scopes), digest, createdAt, expiresAt ?? null, revokedAt ?? null];
}
