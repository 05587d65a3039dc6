import type { ApiKeySnapshot } from '../../domain/api-key.ts';
import type { StockRecord, SummaryRecord } from '../../domain/audit.ts';
import type { CategorySnapshot } from '../../domain/category.ts';
import type { InventoryView, PetView } from '../../domain/events.ts';
import type { OrderSnapshot } from '../../domain/order.ts';
import type { PetStatus } from '../../domain/pet-status.ts';
import { sharedByCopies } from '../../domain/shared-by-copies.ts';
import type { LedgerEntry } from '../../domain/stock-movement.ts';
import type { WebhookSnapshot } from '../../domain/webhook.ts';
import type { WebhookDelivery } from '../../domain/webhook-delivery.ts';

export type { CategorySnapshot, InventoryView, OrderSnapshot, PetView, WebhookDelivery, WebhookSnapshot };

/** A pet with its category and its inventory entry, if they were requested. */
export interface StorePetView extends PetView {
  readonly category?: CategorySnapshot;
  readonly inventory?: InventoryView;
}

export interface MovementView extends LedgerEntry {
  readonly id: number;
}

/** For each status, the number of pets that have it and the number of their units on hand. */
export type SummaryView = Record<PetStatus, { readonly pets: number; readonly units: number }>;

/** The sort order: by a field, then by identifier. `descending` reverses both. */
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

/** Every given filter must match. */
export interface PetFilter {
  readonly status?: readonly PetStatus[] | undefined;
  readonly categoryId?: number | undefined;
  /** A prefix of the name, compared by `nameKey`. Any text. */
  readonly name?: string | undefined;
  readonly ids?: readonly number[] | undefined;
}

export interface CategoryFilter {
  /** A prefix of the name, compared by `nameKey`. Any text. */
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

/** A place in a sorted list: right after the row with this value in the sorted field and this identifier. */
export interface Position {
  /** The identifier itself for a list by identifier; `nameKey` of the name; `null` for an order without a ship date. */
  readonly key: string | number | null;
  readonly id: number;
}

export interface PageBounds {
  /** The maximum number of rows, 1 or more. */
  readonly limit: number;
  /** The end of the previous page; absent for the first page. */
  readonly after?: Position | undefined;
}

export interface PageRequest<Order extends Sort<string>> extends PageBounds {
  readonly sort: Order;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The end of this page if more rows follow; `undefined` on the last page. */
  readonly next?: Position | undefined;
}

/**
 * Reads the store. Every adapter guarantees:
 *
 * - Visibility: a result shows the store at one moment between two units of work. It contains all changes of the units of work that
 *   had ended when the method was called, and no change of one in progress.
 * - No waiting: a read does not wait for a unit of work in progress.
 * - Total order: text sorts by the Unicode code points of `nameKey`, ties by identifier. Following `next` visits every row that
 *   exists throughout exactly once, even if other rows are added or deleted in between.
 * - Constant cost: a page costs the same at the beginning and at the end of a list. Only the `count…` methods count. They stop
 *   at `most`: the result is the number of matches, or `most` if there are more. Without `most` they count all.
 * - Absence is `undefined`.
 * - Defensive copies: rows belong to the caller. No key has the value `undefined`.
 *
 * A storage that is unavailable or damaged rejects with `StorageUnavailable`.
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

  /** Newest first, by descending `id`. `undefined` if there is no such pet. */
  abstract movements(petId: number, page: PageBounds): Promise<Page<MovementView> | undefined>;
  /** `undefined` if there is no such pet. */
  abstract countMovements(petId: number, most?: number): Promise<number | undefined>;

  /** Includes the digest of the key, which never leaves the application. */
  abstract apiKey(id: number): Promise<ApiKeySnapshot | undefined>;
  /** All keys, by ascending id. */
  abstract apiKeys(): Promise<ApiKeySnapshot[]>;

  /** With its secrets, like the list of webhooks: they leave the application only where they are created. */
  abstract webhook(id: number): Promise<WebhookSnapshot | undefined>;
  /** By ascending id. */
  abstract webhooks(page: PageBounds): Promise<Page<WebhookSnapshot>>;
  abstract countWebhooks(most?: number): Promise<number>;
  /** Newest first: by descending `id`. `undefined` if there is no such webhook. */
  abstract webhookDeliveries(webhookId: number, page: PageBounds): Promise<Page<WebhookDelivery> | undefined>;
  /** `undefined` if there is no such webhook. */
  abstract countWebhookDeliveries(webhookId: number, most?: number): Promise<number | undefined>;

  /** What the storage holds about the stock of every pet, by ascending pet id. Each record shows one moment. */
  abstract stockRecords(): AsyncIterable<StockRecord>;
}

export type Reader = ReaderPort;
export const Reader = sharedByCopies('Reader', ReaderPort);
