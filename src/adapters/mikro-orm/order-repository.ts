import { sql } from 'kysely';
import type { OrderRepository } from '../../application/ports/order-repository.ts';
import { Order } from '../../domain/order.ts';
import { LOCK_ORDER, showOrder } from './order-queries.ts';
import type { WriteSession } from './session.ts';
import { statement } from './statement.ts';
import type { RowOf } from './tables.ts';

export const ADD_ORDER = statement((db, { id, petId, quantity, shipDate, complete }: RowOf<'orders'>) =>
  db.insertInto('orders').values({ id, petId, quantity, shipDate, complete }),
);

const SAVE = statement((db, { id, quantity, shipDate, complete }: Omit<RowOf<'orders'>, 'petId'>) =>
  db.updateTable('orders').set({ quantity, shipDate, complete }).where('id', '=', id),
);

const REMOVE = statement((db, { id }: { id: number }) => db.deleteFrom('orders').where('id', '=', id));

const EXIST_FOR = statement((db, { petId }: { petId: number }) =>
  db.selectFrom('orders').select('id').where('petId', '=', petId).limit(sql.lit(1)),
);

export class MikroOrmOrderRepository implements OrderRepository {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async nextId(): Promise<number> {
    return this.#session.nextId('orders');
  }

  async lock(id: number): Promise<Order | undefined> {
    const row = await this.#session.one(LOCK_ORDER, { id });
    return row && Order.recall(showOrder(row));
  }

  async add(order: Order): Promise<void> {
    await this.#session.add('orders', ADD_ORDER, rowOf(order));
  }

  async save(order: Order): Promise<void> {
    await this.#session.send(SAVE, rowOf(order));
  }

  async delete(id: number): Promise<void> {
    await this.#session.send(REMOVE, { id });
  }

  async existFor(petId: number): Promise<boolean> {
    return (await this.#session.one(EXIST_FOR, { petId })) !== undefined;
  }
}

function rowOf(order: Order): RowOf<'orders'> {
  const { id, petId, quantity, shipDate = null, complete } = order.snapshot();
  return { id, petId, quantity, shipDate, complete: complete ? 1 : 0 };
}
