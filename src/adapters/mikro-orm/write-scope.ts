import type { WriteScope } from '../../application/ports/unit-of-work.ts';
import { MikroOrmApiKeyRepository } from './api-key-repository.ts';
import { MikroOrmCategoryRepository } from './category-repository.ts';
import { MikroOrmInventoryRepository } from './inventory-repository.ts';
import { MikroOrmLedger } from './ledger.ts';
import { MikroOrmOrderRepository } from './order-repository.ts';
import { MikroOrmOutbox } from './outbox.ts';
import { MikroOrmOutcomeRepository } from './outcome-repository.ts';
import { MikroOrmPetRepository } from './pet-repository.ts';
import type { WriteSession } from './write-session.ts';

const WAS_USED = "select 1 from sqlite_sequence where name in ('categories', 'pets', 'orders') and seq > 0";

export class MikroOrmWriteScope implements WriteScope {
  readonly categories: MikroOrmCategoryRepository;
  readonly pets: MikroOrmPetRepository;
  readonly inventory: MikroOrmInventoryRepository;
  readonly orders: MikroOrmOrderRepository;
  readonly ledger: MikroOrmLedger;
  readonly outbox: MikroOrmOutbox;
  readonly outcomes: MikroOrmOutcomeRepository;
  readonly apiKeys: MikroOrmApiKeyRepository;
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
    this.categories = new MikroOrmCategoryRepository(session);
    this.pets = new MikroOrmPetRepository(session);
    this.inventory = new MikroOrmInventoryRepository(session);
    this.orders = new MikroOrmOrderRepository(session);
    this.ledger = new MikroOrmLedger(session);
    this.outbox = new MikroOrmOutbox(session);
    this.outcomes = new MikroOrmOutcomeRepository(session);
    this.apiKeys = new MikroOrmApiKeyRepository(session);
  }

  async isUntouched(): Promise<boolean> {
    return this.#session.one(WAS_USED) === undefined;
  }
}
