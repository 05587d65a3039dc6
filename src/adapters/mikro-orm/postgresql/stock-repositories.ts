import { InventoryItem } from '../../../domain/inventory-item.ts';
import { Order } from '../../../domain/order.ts';
import { MikroOrmInventoryRepository } from '../inventory-repository.ts';
import { showOrder } from '../order-queries.ts';
import { MikroOrmOrderRepository } from '../order-repository.ts';
import { postgresqlStatement, statement } from '../statement.ts';
import type { PostgresqlWriteSession } from './write-session.ts';

const PET_OF_ORDER = statement((db, { id }: { id: number }) =>
  db.selectFrom('orders').select('petId').where('id', '=', id),
);

const LOCK_ORDER_OF_PET = postgresqlStatement((db, { id, petId }: { id: number; petId: number }) =>
  db
    .selectFrom('orders')
    .select(['id', 'petId', 'quantity', 'shipDate', 'complete'])
    .where('id', '=', id)
    .where('petId', '=', petId)
    .forUpdate(),
);

/** The stock of a pet is locked once in a transaction, and known from then on. */
export class PostgresqlInventoryRepository extends MikroOrmInventoryRepository {
  readonly #session: PostgresqlWriteSession;

  constructor(session: PostgresqlWriteSession) {
    super(session);
    this.#session = session;
  }

  override async lock(petId: number): Promise<InventoryItem | undefined> {
    const row = await this.#session.lockStock(petId);
    return row && InventoryItem.recall({ petId, quantity: row.quantity, reserved: row.reserved, held: row.held === 1 });
  }

  override async save(item: InventoryItem): Promise<void> {
    const { petId: id, quantity, reserved, held } = item.snapshot();
    this.#session.saveStock({ id, quantity, reserved, held: held ? 1 : 0, status: item.status });
  }
}

/** An order is locked together with its pet, and after it: locks of pets come first everywhere, so that they do not conflict. */
export class PostgresqlOrderRepository extends MikroOrmOrderRepository {
  readonly #session: PostgresqlWriteSession;

  constructor(session: PostgresqlWriteSession) {
    super(session);
    this.#session = session;
  }

  override async lock(id: number): Promise<Order | undefined> {
    const found = await this.#session.one(PET_OF_ORDER, { id });
    if (!found) return undefined;
    await this.#session.lockStock(found.petId);
    const row = await this.#session.one(LOCK_ORDER_OF_PET, { id, petId: found.petId });
    return row && Order.recall(showOrder(row));
  }
}
