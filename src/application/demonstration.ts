import { CategoryDesk } from './category-desk.ts';
import { CATALOGUE, type ShownOrder, type ShownPet } from './demonstration-catalogue.ts';
import { OrderDesk } from './order-desk.ts';
import { PetCatalog } from './pet-catalog.ts';
import type { Clock } from './ports/clock.ts';
import type { Reader } from './ports/reader.ts';
import type { UnitOfWork } from './ports/unit-of-work.ts';
import { StockRoom } from './stock-room.ts';
import { within } from './within.ts';

const DAY = 86_400_000;

/** Fills a new store with a shop to look at. */
export class Demonstration {
  readonly #work: UnitOfWork;
  readonly #reader: Reader;
  readonly #clock: Clock;

  constructor(work: UnitOfWork, reader: Reader, clock: Clock) {
    this.#work = work;
    this.#reader = reader;
    this.#clock = clock;
  }

  /** Fills the store, all of it or nothing, if nothing was ever kept in it. Gives whether it did. */
  fill(): Promise<boolean> {
    return this.#work.write(async (scope) => {
      if (!(await scope.isUntouched())) return false;

      const desks = [within(scope), this.#reader, this.#clock] as const;
      const categories = new CategoryDesk(...desks);
      const pets = new PetCatalog(...desks);
      const stock = new StockRoom(...desks);
      const orders = new OrderDesk(...desks);

      const ordered: (ShownOrder & { readonly petId: number })[] = [];
      for (const { name, description, pets: shown } of CATALOGUE) {
        const { id: categoryId } = await categories.open({ name, description });
        for (const pet of shown) {
          const { id: petId } = await pets.welcome({ name: pet.name, categoryId, status: openingStatus(pet) });
          await stock.count(petId, pet.stock);
          for (const order of pet.orders ?? []) ordered.push({ ...order, petId });
        }
      }
      const now = this.#clock.now();
      for (const { petId, quantity, days, complete } of ordered.sort(byDays)) {
        await orders.place({ petId, quantity, shipDate: days === undefined ? undefined : now + days * DAY, complete });
      }
      return true;
    });
  }
}

function openingStatus({ stock, held }: ShownPet) {
  if (stock === 0) return 'sold';
  return held ? 'pending' : 'available';
}

/** The order in which they would have come in: by ship date, those without one last. */
function byDays(a: ShownOrder, b: ShownOrder): number {
  return (a.days ?? Number.MAX_VALUE) - (b.days ?? Number.MAX_VALUE);
}
