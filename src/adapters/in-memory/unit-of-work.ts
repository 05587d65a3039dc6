import { UnitOfWork, type WriteScope } from '../../application/ports/unit-of-work.ts';
import { InMemoryApiKeyRepository } from './api-key-repository.ts';
import { InMemoryCategoryRepository } from './category-repository.ts';
import { InMemoryIdempotencyStore } from './idempotency-store.ts';
import { InMemoryInventoryRepository } from './inventory-repository.ts';
import { InMemoryLedger } from './ledger.ts';
import { InMemoryOrderRepository } from './order-repository.ts';
import { InMemoryOutbox } from './outbox.ts';
import { InMemoryPetRepository } from './pet-repository.ts';
import { StagedChanges } from './staged-changes.ts';
import type { InMemoryStore } from './store.ts';

/** Runs units of work one after the other. Each stages its changes, which are applied when it succeeds and discarded when it fails. */
export class InMemoryUnitOfWork extends UnitOfWork {
  readonly #store: InMemoryStore;
  readonly #limit: number;

  /** `limit`: the time limit of a unit of work in milliseconds, from the start of its turn. */
  constructor(store: InMemoryStore, limit = 15_000) {
    super();
    this.#store = store;
    this.#limit = limit;
  }

  write<Result>(work: (scope: WriteScope) => Promise<Result>): Promise<Result> {
    return this.#store.mutex.runExclusive(this.#limit, async (aborted) => {
      const staged = new StagedChanges(this.#store.tables);
      try {
        const result = await Promise.race([work(scopeOf(staged)), aborted]);
        staged.apply();
        return result;
      } finally {
        staged.end();
      }
    });
  }
}

function scopeOf(staged: StagedChanges): WriteScope {
  return {
    categories: new InMemoryCategoryRepository(staged),
    pets: new InMemoryPetRepository(staged),
    inventory: new InMemoryInventoryRepository(staged),
    orders: new InMemoryOrderRepository(staged),
    ledger: new InMemoryLedger(staged),
    outbox: new InMemoryOutbox(staged),
    idempotency: new InMemoryIdempotencyStore(staged),
    apiKeys: new InMemoryApiKeyRepository(staged),
  };
}
