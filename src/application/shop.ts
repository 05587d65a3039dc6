import { CategoryDesk } from './category-desk.ts';
import { IdempotentUnitOfWork } from './idempotency.ts';
import { OrderDesk } from './order-desk.ts';
import { PetCatalog } from './pet-catalog.ts';
import type { Clock } from './ports/clock.ts';
import type { EventLog } from './ports/event-log.ts';
import type { Reader } from './ports/reader.ts';
import type { Secrets } from './ports/secrets.ts';
import type { UnitOfWork } from './ports/unit-of-work.ts';
import { StockRoom } from './stock-room.ts';
import { WebhookDesk } from './webhook-desk.ts';

/** The desks of the store and its event log: every use case of the published interface. */
export class Shop {
  readonly petCatalog: PetCatalog;
  readonly categoryDesk: CategoryDesk;
  readonly orderDesk: OrderDesk;
  readonly stockRoom: StockRoom;
  readonly webhookDesk: WebhookDesk;
  readonly eventLog: EventLog;
  /** What executes the changes of the desks. */
  readonly work: IdempotentUnitOfWork;

  constructor(work: UnitOfWork, reader: Reader, eventLog: EventLog, clock: Clock, secrets: Secrets) {
    this.work = new IdempotentUnitOfWork(work, clock);
    this.petCatalog = new PetCatalog(this.work, reader, clock);
    this.categoryDesk = new CategoryDesk(this.work, reader, clock);
    this.orderDesk = new OrderDesk(this.work, reader, clock);
    this.stockRoom = new StockRoom(this.work, reader, clock);
    this.webhookDesk = new WebhookDesk(this.work, reader, clock, { secrets, eventLog });
    this.eventLog = eventLog;
  }
}
