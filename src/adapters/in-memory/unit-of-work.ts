import { UnitOfWork, type WriteScope } from '../../application/ports/unit-of-work.ts';
import { InMemoryApiKeyRepository } from './api-key-repository.ts';
import { InMemoryCategoryRepository } from './category-repository.ts';
import { Draft } from './draft.ts';
import { InMemoryIdempotencyStore } from './idempotency-store.ts';
import { InMemoryInventoryRepository } from './inventory-repository.ts';
import { InMemoryLedger } from './ledger.ts';
import { InMemoryOrderRepository } from './order-repository.ts';
import { InMemoryOutbox } from './outbox.ts';
import { InMemoryPetRepository } from './pet-repository.ts';
import type { InMemoryStore } from './store.ts';

/** Units of work pass one after the other, each on a draft that is kept when it ends well and dropped when it does not. */
export class InMemoryUnitOfWork extends UnitOfWork {
  readonly #store: InMemoryStore;
  readonly #limit: number;

  /** `limit`: the milliseconds in which a unit of work has to come to its end, from when its turn begins. */
  constructor(store: InMemoryStore, limit = 15_000) {
    super();
    this.#store = store;
    this.#limit = limit;
  }

  write<Result>(work: (scope: WriteScope) => Promise<Result>): Promise<Result> {
    return this.#store.turnstile.pass(this.#limit, async (stopped) => {
      const draft = new Draft(this.#store.tables);
      try {
        const result = await Promise.race([work(scopeOf(draft)), stopped]);
        draft.keep();
        return result;
      } finally {
        draft.end();
      }
    });
  }
}

function scopeOf(draft: Draft): WriteScope {
  return {
    categories: new InMemoryCategoryRepository(draft),
    pets: new InMemoryPetRepository(draft),
    inventory: new InMemoryInventoryRepository(draft),
    orders: new InMemoryOrderRepository(draft),
    ledger: new InMemoryLedger(draft),
    outbox: new InMemoryOutbox(draft),
    idempotency: new InMemoryIdempotencyStore(draft),
    apiKeys: new InMemoryApiKeyRepository(draft),
  };
}
