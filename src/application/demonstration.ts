import { CategoryNameTaken } from '../domain/refusals.ts';
import { CategoryDesk } from './category-desk.ts';
import { CATALOGUE, type DemoOrder, type DemoPet } from './demonstration-catalogue.ts';
import { IdempotentUnitOfWork } from './idempotency.ts';
import { OrderDesk } from './order-desk.ts';
import { PetCatalog } from './pet-catalog.ts';
import type { Clock } from './ports/clock.ts';
import type { Reader } from './ports/reader.ts';
import type { UnitOfWork, WriteScope } from './ports/unit-of-work.ts';
import { StockRoom } from './stock-room.ts';

const DAY = 86_400_000;

/** Fills a new store with the demonstration catalogue. */
export class Demonstration {
  readonly #work: UnitOfWork;
  readonly #reader: Reader;
  readonly #clock: Clock;

  constructor(work: UnitOfWork, reader: Reader, clock: Clock) {
    this.#work = work;
    this.#reader = reader;
    this.#clock = clock;
  }

  /**
   * Fills a new store, completely or not at all: one that has no category, pet, order or API key, and in which the first category,
   * pet and order get the id 1. Returns whether it did. Of several nodes that start at once, one does.
   */
  async fill(): Promise<boolean> {
    if (!(await this.#isEmpty())) return false;
    try {
      await this.#fill();
      return true;
    } catch (error) {
      // Another node was first, or the store had content before.
      if (error instanceof StoreWasUsed || error instanceof CategoryNameTaken) return false;
      throw error;
    }
  }

  async #isEmpty(): Promise<boolean> {
    const first = { sort: { by: 'id' }, limit: 1 } as const;
    const categories = await this.#reader.categories({}, first);
    const pets = await this.#reader.pets({}, first);
    const orders = await this.#reader.orders({}, first);
    const apiKeys = await this.#reader.apiKeys();
    return [categories.rows, pets.rows, orders.rows, apiKeys].every(({ length }) => length === 0);
  }

  #fill(): Promise<void> {
    return this.#work.write(async (scope) => {
      const work = new IdempotentUnitOfWork(inSameTransaction(scope), this.#clock);
      const parts = [work, this.#reader, this.#clock] as const;
      const categoryDesk = new CategoryDesk(...parts);
      const petCatalog = new PetCatalog(...parts);
      const stockRoom = new StockRoom(...parts);
      const orderDesk = new OrderDesk(...parts);

      const ids = new FirstIds();
      const ordered: (DemoOrder & { readonly petId: number })[] = [];
      for (const { name, description, pets: shown } of CATALOGUE) {
        const { id: categoryId } = await categoryDesk.create({ name, description });
        ids.note('category', categoryId);
        for (const pet of shown) {
          const { id: petId } = await petCatalog.create({ name: pet.name, categoryId, status: openingStatus(pet) });
          ids.note('pet', petId);
          await stockRoom.count(petId, pet.stock);
          for (const order of pet.orders ?? []) ordered.push({ ...order, petId });
        }
      }
      const now = this.#clock.now();
      for (const { petId, quantity, days, complete } of ordered.sort(byDays)) {
        const shipDate = days === undefined ? undefined : now + days * DAY;
        const { id: orderId } = await orderDesk.place({ petId, quantity, shipDate, complete });
        ids.note('order', orderId);
      }
    });
  }
}

/** The desks of one shop then work in one transaction: what they write is committed or rolled back as a whole. */
function inSameTransaction(scope: WriteScope): UnitOfWork {
  return { write: (work) => work(scope) };
}

/** The store was used before. */
class StoreWasUsed extends Error {
  override readonly name = 'NotNew';
}

/** Ensures that the first of each kind has the id 1. */
class FirstIds {
  readonly #noted = new Set<string>();

  /** @throws {StoreWasUsed} */
  note(kind: string, id: number): void {
    if (!this.#noted.has(kind) && id !== 1) throw new StoreWasUsed(`The first ${kind} got the id ${id}.`);
    this.#noted.add(kind);
  }
}

function openingStatus({ stock, held }: DemoPet) {
  if (stock === 0) return 'sold';
  return held ? 'pending' : 'available';
}

/** The order in which they would have been placed: by ship date, those without one last. */
function byDays(a: DemoOrder, b: DemoOrder): number {
  return (a.days ?? Number.MAX_VALUE) - (b.days ?? Number.MAX_VALUE);
}
