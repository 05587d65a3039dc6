import type { Order } from '../../domain/order.ts';

/** Stores orders, inside a unit of work. */
export interface OrderRepository {
  /** The identifier for the next order: larger than every acknowledged one, deleted ones included. */
  nextId(): Promise<number>;
  /** The order, locked for other units of work until this one ends; `undefined` if there is none. */
  lock(id: number): Promise<Order | undefined>;
  add(order: Order): Promise<void>;
  save(order: Order): Promise<void>;
  delete(id: number): Promise<void>;
  /** Whether any order, open or complete, refers to the pet. */
  existFor(petId: number): Promise<boolean>;
}
