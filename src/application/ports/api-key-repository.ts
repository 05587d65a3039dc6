import type { ApiKey } from '../../domain/api-key.ts';

/** Stores API keys, inside a unit of work. A key is never deleted, so that its number never means another key. */
export interface ApiKeyRepository {
  /** The identifier for the next key: larger than every acknowledged one. */
  nextId(): Promise<number>;
  /** The key, locked for other units of work until this one ends; `undefined` if there is none. */
  lock(id: number): Promise<ApiKey | undefined>;
  add(key: ApiKey): Promise<void>;
  save(key: ApiKey): Promise<void>;
}
