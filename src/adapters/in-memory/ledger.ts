import type { Ledger } from '../../application/ports/ledger.ts';
import type { LedgerEntry } from '../../domain/stock-movement.ts';
import type { Draft } from './draft.ts';

export class InMemoryLedger implements Ledger {
  readonly #draft: Draft;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  async append(entry: LedgerEntry): Promise<void> {
    const { movements, pets } = this.#draft.tables;
    if (!pets.get(entry.petId)) throw new Error(`There is no pet ${entry.petId} whose stock could have moved.`);
    movements.insert({ ...entry, id: movements.nextId() });
  }
}
