import type { PetRepository } from '../../application/ports/pet-repository.ts';
import type { InventoryItem } from '../../domain/inventory-item.ts';
import { Pet, type PetSnapshot } from '../../domain/pet.ts';
import { nameKey } from '../../domain/text.ts';
import type { WriteSession } from './session.ts';

const FIND = 'select id, name, category_id as "categoryId" from pets where id = ?';
const ADD =
  'insert into pets (id, name, name_key, category_id, quantity, reserved, held, status) values (?, ?, ?, ?, ?, ?, ?, ?)';
const SAVE = 'update pets set name = ?, name_key = ?, category_id = ? where id = ?';
const REMOVE = 'delete from pets where id = ?';

export class MikroOrmPetRepository implements PetRepository {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async nextId(): Promise<number> {
    return this.#session.nextId('pets');
  }

  async find(id: number): Promise<Pet | undefined> {
    const row = await this.#session.one<PetSnapshot>(FIND, id);
    return row && Pet.recall(row);
  }

  async add(pet: Pet, item: InventoryItem): Promise<void> {
    const { id, name, categoryId } = pet.snapshot();
    const { quantity, reserved, held } = item.snapshot();
    const stock = [quantity, reserved, held ? 1 : 0, item.status];
    await this.#session.add('pets', ADD, id, name, nameKey(name), categoryId, ...stock);
  }

  async save(pet: Pet): Promise<void> {
    const { id, name, categoryId } = pet.snapshot();
    await this.#session.send(SAVE, name, nameKey(name), categoryId, id);
  }

  async remove(id: number): Promise<void> {
    await this.#session.send(REMOVE, id);
  }
}
