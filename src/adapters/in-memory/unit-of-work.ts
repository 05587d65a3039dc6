import { abortable } from '../../application/abortable.ts';
import { UnitOfWork, type WriteOptions, type WriteScope } from '../../application/ports/unit-of-work.ts';
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
import { InMemoryWebhookDeliveryRepository } from './webhook-delivery-repository.ts';
import { InMemoryWebhookRepository } from './webhook-repository.ts';

/** Runs units of work one after the other. Each stages its changes, which are applied when it succeeds and discarded when it fails. */
export class InMemoryUnitOfWork extends UnitOfWork {
  readonly #store: InMemoryStore;

  constructor(store: InMemoryStore) {
    super();
    this.#store = store;
  }

  write<Result>(work: (scope: WriteScope) => Promise<Result>, { signal }: WriteOptions = {}): Promise<Result> {
    return this.#store.mutex.runExclusive(signal, async (closed) => {
      const staged = new StagedChanges(this.#store.tables);
      try {
        const result = await Promise.race([abortable(work(scopeOf(staged)), signal), closed]);
        signal?.throwIfAborted();
        this.#apply(staged);
        return result;
      } finally {
        staged.end();
      }
    });
  }

  #apply(staged: StagedChanges): void {
    const { events } = this.#store.tables;
    const last = events.lastId;
    staged.apply();
    if (events.lastId > last) this.#store.eventsAppended.emit();
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
    webhooks: new InMemoryWebhookRepository(staged),
    webhookDeliveries: new InMemoryWebhookDeliveryRepository(staged),
  };
}
