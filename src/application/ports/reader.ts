import type { ApiKeySnapshot } from '../../domain/api-key.ts';
import type { StockRecord, SummaryRecord } from '../../domain/audit.ts';
import type { CategorySnapshot } from '../../domain/category.ts';
import type { InventoryView, PetView } from '../../domain/events.ts';
import type { OrderSnapshot } from '../../domain/order.ts';
import type { PetStatus } from '../../domain/pet-status.ts';
import { sharedByCopies } from '../../domain/shared-by-copies.ts';
import type { LedgerEntry } from '../../domain/stock-movement.ts';

export type { CategorySnapshot, InventoryView, OrderSnapshot, PetView };

/** A pet with what belongs to it, as far as it was asked for. */
export interface StorePetView extends PetView {
  readonly category?: CategorySnapshot;
  readonly inventory?: InventoryView;
}

export interface MovementView extends LedgerEntry {
  readonly id: number;
}

/** For each status, how many pets show it and how many units of them are on hand. */
export type SummaryView = Record<PetStatus, { readonly pets: number; readonly units: number }>;

/** By a field, or in the exact reverse. Rows that are equal in the field go by identifier, which is reversed too. */
export interface Sort<Field extends string> {
  readonly by: Field;
  /** `false` if left out. */
  readonly descending?: boolean;
}

export type PetSort = Sort<'id' | 'name'>;
export type CategorySort = Sort<'id' | 'name'>;
/** Orders without a ship date come last, in both directions. */
export type OrderSort = Sort<'id' | 'shipDate'>;
export type InventorySort = Sort<'petId' | 'quantity'>;

/** Every filter that is given must hold. */
export interface PetFilter {
  readonly status?: readonly PetStatus[] | undefined;
  readonly categoryId?: number | undefined;
  /** The beginning of the name in whatever spelling (`nameKey`), as any text. */
  readonly name?: string | undefined;
  readonly ids?: readonly number[] | undefined;
}

export interface CategoryFilter {
  /** The beginning of the name in whatever spelling (`nameKey`), as any text. */
  readonly name?: string | undefined;
}

export interface OrderFilter {
  readonly petId?: number | undefined;
  readonly complete?: boolean | undefined;
  /** Inclusive, in milliseconds since 1970-01-01T00:00:00Z. An order without a ship date never matches. */
  readonly shipDateFrom?: number | undefined;
  /** Exclusive, otherwise like `shipDateFrom`. */
  readonly shipDateTo?: number | undefined;
}

export interface InventoryFilter {
  readonly status?: readonly PetStatus[] | undefined;
  readonly petIds?: readonly number[] | undefined;
  /** Only entries with fewer units on hand than this. */
  readonly below?: number | undefined;
}

/** A place between two rows of a sorted list: right after the row with this value in the sorted field and this identifier. */
export interface Position {
  /** The identifier itself for a list by identifier; `nameKey` of the name; `null` for an order without a ship date. */
  readonly key: string | number | null;
  readonly id: number;
}

export interface PageBounds {
  /** How many rows at most, 1 or more. */
  readonly limit: number;
  /** Where the page before this one ended; left out for the first page. */
  readonly after?: Position | undefined;
}

export interface PageRequest<Order extends Sort<string>> extends PageBounds {
  readonly sort: Order;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Where this page ends, when rows follow it; `undefined` on the last page. */
  readonly next?: Position | undefined;
}

/**
 * Reads the store. Every adapter keeps these promises:
 *
 * - Committed: an answer shows the store as it was at one moment between two units of work, never half of one, and at
 *   least as new as every unit of work that had ended when the question was asked.
 * - It never waits for a unit of work under way.
 * - Text sorts by Unicode code points of `nameKey`; sorting is total, so that following `next` visits every row that stays
 *   exactly once, whatever rows come and go in between, those at a page's edge included.
 * - A page costs the same wherever it lies; only the `count…` methods count. They stop at `most`: the result is the number of
 *   matches, or `most` if there are more. Without `most` they count all.
 * - Absence is `undefined`. Rows are the caller's own copies, with no key whose value is `undefined`.
 *
 * A storage that is away or damaged rejects with `StorageUnavailable`.
 */
abstract class ReaderPort {
  abstract pet(id: number): Promise<PetView | undefined>;
  abstract storePet(id: number, expand: { category: boolean; inventory: boolean }): Promise<StorePetView | undefined>;
  abstract pets(filter: PetFilter, page: PageRequest<PetSort>): Promise<Page<PetView>>;
  abstract countPets(filter: PetFilter, most?: number): Promise<number>;

  abstract category(id: number): Promise<CategorySnapshot | undefined>;
  abstract categories(filter: CategoryFilter, page: PageRequest<CategorySort>): Promise<Page<CategorySnapshot>>;
  abstract countCategories(filter: CategoryFilter, most?: number): Promise<number>;

  abstract order(id: number): Promise<OrderSnapshot | undefined>;
  abstract orders(filter: OrderFilter, page: PageRequest<OrderSort>): Promise<Page<OrderSnapshot>>;
  abstract countOrders(filter: OrderFilter, most?: number): Promise<number>;

  abstract inventoryItem(petId: number): Promise<InventoryView | undefined>;
  abstract inventory(filter: InventoryFilter, page: PageRequest<InventorySort>): Promise<Page<InventoryView>>;
  abstract countInventory(filter: InventoryFilter, most?: number): Promise<number>;
  abstract summary(): Promise<SummaryView>;
  /**
   * What {@link summary} returns, and the same figures counted from the pets, both from one moment. An adapter that stores
   * the figures overrides this, so that an audit finds where they differ.
   */
  async summaryRecord(): Promise<SummaryRecord> {
    const summary = await this.summary();
    return { stored: summary, counted: summary };
  }

  /** Newest first: by falling `id`. `undefined` if there is no such pet. */
  abstract movements(petId: number, page: PageBounds): Promise<Page<MovementView> | undefined>;
  /** `undefined` if there is no such pet. */
  abstract countMovements(petId: number, most?: number): Promise<number | undefined>;

  /** Unlike the rows of the store, with its digest: it never leaves the application. */
  abstract apiKey(id: number): Promise<ApiKeySnapshot | undefined>;
  /** All of them, by rising id. */
  abstract apiKeys(): Promise<ApiKeySnapshot[]>;

  /** What is kept about the stock of every pet, by rising pet id; what is said of one pet is all from one moment. */
  abstract stockRecords(): AsyncIterable<StockRecord>;
}

export type Reader = ReaderPort;
export const Reader = sharedByCopies('Reader', ReaderPort);
