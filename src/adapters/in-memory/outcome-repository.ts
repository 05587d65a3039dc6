import type { Outcome, OutcomeRepository, RequestName } from '../../application/ports/outcome-repository.ts';
import type { Draft } from './draft.ts';
import type { OutcomeRow } from './store.ts';

/** Units of work pass one after the other, so that whoever reads an outcome is alone with it anyway. */
export class InMemoryOutcomeRepository implements OutcomeRepository {
  readonly #draft: Draft;

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  async lock(request: RequestName): Promise<Outcome | undefined> {
    const row = this.#find(request);
    return row && { fingerprint: row.fingerprint, answer: row.answer, at: row.at };
  }

  async keep(request: RequestName, { fingerprint, answer, at }: Outcome): Promise<void> {
    const { outcomes } = this.#draft.tables;
    const outcome = { request: textOf(request), fingerprint, answer, at };
    const kept = this.#find(request);
    if (kept) outcomes.update({ ...outcome, id: kept.id });
    else outcomes.insert({ ...outcome, id: outcomes.nextId() });
  }

  async forget(keptBefore: number, most: number): Promise<number> {
    const { outcomes } = this.#draft.tables;
    const old: number[] = [];
    for (const { id, at } of outcomes.sorted('at')) {
      if (at >= keptBefore || old.length >= most) break;
      old.push(id);
    }
    for (const id of old) outcomes.delete(id);
    return old.length;
  }

  #find(request: RequestName): OutcomeRow | undefined {
    return this.#draft.tables.outcomes.having('request', textOf(request)).next().value;
  }
}

/** One text for the three, another for every other three. */
function textOf({ caller, operation, key }: RequestName): string {
  return JSON.stringify([caller, operation, key]);
}
