import type { ApiKeyRepository } from '../../application/ports/api-key-repository.ts';
import { ApiKey } from '../../domain/api-key.ts';
import { API_KEY, type ApiKeyRow, showApiKey } from './api-key-rows.ts';
import type { WriteSession } from './write-session.ts';

const ADD =
  'insert into api_keys (name, scopes, digest, created_at, expires_at, revoked_at, id) values (?, ?, ?, ?, ?, ?, ?)';
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
    const row = this.#session.one<ApiKeyRow>(API_KEY, id);
    return row && ApiKey.recall(showApiKey(row));
  }

  async add(key: ApiKey): Promise<void> {
    this.#write(ADD, key);
  }

  async save(key: ApiKey): Promise<void> {
    this.#write(SAVE, key);
  }

  #write(sql: string, key: ApiKey): void {
    const { id, name, scopes, digest, createdAt, expiresAt, revokedAt } = key.snapshot();
    this.#session.run(sql, name, JSON.stringify(scopes), digest, createdAt, expiresAt ?? null, revokedAt ?? null, id);
  }
}
