import type { LockedElsewhere } from './querying.ts';
import type { PostgresqlWriteSession } from './write-session.ts';

/** How often a unit of work is begun at most if it conflicts with others each time, or if its connection is lost each time. */
const MOST_CONFLICTS = 100;
const MOST_LOSSES = 4;

/** How many units of work share one transaction at most. PostgreSQL keeps track of 64 subtransactions without a lookup. */
const MOST_PER_TRANSACTION = 64;

/** How one attempt ended. */
export type Outcome =
  | { readonly done: true; readonly result: unknown }
  | { readonly done: false; readonly error: unknown };

/** One run of the work, with a session of its own. It runs up to its first statement, and then waits for its turn. */
export interface Attempt {
  readonly session: PostgresqlWriteSession;
  readonly ended: Promise<Outcome>;
}

/** One call of `write`, over all its attempts. */
export class Job {
  /** Resolves to the result of the call. */
  readonly result: Promise<unknown>;
  /** When it was queued last, as `performance.now()`. */
  queuedAt = 0;
  /** Whether another session has locked the pet that it wants: it waits for the lock in a transaction that holds no other. */
  isContended = false;
  /** Whether it has a transaction to itself. */
  isAlone = false;
  readonly #begin: () => Attempt;
  readonly #signal: AbortSignal | undefined;
  readonly #settled = Promise.withResolvers<unknown>();
  readonly #interrupted = Promise.withResolvers<void>();
  #attempt: Attempt;
  #petId: number | undefined;
  /** What it was interrupted with, which counts unless its commit was under way already. */
  #interruption: { readonly error: unknown } | undefined;
  #isSettled = false;
  #isSealed = false;
  #conflicts = 0;
  #losses = 0;
  #setbacks = 0;

  constructor(begin: () => Attempt, signal: AbortSignal | undefined) {
    this.#begin = begin;
    this.#signal = signal;
    this.result = this.#settled.promise;
    signal?.addEventListener('abort', this.#abort);
    this.#attempt = begin();
  }

  get attempt(): Attempt {
    return this.#attempt;
  }

  /** The pet that it locks first, as far as that is known. */
  get petId(): number | undefined {
    return this.#attempt.session.petId ?? this.#petId;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Whether it has come to its end, and the commit decides. */
  get isSealed(): boolean {
    return this.#isSealed;
  }

  /** How many units of work may share a transaction with it: fewer after each setback. */
  get company(): number {
    return this.isAlone ? 1 : Math.max(1, MOST_PER_TRANSACTION >> (2 * this.#setbacks));
  }

  /** Whether its signal was aborted, perhaps after it had come to its end. */
  get isInterrupted(): boolean {
    return this.#interruption !== undefined;
  }

  /** Resolves when its signal is aborted before its end. */
  get interrupted(): Promise<void> {
    return this.#interrupted.promise;
  }

  /** It has come to its end: from now on, the commit decides. */
  seal(): void {
    this.#isSealed = true;
  }

  resolve(outcome: Outcome): void {
    if (!outcome.done) return this.reject(outcome.error);
    this.#settle();
    this.#settled.resolve(outcome.result);
  }

  reject(error: unknown): void {
    this.#settle();
    this.#settled.reject(error);
  }

  /** Prepares another attempt beside fewer others, or rejects with the error if it had enough of them. Returns the pause before it. */
  retryAfter(kind: 'conflict' | 'loss', error: unknown): number | undefined {
    const tries = kind === 'loss' ? ++this.#losses : ++this.#conflicts;
    if (this.#interruption || this.#conflicts === MOST_CONFLICTS || this.#losses === MOST_LOSSES) {
      this.reject(this.#interruption?.error ?? error);
      return undefined;
    }
    if (kind === 'conflict') this.#setbacks += 1;
    return Math.random() * Math.min(2 ** tries, 100);
  }

  /** It could not run because of another one in the same transaction. */
  setBack(): void {
    this.#setbacks += 1;
  }

  /** Runs again when what another transaction has locked is free. One that locks several things waits in a transaction of its own. */
  waitFor({ petId, by }: LockedElsewhere): void {
    if (petId === undefined || this.#attempt.session.locksSeveral) this.isAlone = true;
    this.isContended = by === 'another session';
    this.#petId = petId;
  }

  /** Runs the work again, with another session, unless it was interrupted. */
  beginAgain(): void {
    if (this.#interruption) return this.reject(this.#interruption.error);
    this.#petId = this.petId;
    this.#isSealed = false;
    this.#attempt.session.end();
    this.#attempt = this.#begin();
  }

  readonly #abort = (): void => {
    this.#interruption = { error: this.#signal?.reason };
    if (this.#isSealed || this.#isSettled) return;
    this.reject(this.#interruption.error);
    this.#interrupted.resolve();
  };

  #settle(): void {
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#isSettled = true;
    this.#attempt.session.end();
  }
}
