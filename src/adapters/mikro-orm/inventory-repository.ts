import type { InventoryRepository } from '../../application/ports/inventory-repository.ts';
import { InventoryItem } from '../../domain/inventory-item.ts';
import type { WriteSession } from './session.ts';
import { statement } from './statement.ts';
import type { RowOf } from './tables.ts';

type StockRow = Pick<RowOf<'pets'>, 'id' | 'quantity' | 'reserved' | 'held' | 'status'>;

const LOCK = statement((db, { petId }: { petId: number }, { locksRows }) =>
  db
    .selectFrom('pets')
    .select(['quantity', 'reserved', 'held', 'status'])
    .where('id', '=', petId)
    .$if(locksRows, (query) => query.forUpdate()),
);

const SAVE = statement((db, { id, quantity, reserved, held, status }: StockRow) =>
  db.updateTable('pets').set({ quantity, reserved, held, status }).where('id', '=', id),
);

/*
 * Where an update writes the indexes of all columns that it names, it names only those that change: none for most orders, and
 * the indexes of the quantity or of the status otherwise.
 */

const SAVE_RESERVED = statement((db, { id, quantity, reserved, held, status }: StockRow) =>
  db
    .updateTable('pets')
    .set({ reserved })
    .where('id', '=', id)
    .where('quantity', '=', quantity)
    .where('held', '=', held)
    .where('status', '=', status),
);

const SAVE_QUANTITY = statement((db, { id, quantity, reserved, held, status }: StockRow) =>
  db
    .updateTable('pets')
    .set({ quantity, reserved })
    .where('id', '=', id)
    .where('held', '=', held)
    .where('status', '=', status),
);

const SAVE_STATUS = statement((db, { id, quantity, reserved, held, status }: StockRow) =>
  db.updateTable('pets').set({ reserved, held, status }).where('id', '=', id).where('quantity', '=', quantity),
);

export class MikroOrmInventoryRepository implements InventoryRepository {
  readonly #session: WriteSession;
  /** The rows as this unit of work read or wrote them. */
  readonly #known = new Map<number, Omit<StockRow, 'id'>>();

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async lock(petId: number): Promise<InventoryItem | undefined> {
    const row = await this.#session.one(LOCK, { petId });
    if (!row) return undefined;
    this.#known.set(petId, row);
    return InventoryItem.recall({ petId, quantity: row.quantity, reserved: row.reserved, held: row.held === 1 });
  }

  async save(item: InventoryItem): Promise<void> {
    const { petId: id, quantity, reserved, held } = item.snapshot();
    const row: StockRow = { id, quantity, reserved, held: held ? 1 : 0, status: item.status };
    const known = this.#known.get(id);
    this.#known.set(id, row);
    if (known && this.#session.dialect.writesIndexes === 'that it names') {
      // Each compares the columns that it leaves out, so that it changes nothing if they differ after all.
      if ((await this.#session.run(commandFor(known, row), row)) > 0) return;
    }
    await this.#session.send(SAVE, row);
  }
}

function commandFor(known: Omit<StockRow, 'id'>, row: StockRow) {
  const sameStatus = known.status === row.status && known.held === row.held;
  if (known.quantity !== row.quantity) return sameStatus ? SAVE_QUANTITY : SAVE;
  return sameStatus ? SAVE_RESERVED : SAVE_STATUS;
}
