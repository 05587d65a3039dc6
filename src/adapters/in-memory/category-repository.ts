import type { CategoryRepository } from '../../application/ports/category-repository.ts';
import { Category } from '../../domain/category.ts';
import { CategoryNameTaken } from '../../domain/refusals.ts';
import { nameKey } from '../../domain/text.ts';
import type { StagedChanges } from './staged-changes.ts';

export class InMemoryCategoryRepository implements CategoryRepository {
  readonly #staged: StagedChanges;

  constructor(staged: StagedChanges) {
    this.#staged = staged;
  }

  async nextId(): Promise<number> {
    return this.#staged.tables.categories.nextId();
  }

  async exists(id: number): Promise<boolean> {
    return this.#staged.tables.categories.get(id) !== undefined;
  }

  async lock(id: number): Promise<Category | undefined> {
    const row = this.#staged.tables.categories.get(id);
    return row && Category.recall(row);
  }

  async add(category: Category): Promise<void> {
    this.#mustBeFree(category);
    this.#staged.tables.categories.insert(category.snapshot());
  }

  async save(category: Category): Promise<void> {
    this.#mustBeFree(category);
    this.#staged.tables.categories.update(category.snapshot());
  }

  async isInUse(id: number): Promise<boolean> {
    return this.#staged.tables.pets.has('categoryId', id);
  }

  async delete(id: number): Promise<void> {
    const { categories, pets } = this.#staged.tables;
    if (pets.has('categoryId', id)) throw new Error(`Category ${id} still has pets.`);
    categories.delete(id);
  }

  #mustBeFree({ id, name }: Category): void {
    for (const other of this.#staged.tables.categories.having('name', nameKey(name))) {
      if (other.id !== id) throw new CategoryNameTaken(name);
    }
  }
}
