import type { IdempotencyRecord, IdempotencyStore } from '../../application/ports/idempotency-store.ts';
import type { StagedChanges } from './staged-changes.ts';
import type { IdempotencyRow } from './store.ts';

/** Units of work run one after the other, so a record needs no lock of its own. */
export class InMemoryIdempotencyStore implements IdempotencyStore {
  readonly #staged: StagedChanges;

  constructor(staged: StagedChanges) {
    this.#staged = staged;
  }

  async lock(requestId: string): Promise<IdempotencyRecord | undefined> {
    const row = this.#find(requestId);
    return row && { fingerprint: row.fingerprint, response: row.response, savedAt: row.savedAt };
  }

  async save(requestId: string, { fingerprint, response, savedAt }: IdempotencyRecord): Promise<void> {
    const { idempotency } = this.#staged.tables;
    const record = { requestId, fingerprint, response, savedAt };
    const saved = this.#find(requestId);
    if (saved) idempotency.update({ ...record, id: saved.id });
    else idempotency.insert({ ...record, id: idempotency.nextId() });
  }

  async deleteExpired(savedBefore: number, most: number): Promise<number> {
    const { idempotency } = this.#staged.tables;
    const expired: number[] = [];
    for (const { id, savedAt } of idempotency.sorted('savedAt')) {
      if (savedAt >= savedBefore || expired.length >= most) break;
      expired.push(id);
    }
    for (const id of expired) idempotency.delete(id);
    return expired.length;
  }

  #find(requestId: string): IdempotencyRow | undefined {
    return this.#staged.tables.idempotency.having('requestId', requestId).next().value;
  }
}
