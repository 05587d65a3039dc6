import type { InventoryRepository } from '../../application/ports/inventory-repository.ts';
import { InventoryItem } from '../../domain/inventory-item.ts';
import type { StagedChanges } from './staged-changes.ts';

export class InMemoryInventoryRepository implements InventoryRepository {
  readonly #staged: StagedChanges;

  constructor(staged: StagedChanges) {
    this.#staged = staged;
  }

  async lock(petId: number): Promise<InventoryItem | undefined> {
    const row = this.#staged.tables.pets.get(petId);
    return row && InventoryItem.recall({ ...row, petId });
  }

  async save(item: InventoryItem): Promise<void> {
    const { petId, ...stock } = item.snapshot();
    const row = this.#staged.tables.pets.get(petId);
    if (!row) throw new Error(`There is no pet ${petId} whose stock could be saved.`);
    this.#staged.tables.pets.update({ ...row, ...stock });
  }
}
