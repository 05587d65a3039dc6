import type { ApiKeyRepository } from '../../application/ports/api-key-repository.ts';
import { ApiKey, type ApiKeySnapshot } from '../../domain/api-key.ts';
import type { Draft } from './draft.ts';

export class InMemoryApiKeyRepository implements ApiKeyRepository {
  readonly #draft: Draft;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  async nextId(): Promise<number> {
    return this.#draft.tables.apiKeys.nextId();
  }

  async lock(id: number): Promise<ApiKey | undefined> {
    const row = this.#draft.tables.apiKeys.get(id);
    return row && ApiKey.recall(copy(row));
  }

  async add(key: ApiKey): Promise<void> {
    this.#draft.tables.apiKeys.insert(copy(key.snapshot()));
  }

  async save(key: ApiKey): Promise<void> {
    this.#draft.tables.apiKeys.update(copy(key.snapshot()));
  }
}

function copy(row: ApiKeySnapshot): ApiKeySnapshot {
  return { ...row, scopes: [...row.scopes] };
}
