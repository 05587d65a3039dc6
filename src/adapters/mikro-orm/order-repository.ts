import type { OrderRepository } from '../../application/ports/order-repository.ts';
import { Order } from '../../domain/order.ts';
import { ORDER, type OrderRow, showOrder } from './order-rows.ts';
import type { WriteSession } from './session.ts';

const ADD = 'insert into orders (id, pet_id, quantity, ship_date, complete) values (?, ?, ?, ?, ?)';
const SAVE = 'update orders set quantity = ?, ship_date = ?, complete = ? where id = ?';
const REMOVE = 'delete from orders where id = ?';
const EXIST_FOR = 'select 1 from orders where pet_id = ? limit 1';

export class MikroOrmOrderRepository implements OrderRepository {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async nextId(): Promise<number> {
    return this.#session.nextId('orders');
  }

  async lock(id: number): Promise<Order | undefined> {
    const row = await this.#session.one<OrderRow>(`${ORDER}${this.#session.forUpdate}`, id);
    return row && Order.recall(showOrder(row));
  }

  async add(order: Order): Promise<void> {
    const { id, petId, quantity, shipDate, complete } = order.snapshot();
    await this.#session.add('orders', ADD, id, petId, quantity, shipDate ?? null, complete ? 1 : 0);
  }

  async save(order: Order): Promise<void> {
    const { id, quantity, shipDate, complete } = order.snapshot();
    await this.#session.send(SAVE, quantity, shipDate ?? null, complete ? 1 : 0, id);
  }

  async remove(id: number): Promise<void> {
    await this.#session.send(REMOVE, id);
  }

  async existFor(petId: number): Promise<boolean> {
    return (await this.#session.one(EXIST_FOR, petId)) !== undefined;
  }
}
