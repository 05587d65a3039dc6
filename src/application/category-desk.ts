import { Category } from '../domain/category.ts';
import { CategoryInUse, CategoryNotFound } from '../domain/refusals.ts';
import { assertHolds, type ChangeOptions, type Precondition } from './change-options.ts';
import type { IdempotentUnitOfWork } from './idempotency.ts';
import type { Clock } from './ports/clock.ts';
import type { CategoryFilter, CategorySnapshot, CategorySort, Page, PageRequest, Reader } from './ports/reader.ts';
import type { WriteScope } from './ports/unit-of-work.ts';

export interface CategoryInput {
  readonly name: string;
  readonly description?: string | undefined;
}

/** The fields to change; an absent field stays unchanged. `description: null` removes the description. */
export interface CategoryChange {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
}

/** The use cases of categories. */
export class CategoryDesk {
  readonly #work: IdempotentUnitOfWork;
  readonly #reader: Reader;
  readonly #clock: Clock;

  constructor(work: IdempotentUnitOfWork, reader: Reader, clock: Clock) {
    this.#work = work;
    this.#reader = reader;
    this.#clock = clock;
  }

  /** @throws {CategoryNameTaken} */
  create(input: CategoryInput, options: ChangeOptions<CategorySnapshot> = {}): Promise<CategorySnapshot> {
    return this.#work.write(async ({ categories, outbox }) => {
      const category = Category.create({ id: await categories.nextId(), ...input });
      await categories.add(category);
      await outbox.append({ type: 'category.created', data: category.snapshot(), at: this.#clock.now() });
      return category.snapshot();
    }, options);
  }

  /** @throws {CategoryNotFound | CategoryNameTaken | PreconditionFailed} */
  change(id: number, change: CategoryChange, options: ChangeOptions<CategorySnapshot> = {}): Promise<CategorySnapshot> {
    return this.#work.write(async (scope) => {
      const category = await this.#find(scope, id, options.precondition);

      const renamed = change.name !== undefined && category.rename(change.name);
      const described =
        change.description !== undefined &&
        category.describe(change.description === null ? undefined : change.description);
      if (renamed || described) {
        await scope.categories.save(category);
        await scope.outbox.append({ type: 'category.updated', data: category.snapshot(), at: this.#clock.now() });
      }
      return category.snapshot();
    }, options);
  }

  /** Returns the last state. @throws {CategoryNotFound | CategoryInUse | PreconditionFailed} */
  delete(id: number, options: ChangeOptions<CategorySnapshot> = {}): Promise<CategorySnapshot> {
    return this.#work.write(async (scope) => {
      const category = await this.#find(scope, id, options.precondition);
      if (await scope.categories.isInUse(id)) throw new CategoryInUse(id);

      await scope.categories.delete(id);
      await scope.outbox.append({ type: 'category.deleted', data: category.snapshot(), at: this.#clock.now() });
      return category.snapshot();
    }, options);
  }

  /** @throws {CategoryNotFound} */
  async get(id: number): Promise<CategorySnapshot> {
    const category = await this.#reader.category(id);
    if (!category) throw new CategoryNotFound(id);
    return category;
  }

  list(filter: CategoryFilter, page: PageRequest<CategorySort>): Promise<Page<CategorySnapshot>> {
    return this.#reader.categories(filter, page);
  }

  /** Counts up to `most`. */
  count(filter: CategoryFilter, most?: number): Promise<number> {
    return this.#reader.countCategories(filter, most);
  }

  async #find({ categories }: WriteScope, id: number, precondition: Precondition<CategorySnapshot> | undefined) {
    const category = await categories.lock(id);
    if (!category) throw new CategoryNotFound(id);
    assertHolds(precondition, category.snapshot());
    return category;
  }
}
