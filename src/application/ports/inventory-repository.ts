import type { InventoryItem } from '../../domain/inventory-item.ts';

/** Stores inventory entries, inside a unit of work. */
export interface InventoryRepository {
  /**
   * The inventory entry of a pet; `undefined` if there is no such pet. The entry and the pet are locked for other units of work until
   * this one ends. A unit of work that changes a pet, its stock or its orders takes this lock before it writes.
   */
  lock(petId: number): Promise<InventoryItem | undefined>;
  save(item: InventoryItem): Promise<void>;
}
