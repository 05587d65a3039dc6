import type { InventoryRepository } from '../../application/ports/inventory-repository.ts';
import { InventoryItem } from '../../domain/inventory-item.ts';
import type { WriteSession } from './write-session.ts';

const FIND = 'select id as "petId", quantity, reserved, held from pets where id = ?';
const SAVE = 'update pets set quantity = ?, reserved = ?, held = ? where id = ?';

export class MikroOrmInventoryRepository implements InventoryRepository {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async lock(petId: number): Promise<InventoryItem | undefined> {
    const row = this.#session.one<{ petId: number; quantity: number; reserved: number; held: number }>(FIND, petId);
    return row && InventoryItem.recall({ ...row, held: row.held === 1 });
  }

  async save(item: InventoryItem): Promise<void> {
    const { petId, quantity, reserved, held } = item.snapshot();
    this.#session.run(SAVE, quantity, reserved, held ? 1 : 0, petId);
  }
}
