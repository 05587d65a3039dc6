import { PetNotFound } from '../domain/refusals.ts';
import { assertHolds, type ChangeOptions } from './change-options.ts';
import type { IdempotentUnitOfWork } from './idempotency.ts';
import type { Clock } from './ports/clock.ts';
import type {
  InventoryFilter,
  InventorySort,
  InventoryView,
  MovementView,
  Page,
  PageBounds,
  PageRequest,
  Reader,
  SummaryView,
} from './ports/reader.ts';
import { inventoryView, saveStock } from './stock-keeping.ts';

/** The use cases of stock. */
export class StockRoom {
  readonly #work: IdempotentUnitOfWork;
  readonly #reader: Reader;
  readonly #clock: Clock;

  constructor(work: IdempotentUnitOfWork, reader: Reader, clock: Clock) {
    this.#work = work;
    this.#reader = reader;
    this.#clock = clock;
  }

  /** Sets the stock count of a pet. @throws {PetNotFound | StockBelowReserved | PreconditionFailed} */
  count(petId: number, quantity: number, options: ChangeOptions<InventoryView> = {}): Promise<InventoryView> {
    return this.#work.write(async (scope) => {
      const item = await scope.inventory.lock(petId);
      if (!item) throw new PetNotFound(petId);
      assertHolds(options.precondition, inventoryView(item));

      const before = item.status;
      const counted = item.count(quantity);
      if (counted) await saveStock(scope, item, { before, movements: [counted], at: this.#clock.now() });
      return inventoryView(item);
    }, options);
  }

  /** @throws {PetNotFound} */
  async get(petId: number): Promise<InventoryView> {
    return found(petId, await this.#reader.inventoryItem(petId));
  }

  list(filter: InventoryFilter, page: PageRequest<InventorySort>): Promise<Page<InventoryView>> {
    return this.#reader.inventory(filter, page);
  }

  /** Counts up to `most`. */
  countItems(filter: InventoryFilter, most?: number): Promise<number> {
    return this.#reader.countInventory(filter, most);
  }

  summary(): Promise<SummaryView> {
    return this.#reader.summary();
  }

  /** The movements of a pet's stock, newest first. @throws {PetNotFound} */
  async movements(petId: number, page: PageBounds): Promise<Page<MovementView>> {
    return found(petId, await this.#reader.movements(petId, page));
  }

  /** Counts up to `most`. @throws {PetNotFound} */
  async countMovements(petId: number, most?: number): Promise<number> {
    return found(petId, await this.#reader.countMovements(petId, most));
  }
}

function found<Thing>(petId: number, thing: Thing | undefined): Thing {
  if (thing === undefined) throw new PetNotFound(petId);
  return thing;
}
