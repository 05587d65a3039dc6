import { sql } from 'kysely';
import {
  type CategoryFilter,
  type CategorySnapshot,
  type CategorySort,
  type InventoryFilter,
  type InventorySort,
  type InventoryView,
  type MovementView,
  type OrderFilter,
  type OrderSnapshot,
  type OrderSort,
  type Page,
  type PageBounds,
  type PageRequest,
  type PetFilter,
  type PetSort,
  type PetView,
  Reader,
  type StorePetView,
  type SummaryView,
  type WebhookDelivery,
  type WebhookSnapshot,
} from '../../application/ports/reader.ts';
import { StorageUnavailable } from '../../application/ports/unit-of-work.ts';
import type { ApiKeySnapshot } from '../../domain/api-key.ts';
import type { StockRecord, SummaryRecord } from '../../domain/audit.ts';
import type { PetStatus } from '../../domain/pet-status.ts';
import { API_KEY, API_KEYS, showApiKey } from './api-key-rows.ts';
import { CATEGORY, categoryList, countCategories, showCategory } from './category-queries.ts';
import { countInventory, inventoryList } from './inventory-queries.ts';
import { countMovements, movementList } from './movement-queries.ts';
import { countOrders, ORDER, orderList, showOrder } from './order-queries.ts';
import { countPets, petById, petList, storePet } from './pet-queries.ts';
import type { ReadSession } from './session.ts';
import { statement } from './statement.ts';
import { countDeliveries, countWebhooks, deliveryList, webhookById, webhookList } from './webhook-queries.ts';

const INVENTORY_ITEM = statement((db, { petId }: { petId: number }) =>
  db.selectFrom('pets').select(['id as petId', 'quantity', 'reserved', 'status']).where('id', '=', petId),
);

const SUMMARY = statement((db) =>
  db
    .selectFrom('stock_summary')
    .select((row) => [
      'status',
      row.cast<number>(row.fn.sum('pets'), 'bigint').as('pets'),
      row.cast<number>(row.fn.sum('units'), 'bigint').as('units'),
    ])
    .groupBy('status'),
);

/** One statement, so that both are of one moment. */
const SUMMARY_RECORD = statement((db) =>
  db
    .selectFrom('stock_summary')
    .select((row) => [
      sql.lit(1).as('isStored'),
      'status',
      row.cast<number>(row.fn.sum('pets'), 'bigint').as('pets'),
      row.cast<number>(row.fn.sum('units'), 'bigint').as('units'),
    ])
    .groupBy('status')
    .unionAll(
      db
        .selectFrom('pets')
        .select((pet) => [
          sql.lit(0).as('isStored'),
          'status',
          pet.fn.countAll<number>().as('pets'),
          pet.cast<number>(pet.fn.sum('quantity'), 'bigint').as('units'),
        ])
        .groupBy('status'),
    ),
);

const STOCK_RECORDS = statement((db, { after }: { after: number }) =>
  db
    .selectFrom('pets')
    .select(['id as petId', 'quantity', 'reserved', 'held', 'status'])
    .select((pet) => {
      const openOrders = pet
        .selectFrom('orders as o')
        .select(({ fn }) => fn.coalesce(fn.sum<number>('o.quantity'), sql.lit(0)).as('sum'))
        .whereRef('o.petId', '=', 'pets.id')
        .where('o.complete', '=', 0);
      const ledger = (column: 'm.quantity' | 'm.reserved') =>
        pet
          .selectFrom('movements as m')
          .select(({ fn }) => fn.coalesce(fn.sum<number>(column), sql.lit(0)).as('sum'))
          .whereRef('m.petId', '=', 'pets.id');
      return [
        openOrders.$asScalar().$notNull().as('openOrders'),
        ledger('m.quantity').$asScalar().$notNull().as('ledgerQuantity'),
        ledger('m.reserved').$asScalar().$notNull().as('ledgerReserved'),
      ];
    })
    .where('id', '>', after)
    .orderBy('id')
    .limit(sql.lit(500)),
);

/** Reads on separate connections, which see committed data only and never wait for units of work. Each method reads one snapshot. */
export class MikroOrmReader extends Reader {
  #session: ReadSession | undefined;
  #primary: ReadSession | undefined;

  /** `primary`: where credentials and the audit are read, if different. */
  open(session: ReadSession, primary = session): void {
    this.#session = session;
    this.#primary = primary;
  }

  close(): void {
    this.#session = undefined;
    this.#primary = undefined;
  }

