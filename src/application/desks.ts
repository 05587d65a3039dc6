import type { CategoryDesk } from './category-desk.ts';
import type { OrderDesk } from './order-desk.ts';
import type { PetCatalog } from './pet-catalog.ts';
import type { UnitOfWork } from './ports/unit-of-work.ts';
import type { StockRoom } from './stock-room.ts';

/** Where things get done in this shop. */
export interface Desks {
  readonly petCatalog: PetCatalog;
  readonly categoryDesk: CategoryDesk;
  readonly orderDesk: OrderDesk;
  readonly stockRoom: StockRoom;
}

/** The same desks, all of them working on one unit of work; each is set up when it is needed. */
export class DesksOnWork implements Desks {
  readonly #desks: Desks;
  readonly #work: UnitOfWork;

  constructor(desks: Desks, work: UnitOfWork) {
    this.#desks = desks;
    this.#work = work;
  }

  get petCatalog(): PetCatalog {
    return this.#desks.petCatalog.on(this.#work);
  }

  get categoryDesk(): CategoryDesk {
    return this.#desks.categoryDesk.on(this.#work);
  }

  get orderDesk(): OrderDesk {
    return this.#desks.orderDesk.on(this.#work);
  }

  get stockRoom(): StockRoom {
    return this.#desks.stockRoom.on(this.#work);
  }
}
