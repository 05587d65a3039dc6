import { Category } from '../domain/category.ts';
import { CategoryInUse, CategoryNotFound } from '../domain/refusals.ts';
import type { Clock } from './ports/clock.ts';
import type { CategoryFilter, CategorySnapshot, CategorySort, Page, PageRequest, Reader } from './ports/reader.ts';
import type { UnitOfWork, WriteScope } from './ports/unit-of-work.ts';
import { assertHolds, type Precondition } from './precondition.ts';

export interface CategoryInput {
  readonly name: string;
  readonly description?: string | undefined;
}

/** What of a category shall change; what is left out stays. `description: null` takes the description away. */
export interface CategoryChange {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
}

/** Where the shelves of the shop are put up, renamed and taken down. */
export class CategoryDesk {
  readonly #work: UnitOfWork;
  readonly #reader: Reader;
  readonly #clock: Clock;

  constructor(work: UnitOfWork, reader: Reader, clock: Clock) {
    this.#work = work;
    this.#reader = reader;
    this.#clock = clock;
  }

  /** @throws {CategoryNameTaken} */
  create(input: CategoryInput): Promise<CategorySnapshot> {
    return this.#work.write(async ({ categories, outbox }) => {
      const category = Category.create({ id: await categories.nextId(), ...input });
      await categories.add(category);
      await outbox.append({ type: 'category.created', data: category.snapshot(), at: this.#clock.now() });
      return category.snapshot();
    });
  }

  /** @throws {CategoryNotFound | CategoryNameTaken | PreconditionFailed} */
  change(id: number, change: CategoryChange, precondition?: Precondition<CategorySnapshot>): Promise<CategorySnapshot> {
    return this.#work.write(async (scope) => {
      const category = await this.#find(scope, id, precondition);

      const renamed = change.name !== undefined && category.rename(change.name);
      const described =
        change.description !== undefined &&
        category.describe(change.description === null ? undefined : change.description);
      if (renamed || described) {
        await scope.categories.save(category);
        await scope.outbox.append({ type: 'category.updated', data: category.snapshot(), at: this.#clock.now() });
      }
      return category.snapshot();
    });
  }

  /** @throws {CategoryNotFound | CategoryInUse | PreconditionFailed} */
  delete(id: number, precondition?: Precondition<CategorySnapshot>): Promise<void> {
    return this.#work.write(async (scope) => {
      const category = await this.#find(scope, id, precondition);
      if (await scope.categories.isInUse(id)) throw new CategoryInUse(id);

      await scope.categories.delete(id);
      await scope.outbox.append({ type: 'category.deleted', data: category.snapshot(), at: this.#clock.now() });
    });
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
