import { Auditor } from '../../application/auditor.ts';
import { CategoryDesk } from '../../application/category-desk.ts';
import { IdempotentUnitOfWork } from '../../application/idempotency.ts';
import { OrderDesk } from '../../application/order-desk.ts';
import { PetCatalog } from '../../application/pet-catalog.ts';
import type { StoredEvent } from '../../application/ports/event-log.ts';
import type { Page, PageRequest, Position, Sort } from '../../application/ports/reader.ts';
import type { UnitOfWork } from '../../application/ports/unit-of-work.ts';
import { StockRoom } from '../../application/stock-room.ts';
import type { StockRecord } from '../../domain/audit.ts';
import { FixedClock } from '../fixed-clock.ts';
import type { OpenedStorage } from './storage-under-test.ts';

/** Every desk of the shop on a storage. `work` replaces the unit of work of the storage. */
export function desksOn({ work: own, reader }: Pick<OpenedStorage, 'work' | 'reader'>, work: UnitOfWork = own) {
  const clock = new FixedClock();
  const parts = [new IdempotentUnitOfWork(work, clock), reader, clock] as const;
  return {
    clock,
    categories: new CategoryDesk(...parts),
    pets: new PetCatalog(...parts),
    orders: new OrderDesk(...parts),
    stock: new StockRoom(...parts),
    auditor: new Auditor(reader),
  };
}

export type Desks = ReturnType<typeof desksOn>;

/** All rows of a list, page by page. */
export async function walk<Row, const Order extends Sort<string>>(
  read: (page: PageRequest<Order>) => Promise<Page<Row> | undefined>,
  sort: Order,
  limit = 100,
): Promise<Row[]> {
  const rows: Row[] = [];
  let after: Position | undefined;
  do {
    const page: Page<Row> | undefined = await read({ sort, limit, after });
    rows.push(...(page?.rows ?? []));
    after = page?.next;
    if (rows.length > 100_000) throw new Error('This list has no end.');
  } while (after);
  return rows;
}

/** All events that the log has, batch by batch. */
export async function eventsIn({ eventLog }: Pick<OpenedStorage, 'eventLog'>, limit = 100): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let after: number | undefined; ; ) {
    const batch = await eventLog.read({ after, limit });
    events.push(...batch.events);
    after = batch.position;
    if (after >= batch.last) return events;
    if (events.length > 100_000) throw new Error('This log has no end.');
  }
}

/** Everything that can be read from the storage. */
export async function pictureOf({ reader, eventLog }: OpenedStorage) {
  const pets = await walk((page) => reader.pets({}, page), { by: 'id' });
  const stock: StockRecord[] = [];
  for await (const record of reader.stockRecords()) stock.push(record);
  return {
    pets,
    stock,
    categories: await walk((page) => reader.categories({}, page), { by: 'id' }),
    orders: await walk((page) => reader.orders({}, page), { by: 'id' }),
    inventory: await walk((page) => reader.inventory({}, page), { by: 'petId' }),
    movements: await Promise.all(
      pets.map(({ id }) => walk((page) => reader.movements(id, page), { by: 'id', descending: true })),
    ),
    summary: await reader.summary(),
    counts: [await reader.countPets({}), await reader.countCategories({}), await reader.countOrders({})],
    apiKeys: await reader.apiKeys(),
    webhooks: (await reader.webhooks({ limit: 9 })).rows,
    deliveries: await reader.webhookDeliveries(1, { limit: 9 }),
    events: await eventsIn({ eventLog }),
  };
}
