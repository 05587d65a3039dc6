import type { Ledger } from '../../application/ports/ledger.ts';
import type { LedgerEntry } from '../../domain/stock-movement.ts';
import type { StagedChanges } from './staged-changes.ts';

export class InMemoryLedger implements Ledger {
  readonly #staged: StagedChanges;

  constructor(staged: StagedChanges) {
    this.#staged = staged;
  }

  async append(entry: LedgerEntry): Promise<void> {
    const { movements, pets } = this.#staged.tables;
    if (!pets.get(entry.petId)) throw new Error(`There is no pet ${entry.petId} whose stock could have moved.`);
    movements.insert({ ...entry, id: movements.nextId() });
  }
}
