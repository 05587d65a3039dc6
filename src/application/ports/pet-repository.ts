import type { InventoryItem } from '../../domain/inventory-item.ts';
import type { Pet } from '../../domain/pet.ts';

/** Stores the pets of the catalogue, inside a unit of work. */
export interface PetRepository {
  /** The identifier for the next pet: larger than every acknowledged one, deleted ones included. */
  nextId(): Promise<number>;
  /** The current pet; `undefined` if there is none. */
  find(id: number): Promise<Pet | undefined>;
  /** Stores a new pet together with its inventory entry; neither exists without the other. */
  add(pet: Pet, item: InventoryItem): Promise<void>;
  save(pet: Pet): Promise<void>;
  /** Deletes the pet, its inventory entry and its ledger entries. Only for a pet that no order refers to. */
  delete(id: number): Promise<void>;
}
