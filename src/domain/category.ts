import { assertDescription, assertId, assertName } from './limits.ts';
import { tidyText } from './text.ts';

export interface CategorySnapshot {
  readonly id: number;
  readonly name: string;
  readonly description?: string | undefined;
}

/** A category of pets. Its name is unique in every spelling; the storage ensures that, because only it knows all names. */
export class Category {
  readonly id: number;
  #facts: Omit<CategorySnapshot, 'id'>;

  private constructor({ id, name, description }: CategorySnapshot) {
    assertId(id);
    assertName(name);
    assertDescription(description);
    this.id = id;
    this.#facts = { name, description };
  }

  static create({ id, name, description }: CategorySnapshot): Category {
    const category = new Category({ id, name: tidyText(name) });
    category.describe(description);
    return category;
  }

  static recall(snapshot: CategorySnapshot): Category {
    return new Category(snapshot);
  }

  snapshot(): CategorySnapshot {
    return { id: this.id, ...this.#facts };
  }

  get name(): string {
    return this.#facts.name;
  }

  get description(): string | undefined {
    return this.#facts.description;
  }

  /** Returns whether anything changed. */
  rename(name: string): boolean {
    const tidy = tidyText(name);
    if (tidy === this.name) return false;
    assertName(tidy);
    this.#facts = { ...this.#facts, name: tidy };
    return true;
  }

  /** Sets the description, or removes it. Returns whether anything changed. */
  describe(description: string | undefined): boolean {
    const tidy = description === undefined ? undefined : tidyText(description);
    if (tidy === this.description) return false;
    assertDescription(tidy);
    this.#facts = { ...this.#facts, description: tidy };
    return true;
  }
}
