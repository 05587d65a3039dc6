import type { OrderRepository } from '../../application/ports/order-repository.ts';
import { Order } from '../../domain/order.ts';
import type { Draft } from './draft.ts';

export class InMemoryOrderRepository implements OrderRepository {
  readonly #draft: Draft;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  async nextId(): Promise<number> {
    return this.#draft.tables.orders.nextId();
  }

  async lock(id: number): Promise<Order | undefined> {
    const row = this.#draft.tables.orders.get(id);
    return row && Order.recall(row);
  }

  async add(order: Order): Promise<void> {
    const { orders, pets } = this.#draft.tables;
    if (!pets.get(order.petId)) throw new Error(`Order ${order.id} cannot name pet ${order.petId}: there is none.`);
    orders.insert(order.snapshot());
  }

  async save(order: Order): Promise<void> {
    this.#draft.tables.orders.update(order.snapshot());
  }

  async remove(id: number): Promise<void> {
    this.#draft.tables.orders.delete(id);
  }

  async existFor(petId: number): Promise<boolean> {
    return this.#draft.tables.orders.has('petId', petId);
  }
}
