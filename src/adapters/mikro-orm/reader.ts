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
import { CATEGORY, type CategoryRow, categoryList, countCategories, showCategory } from './category-lists.ts';
import { countInventory, inventoryList } from './inventory-lists.ts';
import { countMovements, movementList } from './movement-lists.ts';
import { countOrders, ORDER, type OrderRow, orderList, showOrder } from './order-lists.ts';
import { countPets, petList } from './pet-lists.ts';
import { PreparedStatements, type SqliteDatabase } from './sqlite-database.ts';
import { asStorageError } from './sqlite-errors.ts';

const PET = 'select id, name, category_id as "categoryId", status from pets where id = ?';
const INVENTORY_ITEM = 'select id as "petId", quantity, reserved, status from pets where id = ?';
const STORE_PET = `select p.id, p.name, p.category_id as "categoryId", p.status, p.quantity, p.reserved,
  c.name as "categoryName", c.description from pets p join categories c on c.id = p.category_id where p.id = ?`;
const SUMMARY = 'select status, count(*) as pets, sum(quantity) as units from pets group by status';
const STOCK_RECORDS = `select id as "petId", quantity, reserved, held, status as "petStatus", status as "inventoryStatus",
  (select coalesce(sum(o.quantity), 0) from orders o indexed by orders_pet_id_index where o.pet_id = pets.id and o.complete = 0) as "openOrders",
  (select coalesce(sum(m.quantity), 0) from movements m where m.pet_id = pets.id) as "ledgerQuantity",
  (select coalesce(sum(m.reserved), 0) from movements m where m.pet_id = pets.id) as "ledgerReserved"
  from pets where id > ? order by id limit 500`;

interface StorePetRow extends PetView {
  readonly quantity: number;
  readonly reserved: number;
  readonly categoryName: string;
  readonly description: string | null;
}

/** Reads on a connection of its own, which sees what is committed and never waits for the writer. */
export class MikroOrmReader extends Reader {
  #statements: PreparedStatements | undefined;

  open(database: SqliteDatabase): void {
    this.#statements = new PreparedStatements(database);
  }

  close(): void {
    this.#statements = undefined;
  }

  async pet(id: number): Promise<PetView | undefined> {
    return this.#one<PetView>(PET, id);
  }

  async storePet(id: number, expand: { category: boolean; inventory: boolean }): Promise<StorePetView | undefined> {
    const row = this.#one<StorePetRow>(STORE_PET, id);
    if (!row) return undefined;
    const { name, categoryId, status, quantity, reserved, categoryName, description } = row;
    return {
      id,
      name,
      categoryId,
      status,
      ...(expand.category && { category: showCategory({ id: categoryId, name: categoryName, description }) }),
      ...(expand.inventory && { inventory: { petId: id, quantity, reserved, status } }),
    };
  }

  async pets(filter: PetFilter, page: PageRequest<PetSort>): Promise<Page<PetView>> {
    return this.#read((statements) => petList(statements, filter, page));
  }

  async countPets(filter: PetFilter): Promise<number> {
    return this.#read((statements) => countPets(statements, filter));
  }

  async category(id: number): Promise<CategoryView | undefined> {
    const row = this.#one<CategoryRow>(CATEGORY, id);
    return row && showCategory(row);
  }

  async categories(filter: CategoryFilter, page: PageRequest<CategorySort>): Promise<Page<CategoryView>> {
    return this.#read((statements) => categoryList(statements, filter, page));
  }

  async countCategories(filter: CategoryFilter): Promise<number> {
    return this.#read((statements) => countCategories(statements, filter));
  }

  async order(id: number): Promise<OrderView | undefined> {
    const row = this.#one<OrderRow>(ORDER, id);
    return row && showOrder(row);
  }

  async orders(filter: OrderFilter, page: PageRequest<OrderSort>): Promise<Page<OrderView>> {
    return this.#read((statements) => orderList(statements, filter, page));
  }

  async countOrders(filter: OrderFilter): Promise<number> {
    return this.#read((statements) => countOrders(statements, filter));
  }

  async inventoryItem(petId: number): Promise<InventoryView | undefined> {
    return this.#one<InventoryView>(INVENTORY_ITEM, petId);
  }

  async inventory(filter: InventoryFilter, page: PageRequest<InventorySort>): Promise<Page<InventoryView>> {
    return this.#read((statements) => inventoryList(statements, filter, page));
  }

  async countInventory(filter: InventoryFilter): Promise<number> {
    return this.#read((statements) => countInventory(statements, filter));
  }

  async summary(): Promise<SummaryView> {
    const rows = this.#all<{ status: PetStatus; pets: number; units: number }>(SUMMARY);
    const none = { pets: 0, units: 0 };
    const found = Object.fromEntries(rows.map(({ status, pets, units }) => [status, { pets, units }]));
    return { available: none, pending: none, sold: none, ...found };
  }

  async movements(petId: number, page: PageRequest<'-id'>): Promise<Page<MovementView> | undefined> {
    return this.#read((statements) =>
      statements.get(PET).get(petId) ? movementList(statements, petId, page) : undefined,
    );
  }

  async countMovements(petId: number): Promise<number | undefined> {
    return this.#read((statements) => (statements.get(PET).get(petId) ? countMovements(statements, petId) : undefined));
  }

  async apiKey(id: number): Promise<ApiKeySnapshot | undefined> {
    const row = this.#one<ApiKeyRow>(API_KEY, id);
    return row && showApiKey(row);
  }

  async apiKeys(): Promise<ApiKeySnapshot[]> {
    return this.#all<ApiKeyRow>(API_KEYS).map(showApiKey);
  }

  async *stockRecords(): AsyncIterable<StockRecord> {
    for (let last = 0; ; ) {
      const rows = this.#all<Omit<StockRecord, 'held'> & { held: number }>(STOCK_RECORDS, last);
      for (const row of rows) yield { ...row, held: row.held === 1 };
      const end = rows.at(-1);
      if (!end) return;
      last = end.petId;
    }
  }

  #one<Row>(sql: string, ...values: readonly unknown[]): Row | undefined {
    return this.#read((statements) => statements.get(sql).get(...values) as Row | undefined);
  }

  #all<Row>(sql: string, ...values: readonly unknown[]): Row[] {
    return this.#read((statements) => statements.get(sql).all(...values) as Row[]);
  }

  #read<Result>(read: (statements: PreparedStatements) => Result): Result {
    if (!this.#statements) throw new StorageUnavailable('The storage is not open.');
    try {
      return read(this.#statements);
    } catch (error) {
      throw asStorageError(error);
    }
  }
}
