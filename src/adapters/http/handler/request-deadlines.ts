import { inBackground } from '../../../application/event-loop.ts';
import { StorageUnavailable, type UnitOfWork } from '../../../application/ports/unit-of-work.ts';
import { unavailable } from '../http-error.ts';

/** The work on one request, from when it was read until it is answered. */
export class RequestDeadline {
  readonly deadline: number;
  /** Its neighbours among those that are under way. */
  before: RequestDeadline | undefined;
  after: RequestDeadline | undefined;
  readonly #onOver: () => void;
  #state: 'open' | 'sealed' | 'over' = 'open';

  constructor(deadline: number, onOver: () => void) {
    this.deadline = deadline;
    this.#onOver = onOver;
  }

  /**
   * A unit of work that keeps nothing once the time is over. When it has done all and is about to be kept, the time does
   * not count any more: from there on only the storage knows how it ends, and that is what is answered.
   */
  limit(work: UnitOfWork): UnitOfWork {
    return {
      write: (unit) =>
        work.write(async (scope) => {
          // It may have waited for its turn, and its time may pass while it works.
          this.#mustBeInTime();
          const result = await unit(scope);
          this.#mustBeInTime();
          this.#state = 'sealed';
          return result;
        }),
    };
  }

  #mustBeInTime(): void {
    if (this.#state === 'over') throw new StorageUnavailable('The time limit of this request was exceeded.');
  }

  /** The time is over. */
  expire(): void {
    if (this.#state !== 'open') return;
    this.#state = 'over';
    this.#onOver();
  }
}

/**
 * Gives every request the same time, with one timer for all of them. Those under way are a list in the order in which they
 * began, and therefore in which their time is over: a map would be made anew all the time, as they come and go.
 */
export class RequestDeadlines {
  readonly #longest: number;
  #first: RequestDeadline | undefined;
  #last: RequestDeadline | undefined;
  #requestsInFlight = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** In milliseconds. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** How many are under way. */
  get requestsInFlight(): number {
    return this.#requestsInFlight;
  }

  /** `onOver` is called if the work has not ended in its time and nothing of it is about to be kept. */
  begin(onOver: () => void): RequestDeadline {
    const work = new RequestDeadline(performance.now() + this.#longest, onOver);
    work.before = this.#last;
    if (this.#last) this.#last.after = work;
    else this.#first = work;
    this.#last = work;
    this.#requestsInFlight += 1;
    if (!this.#timer) this.#timer = this.#wait(this.#longest);
    return work;
  }

  /**
   * Runs the verification of a credential, which comes before the work on a request and counts as under way too. A verifier that
   * never answers does not keep the request, nor its place. @throws {HttpError} `unavailable`
   */
  async duringVerification<Result>(verify: () => Promise<Result>): Promise<Result> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const message = `The credential was not verified within the time limit of ${this.#longest} ms. Try again in a moment.`;
    const work = this.begin(() => reject(unavailable(message)));
    try {
      return await Promise.race([verify(), late]);
    } finally {
      this.end(work);
    }
  }

  /** Does nothing for what has expired. */
  end(work: RequestDeadline): void {
    const { before, after } = work;
    if (!before && this.#first !== work) return;
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
    work.before = undefined;
    work.after = undefined;
    this.#requestsInFlight -= 1;
  }

  #wait(milliseconds: number): ReturnType<typeof setTimeout> {
    return inBackground(setTimeout(() => this.#expire(), milliseconds));
  }

  #expire(): void {
    const now = performance.now();
    this.#timer = undefined;
    for (let oldest = this.#first; oldest; oldest = this.#first) {
      if (oldest.deadline > now) {
        this.#timer = this.#wait(Math.ceil(oldest.deadline - now));
        return;
      }
      this.end(oldest);
      oldest.expire();
    }
  }
}
