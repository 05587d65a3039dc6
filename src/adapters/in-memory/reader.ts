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
  type Sort,
  type StorePetView,
  type SummaryView,
  type WebhookDelivery,
  type WebhookSnapshot,
} from '../../application/ports/reader.ts';
import type { ApiKeySnapshot } from '../../domain/api-key.ts';
import type { StockRecord, SummaryRecord } from '../../domain/audit.ts';
import { PET_STATUSES, statusOf } from '../../domain/pet-status.ts';
import { categoryMatches, inventoryMatches, orderMatches, petMatches } from './filters.ts';
import type { InMemoryStore, PetRow, Tables } from './store.ts';
import type { Table } from './table.ts';

/** Every method reads within one step of the event loop, so no unit of work is applied in the middle of a read. */
export class InMemoryReader extends Reader {
  readonly #store: InMemoryStore;

  constructor(store: InMemoryStore) {
    super();
    this.#store = store;
  }

  async pet(id: number): Promise<PetView | undefined> {
    return optional(this.#tables.pets.get(id), showPet);
  }

  async storePet(id: number, expand: { category: boolean; inventory: boolean }): Promise<StorePetView | undefined> {
    const { pets, categories } = this.#tables;
    const row = pets.get(id);
    const category = row && categories.get(row.categoryId);
    return (
      row && {
        ...showPet(row),
        ...(expand.category && category && { category: copy(category) }),
        ...(expand.inventory && { inventory: showInventory(row) }),
      }
    );
  }

  async pets(filter: PetFilter, page: PageRequest<PetSort>): Promise<Page<PetView>> {
    return pageOf(this.#tables.pets, page, petMatches(filter), showPet);
  }

  async countPets(filter: PetFilter, most?: number): Promise<number> {
    return count(only(this.#tables.pets.all(), petMatches(filter)), most);
  }

  async category(id: number): Promise<CategorySnapshot | undefined> {
    return optional(this.#tables.categories.get(id), copy);
  }

  async categories(filter: CategoryFilter, page: PageRequest<CategorySort>): Promise<Page<CategorySnapshot>> {
    return pageOf(this.#tables.categories, page, categoryMatches(filter), copy);
  }

  async countCategories(filter: CategoryFilter, most?: number): Promise<number> {
    return count(only(this.#tables.categories.all(), categoryMatches(filter)), most);
  }

  async order(id: number): Promise<OrderSnapshot | undefined> {
    return optional(this.#tables.orders.get(id), copy);
  }

  async orders(filter: OrderFilter, page: PageRequest<OrderSort>): Promise<Page<OrderSnapshot>> {
    return pageOf(this.#tables.orders, page, orderMatches(filter), copy);
  }

  async countOrders(filter: OrderFilter, most?: number): Promise<number> {
    return count(only(this.#tables.orders.all(), orderMatches(filter)), most);
  }

  async inventoryItem(petId: number): Promise<InventoryView | undefined> {
    return optional(this.#tables.pets.get(petId), showInventory);
  }

  async inventory(filter: InventoryFilter, page: PageRequest<InventorySort>): Promise<Page<InventoryView>> {
    // An inventory entry has its pet's identifier.
    const sort = { ...page.sort, by: page.sort.by === 'petId' ? 'id' : page.sort.by } as const;
    return pageOf(this.#tables.pets, { ...page, sort }, inventoryMatches(filter), showInventory);
  }

  async countInventory(filter: InventoryFilter, most?: number): Promise<number> {
    return count(only(this.#tables.pets.all(), inventoryMatches(filter)), most);
  }

  async summary(): Promise<SummaryView> {
    return this.#tables.pets.summary;
  }

  override async summaryRecord(): Promise<SummaryRecord> {
    const { pets } = this.#tables;
    const sums = PET_STATUSES.map((status) => [status, { pets: 0, units: 0 }] as const);
    const counted = Object.fromEntries(sums) as Record<keyof SummaryView, { pets: number; units: number }>;
    for (const row of pets.all()) {
      const sum = counted[statusOf(row)];
      sum.pets += 1;
      sum.units += row.quantity;
    }
    return { stored: pets.summary, counted };
  }

  async movements(petId: number, { limit, after }: PageBounds): Promise<Page<MovementView> | undefined> {
    const { pets } = this.#tables;
    if (!pets.get(petId)) return undefined;
    const found = rowsOf(this.#tables.movements, 'petId', petId, after?.id);
    return cut(found, limit, copy, ({ id }) => ({ key: id, id }));
  }

  async countMovements(petId: number, most?: number): Promise<number | undefined> {
    return this.#tables.pets.get(petId) && count(rowsOf(this.#tables.movements, 'petId', petId), most);
  }

  async apiKey(id: number): Promise<ApiKeySnapshot | undefined> {
    return optional(this.#tables.apiKeys.get(id), copyKey);
  }

  async apiKeys(): Promise<ApiKeySnapshot[]> {
    return Array.from(this.#tables.apiKeys.sorted({ by: 'id' }), copyKey);
  }

  async webhook(id: number): Promise<WebhookSnapshot | undefined> {
    return optional(this.#tables.webhooks.get(id), copyWebhook);
  }

  async webhooks(page: PageBounds): Promise<Page<WebhookSnapshot>> {
    return pageOf(this.#tables.webhooks, { ...page, sort: { by: 'id' } }, () => true, copyWebhook);
  }

  async countWebhooks(most?: number): Promise<number> {
    return count(this.#tables.webhooks.all(), most);
  }

  async webhookDeliveries(webhookId: number, { limit, after }: PageBounds): Promise<Page<WebhookDelivery> | undefined> {
    if (!this.#tables.webhooks.get(webhookId)) return undefined;
    const found = rowsOf(this.#tables.webhookDeliveries, 'webhookId', webhookId, after?.id);
    return cut(found, limit, copy, ({ id }) => ({ key: id, id }));
  }

  async countWebhookDeliveries(webhookId: number, most?: number): Promise<number | undefined> {
    const { webhooks, webhookDeliveries } = this.#tables;
    return webhooks.get(webhookId) && count(rowsOf(webhookDeliveries, 'webhookId', webhookId), most);
  }

  async *stockRecords(): AsyncGenerator<StockRecord> {
    yield* stockRecordsOf(this.#tables);
  }

  get #tables(): Tables {
    return this.#store.tables;
  }
}

/** The rows that belong to another row, the newest first. */
function* rowsOf<Field extends string, Row extends { readonly id: number } & Readonly<Record<Field, number>>>(
  table: Table<Row, Field>,
  field: Field,
  owner: number,
  before = Number.POSITIVE_INFINITY,
): Generator<Row> {
  for (const row of table.sorted({ by: field, descending: true }, { key: owner, id: before })) {
    if (row[field] !== owner) return;
    yield row;
  }
}

function pageOf<Row extends { readonly id: number }, Field extends string, View>(
  table: Table<Row, Field>,
  { sort, limit, after }: PageRequest<Sort<Field>>,
  matches: (row: Row) => boolean,
  show: (row: Row) => View,
): Page<View> {
  const found = only(table.sorted(sort, after), matches);
  return cut(found, limit, show, (row) => table.positionOf(sort.by, row));
}

/** The first `limit` rows, and where they end if more follow. */
function cut<Row, View>(
  found: Iterable<Row>,
  limit: number,
  show: (row: Row) => View,
  positionOf: (row: Row) => NonNullable<Page<View>['next']>,
): Page<View> {
  const rows: View[] = [];
  let last: Row | undefined;
  for (const row of found) {
    if (last !== undefined && rows.length === limit) return { rows, next: positionOf(last) };
    rows.push(show(row));
    last = row;
  }
  return { rows };
}

function* only<Row>(rows: Iterable<Row>, matches: (row: Row) => boolean): Generator<Row> {
  for (const row of rows) if (matches(row)) yield row;
}

/** Stops at `most`. */
function count(rows: Iterable<unknown>, most = Number.POSITIVE_INFINITY): number {
  let found = 0;
  for (const _ of rows) if (++found >= most) return most;
  return found;
}

/** One record for each pet, all from the moment of the call. */
function stockRecordsOf({ pets, orders, movements }: Tables): StockRecord[] {
  const records = new Map<number, { -readonly [Fact in keyof StockRecord]: StockRecord[Fact] }>();
  for (const row of pets.sorted({ by: 'id' })) {
    const { id: petId, quantity, reserved, held } = row;
    const status = statusOf(row);
    const sums = { openOrders: 0, ledgerQuantity: 0, ledgerReserved: 0 };
    records.set(petId, { petId, quantity, reserved, held, petStatus: status, inventoryStatus: status, ...sums });
  }
  for (const { petId, quantity, complete } of orders.all()) {
    const record = records.get(petId);
    if (record && !complete) record.openOrders += quantity;
  }
  for (const { petId, quantity, reserved } of movements.all()) {
    const record = records.get(petId);
    if (!record) continue;
    record.ledgerQuantity += quantity;
    record.ledgerReserved += reserved;
  }
  return [...records.values()];
}

function showPet(row: PetRow): PetView {
  return { id: row.id, name: row.name, categoryId: row.categoryId, status: statusOf(row) };
}

function showInventory(row: PetRow): InventoryView {
  return { petId: row.id, quantity: row.quantity, reserved: row.reserved, status: statusOf(row) };
}

/** The row without the keys that have no value. */
function copy<Row extends object>(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as Row;
}

function copyWebhook(row: WebhookSnapshot): WebhookSnapshot {
  return structuredClone(row);
}

function copyKey(row: ApiKeySnapshot): ApiKeySnapshot {
  return { ...copy(row), scopes: [...row.scopes] };
}

function optional<Row, View>(row: Row | undefined, show: (row: Row) => View): View | undefined {
  return row && show(row);
}
