import type { InventoryItem } from '../../domain/inventory-item.ts';

/** Remembers what is in stock, inside a unit of work. */
export interface InventoryRepository {
  /**
   * The inventory entry of a pet, and with it the pet, kept from other units of work until this one ends;
   * `undefined` if there is no such pet. Whoever changes a pet, its stock or its orders goes through here first.
   */
  lock(petId: number): Promise<InventoryItem | undefined>;
  save(item: InventoryItem): Promise<void>;
}
