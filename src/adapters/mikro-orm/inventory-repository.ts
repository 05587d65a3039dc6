import type { InventoryRepository } from '../../application/ports/inventory-repository.ts';
import { InventoryItem } from '../../domain/inventory-item.ts';
import type { WriteSession } from './session.ts';

const FIND = 'select id as "petId", quantity, reserved, held from pets where id = ?';
/** What an order does most of the time; no index is made of `reserved`, so only the row itself is written. */
const SAVE_RESERVED = 'update pets set reserved = ? where id = ? and quantity = ? and held = ? and status = ?';
const SAVE = 'update pets set quantity = ?, reserved = ?, held = ?, status = ? where id = ?';

export class MikroOrmInventoryRepository implements InventoryRepository {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async lock(petId: number): Promise<InventoryItem | undefined> {
    const sql = `${FIND}${this.#session.forUpdate}`;
    const row = await this.#session.one<{ petId: number; quantity: number; reserved: number; held: number }>(
      sql,
      petId,
    );
    return row && InventoryItem.recall({ ...row, held: row.held === 1 });
  }

  async save(item: InventoryItem): Promise<void> {
    const { petId, quantity, reserved, held: isHeld } = item.snapshot();
    const held = isHeld ? 1 : 0;
    const { status } = item;
    if (this.#session.writesIndexes === 'that it names') {
      if ((await this.#session.run(SAVE_RESERVED, reserved, petId, quantity, held, status)) > 0) return;
    }
    await this.#session.send(SAVE, quantity, reserved, held, status, petId);
  }
}
