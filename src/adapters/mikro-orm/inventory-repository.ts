import type { InventoryRepository } from '../../application/ports/inventory-repository.ts';
import { InventoryItem } from '../../domain/inventory-item.ts';
import type { WriteSession } from './session.ts';
import { statement } from './statement.ts';
import type { RowOf } from './tables.ts';

type StockRow = Pick<RowOf<'pets'>, 'id' | 'quantity' | 'reserved' | 'held' | 'status'>;

const LOCK = statement((db, { petId }: { petId: number }, { locksRows }) =>
  db
    .selectFrom('pets')
    .select(['quantity', 'reserved', 'held'])
    .where('id', '=', petId)
    .$if(locksRows, (query) => query.forUpdate()),
);

/** The usual change of an order. No index contains `reserved`, so only the row itself is written. */
const SAVE_RESERVED = statement((db, { id, quantity, reserved, held, status }: StockRow) =>
  db
    .updateTable('pets')
    .set({ reserved })
    .where('id', '=', id)
    .where('quantity', '=', quantity)
    .where('held', '=', held)
    .where('status', '=', status),
);

const SAVE = statement((db, { id, quantity, reserved, held, status }: StockRow) =>
  db.updateTable('pets').set({ quantity, reserved, held, status }).where('id', '=', id),
);

export class MikroOrmInventoryRepository implements InventoryRepository {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async lock(petId: number): Promise<InventoryItem | undefined> {
    const row = await this.#session.one(LOCK, { petId });
    return row && InventoryItem.recall({ petId, ...row, held: row.held === 1 });
  }

  async save(item: InventoryItem): Promise<void> {
    const { petId: id, quantity, reserved, held } = item.snapshot();
    const row: StockRow = { id, quantity, reserved, held: held ? 1 : 0, status: item.status };
    if (this.#session.dialect.writesIndexes === 'that it names') {
      if ((await this.#session.run(SAVE_RESERVED, row)) > 0) return;
    }
    await this.#session.send(SAVE, row);
  }
}
