import type { Category } from '../../domain/category.ts';

/** Remembers categories, inside a unit of work. */
export interface CategoryRepository {
  /** The identifier for the next category: larger than all that were acknowledged, also of what was deleted since. */
  nextId(): Promise<number>;
  /** Whether it exists. It cannot be deleted while this unit of work lasts. */
  exists(id: number): Promise<boolean>;
  /** The category, kept from other units of work until this one ends; `undefined` if there is none. */
  lock(id: number): Promise<Category | undefined>;
  /** @throws {CategoryNameTaken} another category has that name, in whatever spelling (`nameKey`) */
  add(category: Category): Promise<void>;
  /** @throws {CategoryNameTaken} another category has that name, in whatever spelling (`nameKey`) */
  save(category: Category): Promise<void>;
  /** Whether a pet belongs to it. */
  isInUse(id: number): Promise<boolean>;
  delete(id: number): Promise<void>;
}
