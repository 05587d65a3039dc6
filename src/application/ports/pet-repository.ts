import type { InventoryItem } from '../../domain/inventory-item.ts';
import type { Pet } from '../../domain/pet.ts';

/** Remembers the catalogue's pets, inside a unit of work. */
export interface PetRepository {
  /** The identifier for the next pet: larger than all that were acknowledged, also of what was deleted since. */
  nextId(): Promise<number>;
  /** The pet, as it is now; `undefined` if there is none. */
  find(id: number): Promise<Pet | undefined>;
  /** Keeps a new pet together with its inventory entry: there is never one without the other. */
  add(pet: Pet, item: InventoryItem): Promise<void>;
  save(pet: Pet): Promise<void>;
  /** Forgets the pet, its inventory entry and its ledger entries. Only for a pet that no order names. */
  delete(id: number): Promise<void>;
}
