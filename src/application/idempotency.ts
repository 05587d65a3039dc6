import { inSameTransaction } from './in-same-transaction.ts';
import type { Clock } from './ports/clock.ts';
import { type IdempotencyRecord, RequestInProgress } from './ports/idempotency-store.ts';
import type { UnitOfWork } from './ports/unit-of-work.ts';

/** How long an outcome is kept, in milliseconds. */
export const RETENTION_MS = 24 * 60 * 60 * 1000;

const PURGE_BATCH = 500;

export interface RepeatableRequest {
  /** Another for every other request, by whatever tells requests apart: an opaque text of up to 300 characters. */
  readonly id: string;
  /** The same for the same request, another for another one. */
  readonly fingerprint: string;
}

/** The answer to a request, and whether it was given before. */
export interface Execution {
  readonly response: string;
  readonly replayed: boolean;
}

/** What a request came to: an answer that is kept, along with what was done, or an error after which nothing is. */
export interface IdempotentAction {
  /** Does what was asked for, at desks that work within `work`, and gives the answer. */
  execute(work: UnitOfWork): Promise<string>;
  /** The answer to an error, if it is one that a repeat shall get again; nothing was done then. */
  refusalOf(error: unknown): string | undefined;
}

/**
 * Sees to it that a request which is repeated is done once, and answered each time as the first time (IETF draft
 * "The Idempotency-Key HTTP Header Field"). The answer is kept in the unit of work of what was done, so that neither is there
 * without the other.
 */
export class Idempotency {
  readonly #work: UnitOfWork;
  readonly #clock: Clock;
  readonly #inProgress = new Set<string>();

  constructor(work: UnitOfWork, clock: Clock) {
    this.#work = work;
    this.#clock = clock;
  }

  /**
   * Does it, or gives the answer that is kept. `work` is this request's own way to the unit of work.
   * @throws {RequestInProgress | KeyReused} and what the action throws and does not call a refusal
   */
  async execute(
    request: RepeatableRequest,
    action: IdempotentAction,
    work: UnitOfWork = this.#work,
  ): Promise<Execution> {
    if (this.#inProgress.has(request.id)) throw new RequestInProgress('The same request is in progress.');
    this.#inProgress.add(request.id);
    try {
      return await this.#execute(request, action, work);
    } finally {
      this.#inProgress.delete(request.id);
    }
  }

  /** Deletes the records that need not be kept any longer. Returns how many those were. */
  async purgeExpired(): Promise<number> {
    const keptBefore = this.#clock.now() - RETENTION_MS;
    for (let swept = 0; ; ) {
      const forgotten = await this.#work.write(({ idempotency }) => idempotency.deleteExpired(keptBefore, PURGE_BATCH));
      swept += forgotten;
      if (forgotten < PURGE_BATCH) return swept;
    }
  }

  async #execute(request: RepeatableRequest, action: IdempotentAction, work: UnitOfWork): Promise<Execution> {
    let refused: string | undefined;
    try {
      return await this.#executeIn(request, work, (inner) => action.execute(inner));
    } catch (error) {
      refused = action.refusalOf(error);
      if (refused === undefined) throw error;
    }
    // What led to the refusal was undone; it is kept by itself, unless a repeat elsewhere was faster.
    const response = refused;
    return this.#executeIn(request, work, async () => response);
  }

  #executeIn(
    { id, fingerprint }: RepeatableRequest,
    work: UnitOfWork,
    act: (work: UnitOfWork) => Promise<string>,
  ): Promise<Execution> {
    return work.write(async (scope) => {
      const now = this.#clock.now();
      const kept = await scope.idempotency.lock(id);
      if (kept && isFresh(kept, now)) {
        if (kept.fingerprint !== fingerprint) throw new KeyReused();
        return { response: kept.response, replayed: true };
      }
      const response = await act(inSameTransaction(scope));
      await scope.idempotency.save(id, { fingerprint, response, savedAt: now });
      return { response, replayed: false };
    });
  }
}

/** The key was given to another request before. */
export class KeyReused extends Error {
  override readonly name = 'KeyReused';
}

function isFresh({ savedAt }: IdempotencyRecord, now: number): boolean {
  return now < savedAt + RETENTION_MS;
}
