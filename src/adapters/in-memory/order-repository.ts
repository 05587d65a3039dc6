import type { OrderRepository } from '../../application/ports/order-repository.ts';
import { Order } from '../../domain/order.ts';
import type { StagedChanges } from './staged-changes.ts';

export class InMemoryOrderRepository implements OrderRepository {
  readonly #staged: StagedChanges;

  constructor(staged: StagedChanges) {
    this.#staged = staged;
  }

  async nextId(): Promise<number> {
    return this.#staged.tables.orders.nextId();
  }

  async lock(id: number): Promise<Order | undefined> {
    const row = this.#staged.tables.orders.get(id);
    return row && Order.recall(row);
  }

  async add(order: Order): Promise<void> {
    const { orders, pets } = this.#staged.tables;
    if (!pets.get(order.petId)) throw new Error(`Order ${order.id} cannot name pet ${order.petId}: there is none.`);
    orders.insert(order.snapshot());
  }

  async save(order: Order): Promise<void> {
    this.#staged.tables.orders.update(order.snapshot());
  }

  async delete(id: number): Promise<void> {
    this.#staged.tables.orders.delete(id);
  }

  async existFor(petId: number): Promise<boolean> {
    return this.#staged.tables.orders.has('petId', petId);
  }
}
