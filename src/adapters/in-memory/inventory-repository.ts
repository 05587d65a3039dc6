import type { InventoryRepository } from '../../application/ports/inventory-repository.ts';
import { InventoryItem } from '../../domain/inventory-item.ts';
import type { Draft } from './draft.ts';

export class InMemoryInventoryRepository implements InventoryRepository {
  readonly #draft: Draft;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  async lock(petId: number): Promise<InventoryItem | undefined> {
    const row = this.#draft.tables.pets.get(petId);
    return row && InventoryItem.recall({ ...row, petId });
  }

  async save(item: InventoryItem): Promise<void> {
    const { petId, ...stock } = item.snapshot();
    const row = this.#draft.tables.pets.get(petId);
    if (!row) throw new Error(`There is no pet ${petId} whose stock could be saved.`);
    this.#draft.tables.pets.update({ ...row, ...stock });
  }
}
