import type { Category } from '../../domain/category.ts';

/** Stores categories, inside a unit of work. */
export interface CategoryRepository {
  /** The identifier for the next category: larger than every acknowledged one, deleted ones included. */
  nextId(): Promise<number>;
  /** Whether the category exists. If it does, it cannot be deleted before this unit of work ends. */
  exists(id: number): Promise<boolean>;
  /** The category, locked for other units of work until this one ends; `undefined` if there is none. */
  lock(id: number): Promise<Category | undefined>;
  /** @throws {CategoryNameTaken} if another category has a name with the same `nameKey` */
  add(category: Category): Promise<void>;
  /** @throws {CategoryNameTaken} if another category has a name with the same `nameKey` */
  save(category: Category): Promise<void>;
  /** Whether a pet belongs to the category. */
  isInUse(id: number): Promise<boolean>;
  delete(id: number): Promise<void>;
}
