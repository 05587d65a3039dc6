import type { PetRepository } from '../../application/ports/pet-repository.ts';
import type { InventoryItem } from '../../domain/inventory-item.ts';
import { Pet } from '../../domain/pet.ts';
import { nameKey } from '../../domain/text.ts';
import type { WriteSession } from './session.ts';
import { statement } from './statement.ts';
import type { RowOf } from './tables.ts';

const FIND = statement((db, { id }: { id: number }) =>
  db.selectFrom('pets').select(['id', 'name', 'categoryId']).where('id', '=', id),
);

const ADD = statement((db, pet: RowOf<'pets'>) => {
  const { id, name, nameKey, categoryId, quantity, reserved, held, status } = pet;
  return db.insertInto('pets').values({ id, name, nameKey, categoryId, quantity, reserved, held, status });
});

const SAVE = statement((db, pet: Pick<RowOf<'pets'>, 'id' | 'name' | 'nameKey' | 'categoryId'>) => {
  const { id, name, nameKey, categoryId } = pet;
  return db.updateTable('pets').set({ name, nameKey, categoryId }).where('id', '=', id);
});

const REMOVE = statement((db, { id }: { id: number }) => db.deleteFrom('pets').where('id', '=', id));

export class MikroOrmPetRepository implements PetRepository {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async nextId(): Promise<number> {
    return this.#session.nextId('pets');
  }

  async find(id: number): Promise<Pet | undefined> {
    const row = await this.#session.one(FIND, { id });
    return row && Pet.recall(row);
  }

  async add(pet: Pet, item: InventoryItem): Promise<void> {
    const { id, name, categoryId } = pet.snapshot();
    const { quantity, reserved, held } = item.snapshot();
    const stock = { quantity, reserved, held: held ? 1 : 0, status: item.status } as const;
    await this.#session.add('pets', ADD, { id, name, nameKey: nameKey(name), categoryId, ...stock });
  }

  async save(pet: Pet): Promise<void> {
    const { id, name, categoryId } = pet.snapshot();
    await this.#session.send(SAVE, { id, name, nameKey: nameKey(name), categoryId });
  }

  async delete(id: number): Promise<void> {
    await this.#session.send(REMOVE, { id });
  }
}
