import type { IdempotencyStore } from '../../application/ports/idempotency-store.ts';
import type { Outbox } from '../../application/ports/outbox.ts';
import type { WriteScope } from '../../application/ports/unit-of-work.ts';
import { MikroOrmApiKeyRepository } from './api-key-repository.ts';
import { MikroOrmCategoryRepository } from './category-repository.ts';
import { MikroOrmInventoryRepository } from './inventory-repository.ts';
import { MikroOrmLedger } from './ledger.ts';
import { MikroOrmOrderRepository } from './order-repository.ts';
import { MikroOrmPetRepository } from './pet-repository.ts';
import type { WriteSession } from './session.ts';
import { MikroOrmWebhookDeliveryRepository } from './webhook-delivery-repository.ts';
import { MikroOrmWebhookRepository } from './webhook-repository.ts';

/** The repositories that differ between the databases by more than a keyword. */
export interface DialectRepositories {
  readonly inventory?: MikroOrmInventoryRepository;
  readonly orders?: MikroOrmOrderRepository;
  readonly outbox: Outbox;
  readonly idempotency: IdempotencyStore;
}

export class MikroOrmWriteScope implements WriteScope {
  readonly categories: MikroOrmCategoryRepository;
  readonly pets: MikroOrmPetRepository;
  readonly inventory: MikroOrmInventoryRepository;
  readonly orders: MikroOrmOrderRepository;
  readonly ledger: MikroOrmLedger;
  readonly outbox: Outbox;
  readonly idempotency: IdempotencyStore;
  readonly apiKeys: MikroOrmApiKeyRepository;
  readonly webhooks: MikroOrmWebhookRepository;
  readonly webhookDeliveries: MikroOrmWebhookDeliveryRepository;

  constructor(session: WriteSession, { inventory, orders, outbox, idempotency }: DialectRepositories) {
    this.categories = new MikroOrmCategoryRepository(session);
    this.pets = new MikroOrmPetRepository(session);
    this.inventory = inventory ?? new MikroOrmInventoryRepository(session);
    this.orders = orders ?? new MikroOrmOrderRepository(session);
    this.ledger = new MikroOrmLedger(session);
    this.outbox = outbox;
    this.idempotency = idempotency;
    this.apiKeys = new MikroOrmApiKeyRepository(session);
    this.webhooks = new MikroOrmWebhookRepository(session);
    this.webhookDeliveries = new MikroOrmWebhookDeliveryRepository(session);
  }
}
