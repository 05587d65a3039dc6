import type { PetRepository } from '../../application/ports/pet-repository.ts';
import type { InventoryItem } from '../../domain/inventory-item.ts';
import { Pet, type PetSnapshot } from '../../domain/pet.ts';
import type { StagedChanges } from './staged-changes.ts';

export class InMemoryPetRepository implements PetRepository {
  readonly #staged: StagedChanges;

  constructor(staged: StagedChanges) {
    this.#staged = staged;
  }

  async nextId(): Promise<number> {
    return this.#staged.tables.pets.nextId();
  }

  async find(id: number): Promise<Pet | undefined> {
    const row = this.#staged.tables.pets.get(id);
    return row && Pet.recall(row);
  }

  async add(pet: Pet, item: InventoryItem): Promise<void> {
    const { petId, ...stock } = item.snapshot();
    if (petId !== pet.id) throw new Error(`Pet ${pet.id} cannot have the inventory entry of pet ${petId}.`);
    const row = pet.snapshot();
    this.#mustBelong(row);
    this.#staged.tables.pets.insert({ ...row, ...stock });
  }

  async save(pet: Pet): Promise<void> {
    const row = this.#staged.tables.pets.get(pet.id);
    if (!row) throw new Error(`There is no pet ${pet.id} to save.`);
    const changed = { ...row, ...pet.snapshot() };
    this.#mustBelong(changed);
    this.#staged.tables.pets.update(changed);
  }

  async delete(id: number): Promise<void> {
    const { pets, orders, movements } = this.#staged.tables;
    if (orders.has('petId', id)) throw new Error(`Pet ${id} is still named by orders.`);
    pets.delete(id);
    for (const movement of [...movements.having('petId', id)]) movements.delete(movement.id);
  }

  #mustBelong({ id, categoryId }: PetSnapshot): void {
    if (this.#staged.tables.categories.get(categoryId)) return;
    throw new Error(`Pet ${id} cannot belong to category ${categoryId}: there is none.`);
  }
}
