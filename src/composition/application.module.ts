import { ContainerModule } from 'inversify';
import { ApiKeyVerifier } from '../application/api-key-verifier.ts';
import { Auditor } from '../application/auditor.ts';
import { CategoryDesk } from '../application/category-desk.ts';
import { Demonstration } from '../application/demonstration.ts';
import { EventFeed } from '../application/event-feed.ts';
import { EventRetention } from '../application/event-retention.ts';
import { IdempotentUnitOfWork } from '../application/idempotency.ts';
import { KeyDesk } from '../application/key-desk.ts';
import { OrderDesk } from '../application/order-desk.ts';
import { PetCatalog } from '../application/pet-catalog.ts';
import { Clock } from '../application/ports/clock.ts';
import { EventLog } from '../application/ports/event-log.ts';
import { Reader } from '../application/ports/reader.ts';
import { Secrets } from '../application/ports/secrets.ts';
import { UnitOfWork } from '../application/ports/unit-of-work.ts';
import { Shop } from '../application/shop.ts';
import { StockRoom } from '../application/stock-room.ts';
import { WebhookDesk } from '../application/webhook-desk.ts';
import type { PetstoreOptions } from './options.ts';

export const applicationModule = new ContainerModule(({ bind }) => {
  bind(Shop)
    .toResolvedValue(
      (work, reader, eventLog, clock, secrets) => new Shop(work, reader, eventLog, clock, secrets),
      [UnitOfWork, Reader, EventLog, Clock, Secrets],
    )
    .inSingletonScope();
  bind(Demonstration)
    .toResolvedValue((work, reader, clock) => new Demonstration(work, reader, clock), [UnitOfWork, Reader, Clock])
    .inSingletonScope();
  bind(PetCatalog).toResolvedValue(({ petCatalog }) => petCatalog, [Shop]);
  bind(CategoryDesk).toResolvedValue(({ categoryDesk }) => categoryDesk, [Shop]);
  bind(OrderDesk).toResolvedValue(({ orderDesk }) => orderDesk, [Shop]);
  bind(StockRoom).toResolvedValue(({ stockRoom }) => stockRoom, [Shop]);
  bind(WebhookDesk).toResolvedValue(({ webhookDesk }) => webhookDesk, [Shop]);
  bind(IdempotentUnitOfWork).toResolvedValue(({ work }) => work, [Shop]);
  bind(EventFeed)
    .toResolvedValue((log) => new EventFeed(log), [EventLog])
    .inSingletonScope();
  bind(Auditor)
    .toResolvedValue((reader) => new Auditor(reader), [Reader])
    .inSingletonScope();
  bind(KeyDesk)
    .toResolvedValue(
      (work, reader, clock, secrets) => new KeyDesk(work, reader, clock, secrets),
      [UnitOfWork, Reader, Clock, Secrets],
    )
    .inSingletonScope();
  bind(ApiKeyVerifier)
    .toResolvedValue((reader, clock, secrets) => new ApiKeyVerifier(reader, clock, secrets), [Reader, Clock, Secrets])
    .inSingletonScope();
});

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long events are kept. */
export function eventRetentionModule({
  eventsRetentionAge: days,
  eventsRetentionCount: count,
}: Pick<PetstoreOptions, 'eventsRetentionAge' | 'eventsRetentionCount'>): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(EventRetention)
      .toResolvedValue(
        (work, eventLog, clock) => new EventRetention(work, eventLog, clock, { age: days * DAY_MS, count }),
        [UnitOfWork, EventLog, Clock],
      )
      .inSingletonScope();
  });
}
