import type { CategoryRepository } from '../../application/ports/category-repository.ts';
import { Category } from '../../domain/category.ts';
import { CategoryNameTaken } from '../../domain/refusals.ts';
import { nameKey } from '../../domain/text.ts';
import { CATEGORY, type CategoryRow, showCategory } from './category-rows.ts';
import type { Soon, WriteSession } from './session.ts';

const EXISTS = 'select 1 from categories where id = ?';
const ADD = 'insert into categories (id, name, name_key, description) values (?, ?, ?, ?)';
/** A name that stays keeps its key, which may be an older one: see the migration `KeepOutcomesAndKeys`. */
const SAVE =
  'update categories set name = ?, name_key = case name when ? then name_key else ? end, description = ? where id = ?';
const IS_IN_USE = 'select 1 from pets where category_id = ? limit 1';
const REMOVE = 'delete from categories where id = ?';

export class MikroOrmCategoryRepository implements CategoryRepository {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async nextId(): Promise<number> {
    return this.#session.nextId('categories');
  }

  async exists(id: number): Promise<boolean> {
    return (await this.#session.one(`${EXISTS}${this.#session.forKeyShare}`, id)) !== undefined;
  }

  async lock(id: number): Promise<Category | undefined> {
    const row = await this.#session.one<CategoryRow>(`${CATEGORY}${this.#session.forUpdate}`, id);
    return row && Category.recall(showCategory(row));
  }

  async add(category: Category): Promise<void> {
    const { id, name, description } = category.snapshot();
    await this.#named(name, () => this.#session.add('categories', ADD, id, name, nameKey(name), description ?? null));
  }

  async save(category: Category): Promise<void> {
    const { id, name, description } = category.snapshot();
    await this.#named(name, () => this.#session.run(SAVE, name, name, nameKey(name), description ?? null, id));
  }

  async isInUse(id: number): Promise<boolean> {
    return (await this.#session.one(IS_IN_USE, id)) !== undefined;
  }

  async remove(id: number): Promise<void> {
    await this.#session.run(REMOVE, id);
  }

  async #named(name: string, write: () => Soon<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      throw this.#session.isNameTaken(error) ? new CategoryNameTaken(name) : error;
    }
  }
}
