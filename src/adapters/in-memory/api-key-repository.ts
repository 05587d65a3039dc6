import type { ApiKeyRepository } from '../../application/ports/api-key-repository.ts';
import { ApiKey, type ApiKeySnapshot } from '../../domain/api-key.ts';
import type { StagedChanges } from './staged-changes.ts';

export class InMemoryApiKeyRepository implements ApiKeyRepository {
  readonly #staged: StagedChanges;

  constructor(staged: StagedChanges) {
    this.#staged = staged;
  }

  async nextId(): Promise<number> {
    return this.#staged.tables.apiKeys.nextId();
  }

  async lock(id: number): Promise<ApiKey | undefined> {
    const row = this.#staged.tables.apiKeys.get(id);
    return row && ApiKey.recall(copy(row));
  }

  async add(key: ApiKey): Promise<void> {
    this.#staged.tables.apiKeys.insert(copy(key.snapshot()));
  }

  async save(key: ApiKey): Promise<void> {
    this.#staged.tables.apiKeys.update(copy(key.snapshot()));
  }
}

function copy(row: ApiKeySnapshot): ApiKeySnapshot {
  return { ...row, scopes: [...row.scopes] };
}
