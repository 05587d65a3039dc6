import type { CategoryRepository } from '../../application/ports/category-repository.ts';
import { Category } from '../../domain/category.ts';
import { CategoryNameTaken } from '../../domain/refusals.ts';
import { nameKey } from '../../domain/text.ts';
import type { Draft } from './draft.ts';

export class InMemoryCategoryRepository implements CategoryRepository {
  readonly #draft: Draft;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  async nextId(): Promise<number> {
    return this.#draft.tables.categories.nextId();
  }

  async exists(id: number): Promise<boolean> {
    return this.#draft.tables.categories.get(id) !== undefined;
  }

  async lock(id: number): Promise<Category | undefined> {
    const row = this.#draft.tables.categories.get(id);
    return row && Category.recall(row);
  }

  async add(category: Category): Promise<void> {
    this.#mustBeFree(category);
    this.#draft.tables.categories.insert(category.snapshot());
  }

  async save(category: Category): Promise<void> {
    this.#mustBeFree(category);
    this.#draft.tables.categories.update(category.snapshot());
  }

  async isInUse(id: number): Promise<boolean> {
    return this.#draft.tables.pets.has('categoryId', id);
  }

  async remove(id: number): Promise<void> {
    const { categories, pets } = this.#draft.tables;
    if (pets.has('categoryId', id)) throw new Error(`Category ${id} still has pets.`);
    categories.delete(id);
  }

  #mustBeFree({ id, name }: Category): void {
    for (const other of this.#draft.tables.categories.having('name', nameKey(name))) {
      if (other.id !== id) throw new CategoryNameTaken(name);
    }
  }
}
