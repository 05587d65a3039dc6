import { StorageUnavailable } from '../../../application/ports/unit-of-work.ts';

/** A time limit for one or several promises. */
export class Deadline {
  readonly #timer: NodeJS.Timeout;
  readonly #over = Promise.withResolvers<never>();
  #isOver = false;

  /** In milliseconds from now. */
  constructor(timeout: number) {
    this.#over.promise.catch(() => undefined);
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#over.reject(new StorageUnavailable(`It took longer than ${timeout} ms.`));
    }, timeout);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Rejects if the time is over before the promise settles; what it settles to after that is ignored. */
  limit<Result>(promise: Promise<Result>): Promise<Result> {
    return Promise.race([promise, this.#over.promise]);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** The least limit of a statement, however short that of a unit of work is: migrations need it. In milliseconds. */
const LEAST_STATEMENT_MS = 5_000;
/** How long a statement waits for a row that another transaction has locked, in milliseconds. */
const LOCK_MS = 5_000;

/**
 * The limits that the server applies, for a unit of work that may take `work` milliseconds. It has a deadline of its own; these are for a
 * node that hangs, and for locks.
 */
export function serverTimeouts(work: number) {
  const statement = Math.max(work, LEAST_STATEMENT_MS);
  return {
    statement_timeout: statement,
    lock_timeout: Math.min(work, LOCK_MS),
    idle_in_transaction_session_timeout: statement,
  };
}
