import type { Clock } from './ports/clock.ts';
import { type IdempotencyRecord, RequestInProgress } from './ports/idempotency-store.ts';
import type { UnitOfWork } from './ports/unit-of-work.ts';
import { within } from './within.ts';

/** How long an outcome is kept, in milliseconds. */
export const KEPT_FOR = 24 * 60 * 60 * 1000;

const FORGET_AT_ONCE = 500;

export interface RepeatableRequest {
  /** Another for every other request, by whatever tells requests apart: an opaque text of up to 300 characters. */
  readonly id: string;
  /** The same for the same request, another for another one. */
  readonly fingerprint: string;
}

/** The answer to a request, and whether it was given before. */
export interface Told {
  readonly answer: string;
  readonly replayed: boolean;
}

/** What a request came to: an answer that is kept, along with what was done, or an error after which nothing is. */
export interface Deed {
  /** Does what was asked for, at desks that work within `work`, and gives the answer. */
  act(work: UnitOfWork): Promise<string>;
  /** The answer to an error, if it is one that a repeat shall get again; nothing was done then. */
  refusal(error: unknown): string | undefined;
}

/**
 * Sees to it that a request which is repeated is done once, and answered each time as the first time (IETF draft
 * "The Idempotency-Key HTTP Header Field"). The answer is kept in the unit of work of what was done, so that neither is there
 * without the other.
 */
export class Idempotency {
  readonly #work: UnitOfWork;
  readonly #clock: Clock;
  readonly #underWay = new Set<string>();

  constructor(work: UnitOfWork, clock: Clock) {
    this.#work = work;
    this.#clock = clock;
  }

  /**
   * Does it, or gives the answer that is kept. `work` is this request's own way to the unit of work.
   * @throws {RequestInProgress | KeyReused} and what `deed` throws and does not call a refusal
   */
  async once(request: RepeatableRequest, deed: Deed, work: UnitOfWork = this.#work): Promise<Told> {
    if (this.#underWay.has(request.id)) throw new RequestInProgress('The same request is in progress.');
    this.#underWay.add(request.id);
    try {
      return await this.#once(request, deed, work);
    } finally {
      this.#underWay.delete(request.id);
    }
  }

  /** Deletes the records that need not be kept any longer. Returns how many those were. */
  async sweep(): Promise<number> {
    const keptBefore = this.#clock.now() - KEPT_FOR;
    for (let swept = 0; ; ) {
      const forgotten = await this.#work.write(({ idempotency }) =>
        idempotency.deleteExpired(keptBefore, FORGET_AT_ONCE),
      );
      swept += forgotten;
      if (forgotten < FORGET_AT_ONCE) return swept;
    }
  }

  async #once(request: RepeatableRequest, deed: Deed, work: UnitOfWork): Promise<Told> {
    let refused: string | undefined;
    try {
      return await this.#keep(request, work, (inner) => deed.act(inner));
    } catch (error) {
      refused = deed.refusal(error);
      if (refused === undefined) throw error;
    }
    // What led to the refusal was undone; it is kept by itself, unless a repeat elsewhere was faster.
    const answer = refused;
    return this.#keep(request, work, async () => answer);
  }

  #keep(
    { id, fingerprint }: RepeatableRequest,
    work: UnitOfWork,
    act: (work: UnitOfWork) => Promise<string>,
  ): Promise<Told> {
    return work.write(async (scope) => {
      const now = this.#clock.now();
      const kept = await scope.idempotency.lock(id);
      if (kept && isFresh(kept, now)) {
        if (kept.fingerprint !== fingerprint) throw new KeyReused();
        return { answer: kept.response, replayed: true };
      }
      const answer = await act(within(scope));
      await scope.idempotency.save(id, { fingerprint, response: answer, savedAt: now });
      return { answer, replayed: false };
    });
  }
}

/** The key was given to another request before. */
export class KeyReused extends Error {
  override readonly name = 'KeyReused';
}

function isFresh({ savedAt }: IdempotencyRecord, now: number): boolean {
  return now < savedAt + KEPT_FOR;
}
