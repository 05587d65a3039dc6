import type { ApiKey } from '../../domain/api-key.ts';

/** Remembers API keys, inside a unit of work. They are never removed: what a key did stays its own. */
export interface ApiKeyRepository {
  /** The identifier for the next key: larger than all that were acknowledged. */
  nextId(): Promise<number>;
  /** The key, kept from other units of work until this one ends; `undefined` if there is none. */
  lock(id: number): Promise<ApiKey | undefined>;
  add(key: ApiKey): Promise<void>;
  save(key: ApiKey): Promise<void>;
}
