import { Order } from '../domain/order.ts';
import { OrderNotFound, UnknownPet } from '../domain/refusals.ts';
import type { StockMovement } from '../domain/stock-movement.ts';
import { assertHolds, type ChangeOptions, type Precondition } from './change-options.ts';
import type { IdempotentUnitOfWork } from './idempotency.ts';
import type { Clock } from './ports/clock.ts';
import type { OrderFilter, OrderSnapshot, OrderSort, Page, PageRequest, Reader } from './ports/reader.ts';
import type { WriteScope } from './ports/unit-of-work.ts';
import { saveStock } from './stock-keeping.ts';

export interface OrderInput {
  readonly petId: number;
  /** Units, 1 or more. */
  readonly quantity: number;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly shipDate?: number | undefined;
  /** Whether the order is complete in the same step. */
  readonly complete?: boolean | undefined;
}

/** The fields to change; an absent field stays unchanged. `shipDate: null` removes the ship date. */
export interface OrderChange {
  readonly quantity?: number | undefined;
  readonly shipDate?: number | null | undefined;
  readonly complete?: boolean | undefined;
}

/** The use cases of orders. */
export class OrderDesk {
  readonly #work: IdempotentUnitOfWork;
  readonly #reader: Reader;
  readonly #clock: Clock;

  constructor(work: IdempotentUnitOfWork, reader: Reader, clock: Clock) {
    this.#work = work;
    this.#reader = reader;
    this.#clock = clock;
  }

  /** @throws {UnknownPet | PetNotAvailable | InsufficientStock} */
  place(input: OrderInput, options: ChangeOptions<OrderSnapshot> = {}): Promise<OrderSnapshot> {
    return this.#work.write(async (scope) => {
      const item = await scope.inventory.lock(input.petId);
      if (!item) throw new UnknownPet(input.petId);

      const at = this.#clock.now();
      const before = item.status;
      const movements = [item.reserve(input.quantity)];
      const { petId, quantity, shipDate } = input;
      const order = Order.place({ id: await scope.orders.nextId(), petId, quantity, shipDate });
      const placed = order.snapshot();
      if (input.complete) {
        movements.push(item.ship(quantity));
        order.complete(at);
      }

      await scope.orders.add(order);
      await saveStock(scope, item, { before, movements, at, orderId: order.id });
      await scope.outbox.append({ type: 'order.placed', data: placed, at });
      if (input.complete) await scope.outbox.append({ type: 'order.completed', data: order.snapshot(), at });
      return order.snapshot();
    }, options);
  }

  /** @throws {OrderNotFound | OrderAlreadyComplete | PetNotAvailable | InsufficientStock | PreconditionFailed} */
  change(id: number, change: OrderChange, options: ChangeOptions<OrderSnapshot> = {}): Promise<OrderSnapshot> {
    return this.#work.write(async (scope) => {
      const { order, item } = await this.#find(scope, id, options.precondition);
      if (change.complete === false) order.assertOpen();

      const at = this.#clock.now();
      const before = item.status;
      const movements: StockMovement[] = [];
      const by = change.quantity === undefined ? 0 : order.resize(change.quantity);
      if (by > 0) movements.push(item.reserveMore(by));
      if (by < 0) movements.push(item.release(-by));
      const rescheduled =
        change.shipDate !== undefined && order.reschedule(change.shipDate === null ? undefined : change.shipDate);
      const updated = order.snapshot();
      const completed = change.complete === true && order.complete(at);
      if (completed) movements.push(item.ship(order.quantity));

      if (by !== 0 || rescheduled || completed) await scope.orders.save(order);
      if (movements.length > 0) await saveStock(scope, item, { before, movements, at, orderId: id });
      if (by !== 0 || rescheduled) await scope.outbox.append({ type: 'order.updated', data: updated, at });
      if (completed) await scope.outbox.append({ type: 'order.completed', data: order.snapshot(), at });
      return order.snapshot();
    }, options);
  }

  /** Deletes the order and returns its last state; its ledger entries remain. @throws {OrderNotFound | OrderAlreadyComplete | PreconditionFailed} */
  cancel(id: number, options: ChangeOptions<OrderSnapshot> = {}): Promise<OrderSnapshot> {
    return this.#work.write(async (scope) => {
      const { order, item } = await this.#find(scope, id, options.precondition);
      order.assertOpen();

      const at = this.#clock.now();
      const before = item.status;
      const movements = [item.release(order.quantity)];

      await scope.orders.delete(id);
      await saveStock(scope, item, { before, movements, at, orderId: id });
      await scope.outbox.append({ type: 'order.cancelled', data: order.snapshot(), at });
      return order.snapshot();
    }, options);
  }

  /** @throws {OrderNotFound} */
  async get(id: number): Promise<OrderSnapshot> {
    const order = await this.#reader.order(id);
    if (!order) throw new OrderNotFound(id);
    return order;
  }

  list(filter: OrderFilter, page: PageRequest<OrderSort>): Promise<Page<OrderSnapshot>> {
    return this.#reader.orders(filter, page);
  }

  /** Counts up to `most`. */
  count(filter: OrderFilter, most?: number): Promise<number> {
    return this.#reader.countOrders(filter, most);
  }

  async #find({ orders, inventory }: WriteScope, id: number, precondition: Precondition<OrderSnapshot> | undefined) {
    const order = await orders.lock(id);
    if (!order) throw new OrderNotFound(id);
    assertHolds(precondition, order.snapshot());
    const item = await inventory.lock(order.petId);
    if (!item) throw new Error(`Order ${id} refers to pet ${order.petId}, which does not exist.`);
    return { order, item };
  }
}
