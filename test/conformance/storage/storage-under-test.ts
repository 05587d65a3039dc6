import { Auditor } from '../../../src/application/auditor.ts';
import { CategoryDesk } from '../../../src/application/category-desk.ts';
import { OrderDesk } from '../../../src/application/order-desk.ts';
import { PetCatalog } from '../../../src/application/pet-catalog.ts';
import type { Page, PageRequest, Position, Reader } from '../../../src/application/ports/reader.ts';
import type { Storage } from '../../../src/application/ports/storage.ts';
import type { UnitOfWork } from '../../../src/application/ports/unit-of-work.ts';
import { StockRoom } from '../../../src/application/stock-room.ts';
import type { StockRecord } from '../../../src/domain/audit.ts';
import { FixedClock } from '../../support/fixed-clock.ts';

/** A storage of its own for one test: open, migrated and empty. */
export interface StorageUnderTest {
  readonly work: UnitOfWork;
  readonly reader: Reader;
  readonly storage: Storage;
  /** The limit of a unit of work in milliseconds, if it was made with the one that was asked for. */
  readonly workLimit?: number | undefined;
  /** What the outbox holds, by rising position. */
  events(): Promise<readonly { readonly position: number; readonly type: string }[]>;
  /** Lets go of everything, the data too. Is called once, also when the storage was closed before. */
  dispose(): Promise<void>;
}

/** `workLimit`: how many milliseconds a unit of work may take. An adapter that cannot be told ignores it. */
export type OpenStorage = (settings?: { readonly workLimit: number }) => Promise<StorageUnderTest>;

/** Opens a storage before each test of the suite that is being described, and disposes of it after. */
export function freshStorage(open: OpenStorage): () => StorageUnderTest {
  let store: StorageUnderTest | undefined;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(async () => {
    await store?.dispose();
    store = undefined;
  });
  return () => {
    if (!store) throw new Error('There is a storage in tests and hooks only.');
    return store;
  };
}

/** Every desk of the shop, on a storage. `work` stands in for the storage's own. */
export function desksOn({ work: own, reader }: StorageUnderTest, work: UnitOfWork = own) {
  const clock = new FixedClock();
  return {
    clock,
    categories: new CategoryDesk(work, reader, clock),
    pets: new PetCatalog(work, reader, clock),
    orders: new OrderDesk(work, reader, clock),
    stock: new StockRoom(work, reader, clock),
    auditor: new Auditor(reader),
  };
}

export type Desks = ReturnType<typeof desksOn>;

/** All rows of a list, page by page. */
export async function walk<Row, Sort extends string>(
  read: (page: PageRequest<Sort>) => Promise<Page<Row> | undefined>,
  sort: Sort,
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

/** All that can be read of the storage. */
export async function pictureOf({ reader, events }: StorageUnderTest) {
  const pets = await walk((page) => reader.pets({}, page), 'id');
  const stock: StockRecord[] = [];
  for await (const record of reader.stockRecords()) stock.push(record);
  return {
    pets,
    stock,
    categories: await walk((page) => reader.categories({}, page), 'id'),
    orders: await walk((page) => reader.orders({}, page), 'id'),
    inventory: await walk((page) => reader.inventory({}, page), 'petId'),
    movements: await Promise.all(pets.map(({ id }) => walk((page) => reader.movements(id, page), '-id'))),
    summary: await reader.summary(),
    counts: [await reader.countPets({}), await reader.countCategories({}), await reader.countOrders({})],
    apiKeys: await reader.apiKeys(),
    events: await events(),
  };
}
