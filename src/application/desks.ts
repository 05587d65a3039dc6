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

/** The same desks, all of them working on `work`; each is set up when it is needed. */
export function desksOn(desks: Desks, work: UnitOfWork): Desks {
  return {
    get petCatalog() {
      return desks.petCatalog.on(work);
    },
    get categoryDesk() {
      return desks.categoryDesk.on(work);
    },
    get orderDesk() {
      return desks.orderDesk.on(work);
    },
    get stockRoom() {
      return desks.stockRoom.on(work);
    },
  };
}
