import type { Order } from '../../domain/order.ts';

/** Remembers orders, inside a unit of work. */
export interface OrderRepository {
  /** The identifier for the next order: larger than all that were acknowledged, also of what was deleted since. */
  nextId(): Promise<number>;
  /** The order, kept from other units of work until this one ends; `undefined` if there is none. */
  lock(id: number): Promise<Order | undefined>;
  add(order: Order): Promise<void>;
  save(order: Order): Promise<void>;
  delete(id: number): Promise<void>;
  /** Whether any order, open or complete, names the pet. */
  existFor(petId: number): Promise<boolean>;
}
