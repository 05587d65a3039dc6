import {
  type CategoryFilter,
  type CategorySort,
  type CategoryView,
  type InventoryFilter,
  type InventorySort,
  type InventoryView,
  type MovementView,
  type OrderFilter,
  type OrderSort,
  type OrderView,
  type Page,
  type PageRequest,
  type PetFilter,
  type PetSort,
  type PetView,
  Reader,
  type StorePetView,
  type SummaryView,
} from '../../application/ports/reader.ts';
import { StorageUnavailable } from '../../application/ports/unit-of-work.ts';
import type { ApiKeySnapshot } from '../../domain/api-key.ts';
import type { StockRecord } from '../../domain/audit.ts';
import type { PetStatus } from '../../domain/pet-status.ts';
import { API_KEY, API_KEYS, type ApiKeyRow, showApiKey } from './api-key-rows.ts';
import { categoryList, countCategories } from './category-lists.ts';
import { CATEGORY, type CategoryRow, showCategory } from './category-rows.ts';
import { countInventory, inventoryList } from './inventory-lists.ts';
import { countMovements, movementList } from './movement-lists.ts';
import { countOrders, orderList } from './order-lists.ts';
import { ORDER, type OrderRow, showOrder } from './order-rows.ts';
import { countPets, petList } from './pet-lists.ts';
import type { ReadSession, Soon } from './session.ts';

const PET = 'select id, name, category_id as "categoryId", status from pets where id = ?';
const INVENTORY_ITEM = 'select id as "petId", quantity, reserved, status from pets where id = ?';
const STORE_PET = `select p.id, p.name, p.category_id as "categoryId", p.status, p.quantity, p.reserved,
  c.name as "categoryName", c.description from pets p left join categories c on c.id = p.category_id where p.id = ?`;
const SUMMARY = 'select status, count(*) as pets, cast(sum(quantity) as bigint) as units from pets group by status';
const STOCK_RECORDS = `select id as "petId", quantity, reserved, held, status as "petStatus", status as "inventoryStatus",
  (select coalesce(sum(o.quantity), 0) from orders o where o.pet_id = pets.id and +o.complete = 0) as "openOrders",
  (select coalesce(sum(m.quantity), 0) from movements m where m.pet_id = pets.id) as "ledgerQuantity",
  (select coalesce(sum(m.reserved), 0) from movements m where m.pet_id = pets.id) as "ledgerReserved"
  from pets where id > ? order by id limit 500`;

interface StorePetRow extends PetView {
  readonly quantity: number;
  readonly reserved: number;
  /** `null` where a damaged store has lost the category. */
  readonly categoryName: string | null;
  readonly description: string | null;
}

/** Reads on connections of its own, which see what is committed and never wait for units of work; each answer is of one moment. */
export class MikroOrmReader extends Reader {
  #session: ReadSession | undefined;
  #sure: ReadSession | undefined;

  /** `sure`: where credentials and the audit are read, if not where all else is. */
  open(session: ReadSession, sure = session): void {
    this.#session = session;
    this.#sure = sure;
  }

  close(): void {
    this.#session = undefined;
    this.#sure = undefined;
  }

  async pet(id: number): Promise<PetView | undefined> {
    return this.#one<PetView>(PET, id);
  }

  async storePet(id: number, expand: { category: boolean; inventory: boolean }): Promise<StorePetView | undefined> {
    // Most ask for the pet alone, which is half the work.
    if (!expand.category && !expand.inventory) return this.pet(id);
    const row = await this.#one<StorePetRow>(STORE_PET, id);
    if (!row) return undefined;
    const { name, categoryId, status, quantity, reserved, categoryName, description } = row;
    return {
      id,
      name,
      categoryId,
      status,
      ...(expand.category &&
        categoryName !== null && { category: showCategory({ id: categoryId, name: categoryName, description }) }),
      ...(expand.inventory && { inventory: { petId: id, quantity, reserved, status } }),
    };
  }

  async pets(filter: PetFilter, page: PageRequest<PetSort>): Promise<Page<PetView>> {
    return petList(this.#open, filter, page);
  }

  async countPets(filter: PetFilter): Promise<number> {
    return countPets(this.#open, filter);
  }

  async category(id: number): Promise<CategoryView | undefined> {
    const row = await this.#one<CategoryRow>(CATEGORY, id);
    return row && showCategory(row);
  }

  async categories(filter: CategoryFilter, page: PageRequest<CategorySort>): Promise<Page<CategoryView>> {
    return categoryList(this.#open, filter, page);
  }

  async countCategories(filter: CategoryFilter): Promise<number> {
    return countCategories(this.#open, filter);
  }

  async order(id: number): Promise<OrderView | undefined> {
    const row = await this.#one<OrderRow>(ORDER, id);
    return row && showOrder(row);
  }

  async orders(filter: OrderFilter, page: PageRequest<OrderSort>): Promise<Page<OrderView>> {
    return orderList(this.#open, filter, page);
  }

  async countOrders(filter: OrderFilter): Promise<number> {
    return countOrders(this.#open, filter);
  }

  async inventoryItem(petId: number): Promise<InventoryView | undefined> {
    return this.#one<InventoryView>(INVENTORY_ITEM, petId);
  }

  async inventory(filter: InventoryFilter, page: PageRequest<InventorySort>): Promise<Page<InventoryView>> {
    return inventoryList(this.#open, filter, page);
  }

  async countInventory(filter: InventoryFilter): Promise<number> {
    return countInventory(this.#open, filter);
  }

  async summary(): Promise<SummaryView> {
    const rows = await this.#all<{ status: PetStatus; pets: number; units: number }>(SUMMARY);
    const none = { pets: 0, units: 0 };
    const found = Object.fromEntries(rows.map(({ status, pets, units }) => [status, { pets, units }]));
    return { available: none, pending: none, sold: none, ...found };
  }

  async movements(petId: number, page: PageRequest<'-id'>): Promise<Page<MovementView> | undefined> {
    return movementList(this.#open, petId, page);
  }

  async countMovements(petId: number): Promise<number | undefined> {
    return countMovements(this.#open, petId);
  }

  async apiKey(id: number): Promise<ApiKeySnapshot | undefined> {
    if (!Number.isSafeInteger(id)) return undefined;
    const row = await this.#surely.one<ApiKeyRow>(API_KEY, id);
    return row && showApiKey(row);
  }

  async apiKeys(): Promise<ApiKeySnapshot[]> {
    return (await this.#surely.all<ApiKeyRow>(API_KEYS)).map(showApiKey);
  }

  async *stockRecords(): AsyncIterable<StockRecord> {
    for (let last = 0; ; ) {
      const rows = await this.#surely.all<Omit<StockRecord, 'held'> & { held: number }>(STOCK_RECORDS, last);
      for (const row of rows) yield { ...row, held: row.held === 1 };
      const end = rows.at(-1);
      if (!end) return;
      last = end.petId;
    }
  }

  #one<Row>(sql: string, ...values: readonly unknown[]): Soon<Row | undefined> {
    return this.#open.one<Row>(sql, ...values);
  }

  #all<Row>(sql: string, ...values: readonly unknown[]): Soon<Row[]> {
    return this.#open.all<Row>(sql, ...values);
  }

  get #open(): ReadSession {
    return opened(this.#session);
  }

  get #surely(): ReadSession {
    return opened(this.#sure);
  }
}

function opened(session: ReadSession | undefined): ReadSession {
  if (!session) throw new StorageUnavailable('The storage is not open.');
  return session;
}
