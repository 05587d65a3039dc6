import { assertId, assertName } from './limits.ts';
import { tidyText } from './text.ts';

export interface PetSnapshot {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
}

/** A pet of the catalogue: its name and its category. Its stock is in its `InventoryItem`. */
export class Pet {
  readonly id: number;
  #facts: Omit<PetSnapshot, 'id'>;

  private constructor({ id, name, categoryId }: PetSnapshot) {
    assertId(id);
    assertName(name);
    assertId(categoryId);
    this.id = id;
    this.#facts = { name, categoryId };
  }

  static create(snapshot: PetSnapshot): Pet {
    return new Pet({ ...snapshot, name: tidyText(snapshot.name) });
  }

  static recall(snapshot: PetSnapshot): Pet {
    return new Pet(snapshot);
  }

  snapshot(): PetSnapshot {
    return { id: this.id, ...this.#facts };
  }

  get name(): string {
    return this.#facts.name;
  }

  get categoryId(): number {
    return this.#facts.categoryId;
  }

  /** Returns whether anything changed. */
  rename(name: string): boolean {
    const tidy = tidyText(name);
    if (tidy === this.name) return false;
    assertName(tidy);
    this.#facts = { ...this.#facts, name: tidy };
    return true;
  }

  /** Returns whether anything changed. */
  moveTo(categoryId: number): boolean {
    if (categoryId === this.categoryId) return false;
    assertId(categoryId);
    this.#facts = { ...this.#facts, categoryId };
    return true;
  }
}
