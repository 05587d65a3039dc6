import { Storage } from '../../application/ports/storage.ts';
import type { InMemoryStore } from './store.ts';

/** A store in memory. Closing it discards its content. */
export class InMemoryStorage extends Storage {
  readonly #store: InMemoryStore;

  constructor(store: InMemoryStore) {
    super();
    this.#store = store;
  }

  async open(): Promise<void> {
    this.#store.open();
  }

  async close(): Promise<void> {
    this.#store.close();
    await this.#store.mutex.idle();
  }

  async check(): Promise<void> {
    void this.#store.tables;
  }

  override async isThere(): Promise<boolean> {
    return false;
  }
}
