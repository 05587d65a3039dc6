import type { ApiKeyRepository } from '../../application/ports/api-key-repository.ts';
import { ApiKey } from '../../domain/api-key.ts';
import { LOCK_API_KEY, showApiKey } from './api-key-rows.ts';
import type { WriteSession } from './session.ts';
import { statement } from './statement.ts';
import type { RowOf } from './tables.ts';

const ADD = statement((db, key: RowOf<'api_keys'>) => {
  const { id, name, scopes, digest, createdAt, expiresAt, revokedAt } = key;
  return db.insertInto('api_keys').values({ id, name, scopes, digest, createdAt, expiresAt, revokedAt });
});

const SAVE = statement((db, key: RowOf<'api_keys'>) => {
  const { id, name, scopes, digest, createdAt, expiresAt, revokedAt } = key;
  return db.updateTable('api_keys').set({ name, scopes, digest, createdAt, expiresAt, revokedAt }).where('id', '=', id);
});

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
    const row = await this.#session.one(LOCK_API_KEY, { id });
    return row && ApiKey.recall(showApiKey(row));
  }

  async add(key: ApiKey): Promise<void> {
    await this.#session.add('api_keys', ADD, rowOf(key));
  }

  async save(key: ApiKey): Promise<void> {
    await this.#session.send(SAVE, rowOf(key));
  }
}

function rowOf(key: ApiKey): RowOf<'api_keys'> {
  const { id, name, scopes, digest, createdAt, expiresAt = null, revokedAt = null } = key.snapshot();
  return { id, name, scopes: JSON.stringify(scopes), digest, createdAt, expiresAt, revokedAt };
}
