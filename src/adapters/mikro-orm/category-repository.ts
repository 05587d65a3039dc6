import { sql } from 'kysely';
import type { CategoryRepository } from '../../application/ports/category-repository.ts';
import { Category } from '../../domain/category.ts';
import { CategoryNameTaken } from '../../domain/refusals.ts';
import { nameKey } from '../../domain/text.ts';
import { showCategory } from './category-queries.ts';
import type { MaybePromise, WriteSession } from './session.ts';
import { statement } from './statement.ts';
import type { RowOf } from './tables.ts';

const EXISTS = statement((db, { id }: { id: number }, { locksRows }) =>
  db
    .selectFrom('categories')
    .select('id')
    .where('id', '=', id)
    .$if(locksRows, (query) => query.forKeyShare()),
);

const LOCK = statement((db, { id }: { id: number }, { locksRows }) =>
  db
    .selectFrom('categories')
    .select(['id', 'name', 'description'])
    .where('id', '=', id)
    .$if(locksRows, (query) => query.forUpdate()),
);

const ADD = statement((db, category: RowOf<'categories'>) => {
  const { id, name, nameKey, description } = category;
  return db.insertInto('categories').values({ id, name, nameKey, description });
});

/** An unchanged name keeps its key, which may be an older one: see the migration `KeepOutcomesAndKeys`. */
const SAVE = statement((db, { id, name, nameKey, description }: RowOf<'categories'>) =>
  db
    .updateTable('categories')
    .set((row) => ({
      name,
      nameKey: row.case('name').when(name).then(row.ref('nameKey')).else(nameKey).end(),
      description,
    }))
    .where('id', '=', id),
);

const IS_IN_USE = statement((db, { id }: { id: number }) =>
  db.selectFrom('pets').select('id').where('categoryId', '=', id).limit(sql.lit(1)),
);

const REMOVE = statement((db, { id }: { id: number }) => db.deleteFrom('categories').where('id', '=', id));

export class MikroOrmCategoryRepository implements CategoryRepository {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async nextId(): Promise<number> {
    return this.#session.nextId('categories');
  }

  async exists(id: number): Promise<boolean> {
    return (await this.#session.one(EXISTS, { id })) !== undefined;
  }

  async lock(id: number): Promise<Category | undefined> {
    const row = await this.#session.one(LOCK, { id });
    return row && Category.recall(showCategory(row));
  }

  async add(category: Category): Promise<void> {
    await this.#named(category, (row) => this.#session.add('categories', ADD, row));
  }

  async save(category: Category): Promise<void> {
    await this.#named(category, (row) => this.#session.run(SAVE, row));
  }

  async isInUse(id: number): Promise<boolean> {
    return (await this.#session.one(IS_IN_USE, { id })) !== undefined;
  }

  async delete(id: number): Promise<void> {
    await this.#session.run(REMOVE, { id });
  }

  async #named(category: Category, write: (row: RowOf<'categories'>) => MaybePromise<unknown>): Promise<void> {
    const { id, name, description } = category.snapshot();
    try {
      await write({ id, name, nameKey: nameKey(name), description: description ?? null });
    } catch (error) {
      throw this.#session.isNameTaken(error) ? new CategoryNameTaken(name) : error;
    }
  }
}
