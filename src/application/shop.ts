import { CategoryDesk } from './category-desk.ts';
import { OrderDesk } from './order-desk.ts';
import { PetCatalog } from './pet-catalog.ts';
import type { Clock } from './ports/clock.ts';
import type { Reader } from './ports/reader.ts';
import type { UnitOfWork } from './ports/unit-of-work.ts';
import { StockRoom } from './stock-room.ts';

/** The desks of the store: every use case of the published interface. */
export class Shop {
  readonly petCatalog: PetCatalog;
  readonly categoryDesk: CategoryDesk;
  readonly orderDesk: OrderDesk;
  readonly stockRoom: StockRoom;
  readonly #reader: Reader;
  readonly #clock: Clock;

  constructor(work: UnitOfWork, reader: Reader, clock: Clock) {
    this.petCatalog = new PetCatalog(work, reader, clock);
    this.categoryDesk = new CategoryDesk(work, reader, clock);
    this.orderDesk = new OrderDesk(work, reader, clock);
    this.stockRoom = new StockRoom(work, reader, clock);
    this.#reader = reader;
    this.#clock = clock;
  }

  /** The same shop, whose changes go through another unit of work. */
  on(work: UnitOfWork): Shop {
    return new Shop(work, this.#reader, this.#clock);
  }
}