  async pet(id: number): Promise<PetView | undefined> {
    return petById(this.#open, id);
  }

  async storePet(id: number, expand: { category: boolean; inventory: boolean }): Promise<StorePetView | undefined> {
    return storePet(this.#open, id, expand);
  }

  async pets(filter: PetFilter, page: PageRequest<PetSort>): Promise<Page<PetView>> {
    return await petList(this.#open, filter, page);
  }

  async countPets(filter: PetFilter, most?: number): Promise<number> {
    return countPets(this.#open, filter, most);
  }

  async category(id: number): Promise<CategorySnapshot | undefined> {
    const row = await this.#open.one(CATEGORY, { id });
    return row && showCategory(row);
  }

  async categories(filter: CategoryFilter, page: PageRequest<CategorySort>): Promise<Page<CategorySnapshot>> {
    return await categoryList(this.#open, filter, page);
  }

  async countCategories(filter: CategoryFilter, most?: number): Promise<number> {
    return countCategories(this.#open, filter, most);
  }

  async order(id: number): Promise<OrderSnapshot | undefined> {
    const row = await this.#open.one(ORDER, { id });
    return row && showOrder(row);
  }

  async orders(filter: OrderFilter, page: PageRequest<OrderSort>): Promise<Page<OrderSnapshot>> {
    return await orderList(this.#open, filter, page);
  }

  async countOrders(filter: OrderFilter, most?: number): Promise<number> {
    return countOrders(this.#open, filter, most);
  }

  async inventoryItem(petId: number): Promise<InventoryView | undefined> {
    return this.#open.one(INVENTORY_ITEM, { petId });
  }

  async inventory(filter: InventoryFilter, page: PageRequest<InventorySort>): Promise<Page<InventoryView>> {
    return await inventoryList(this.#open, filter, page);
  }

  async countInventory(filter: InventoryFilter, most?: number): Promise<number> {
    return countInventory(this.#open, filter, most);
  }

  async summary(): Promise<SummaryView> {
    return summaryOf(await this.#open.all(SUMMARY, {}));
  }

  override async summaryRecord(): Promise<SummaryRecord> {
    const rows = await this.#onPrimary.all(SUMMARY_RECORD, {});
    return {
      stored: summaryOf(rows.filter(({ isStored }) => isStored === 1)),
      counted: summaryOf(rows.filter(({ isStored }) => isStored === 0)),
    };
  }

  async movements(petId: number, page: PageBounds): Promise<Page<MovementView> | undefined> {
    return movementList(this.#open, petId, page);
  }

  async countMovements(petId: number, most?: number): Promise<number | undefined> {
    return countMovements(this.#open, petId, most);
  }

  async apiKey(id: number): Promise<ApiKeySnapshot | undefined> {
    if (!Number.isSafeInteger(id)) return undefined;
    const row = await this.#onPrimary.one(API_KEY, { id });
    return row && showApiKey(row);
  }

  async apiKeys(): Promise<ApiKeySnapshot[]> {
    return (await this.#onPrimary.all(API_KEYS, {})).map(showApiKey);
  }

  async webhook(id: number): Promise<WebhookSnapshot | undefined> {
    return webhookById(this.#open, id);
  }

  async webhooks(page: PageBounds): Promise<Page<WebhookSnapshot>> {
    return webhookList(this.#open, page);
  }

  async countWebhooks(most?: number): Promise<number> {
    return countWebhooks(this.#open, most);
  }

  async webhookDeliveries(webhookId: number, page: PageBounds): Promise<Page<WebhookDelivery> | undefined> {
    return deliveryList(this.#open, webhookId, page);
  }

  async countWebhookDeliveries(webhookId: number, most?: number): Promise<number | undefined> {
    return countDeliveries(this.#open, webhookId, most);
  }

  async *stockRecords(): AsyncIterable<StockRecord> {
    for (let after = 0; ; ) {
      const rows = await this.#onPrimary.all(STOCK_RECORDS, { after });
      for (const { status, held, ...row } of rows) {
        yield { ...row, held: held === 1, petStatus: status, inventoryStatus: status };
      }
      const last = rows.at(-1);
      if (!last) return;
      after = last.petId;
    }
  }

  get #open(): ReadSession {
    return opened(this.#session);
  }

  get #onPrimary(): ReadSession {
    return opened(this.#primary);
  }
}

function opened(session: ReadSession | undefined): ReadSession {
  if (!session) throw new StorageUnavailable('The storage is not open.');
  return session;
}

function summaryOf(
  rows: readonly { readonly status: PetStatus; readonly pets: number; readonly units: number }[],
): SummaryView {
  const none = { pets: 0, units: 0 };
  const found = Object.fromEntries(rows.map(({ status, pets, units }) => [status, { pets, units }]));
  return { available: none, pending: none, sold: none, ...found };
}
