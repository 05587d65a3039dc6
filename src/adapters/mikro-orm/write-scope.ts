import type { Outbox } from '../../application/ports/outbox.ts';
import type { OutcomeRepository } from '../../application/ports/outcome-repository.ts';
import type { WriteScope } from '../../application/ports/unit-of-work.ts';
import { MikroOrmApiKeyRepository } from './api-key-repository.ts';
import { MikroOrmCategoryRepository } from './category-repository.ts';
import { MikroOrmInventoryRepository } from './inventory-repository.ts';
import { MikroOrmLedger } from './ledger.ts';
import { MikroOrmOrderRepository } from './order-repository.ts';
import { MikroOrmPetRepository } from './pet-repository.ts';
import type { WriteSession } from './session.ts';

/** What the databases keep in ways of their own. */
export interface OwnWays {
  readonly outbox: Outbox;
  readonly outcomes: OutcomeRepository;
}

export class MikroOrmWriteScope implements WriteScope {
  readonly categories: MikroOrmCategoryRepository;
  readonly pets: MikroOrmPetRepository;
  readonly inventory: MikroOrmInventoryRepository;
  readonly orders: MikroOrmOrderRepository;
  readonly ledger: MikroOrmLedger;
  readonly outbox: Outbox;
  readonly outcomes: OutcomeRepository;
  readonly apiKeys: MikroOrmApiKeyRepository;
  readonly #session: WriteSession;

  constructor(session: WriteSession, { outbox, outcomes }: OwnWays) {
    this.#session = session;
    this.categories = new MikroOrmCategoryRepository(session);
    this.pets = new MikroOrmPetRepository(session);
    this.inventory = new MikroOrmInventoryRepository(session);
    this.orders = new MikroOrmOrderRepository(session);
    this.ledger = new MikroOrmLedger(session);
    this.outbox = outbox;
    this.outcomes = outcomes;
    this.apiKeys = new MikroOrmApiKeyRepository(session);
  }

  async isUntouched(): Promise<boolean> {
    return this.#session.isUntouched();
  }
}
