import { inBackground } from '../../../application/event-loop.ts';
import { unavailable } from '../http-error.ts';

/** The deadline of one request, by the clock of `performance`. */
export class RequestDeadline {
  readonly at: number;
  readonly onExpired: () => void;
  /** Its neighbours in the list of requests in flight. */
  before: RequestDeadline | undefined;
  after: RequestDeadline | undefined;

  constructor(at: number, onExpired: () => void) {
    this.at = at;
    this.onExpired = onExpired;
  }
}

/**
 * Gives every request the same time, with one timer for all of them. The requests in flight are a linked list in the order in which
 * they began, and therefore in which they expire: adding and removing one allocates nothing else.
 */
export class RequestDeadlines {
  readonly #timeout: number;
  #first: RequestDeadline | undefined;
  #last: RequestDeadline | undefined;
  #requestsInFlight = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** In milliseconds. */
  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  get requestsInFlight(): number {
    return this.#requestsInFlight;
  }

  /** `onExpired` is called when the time is over, unless {@link end} is called before. */
  begin(onExpired: () => void): RequestDeadline {
    const deadline = new RequestDeadline(performance.now() + this.#timeout, onExpired);
    deadline.before = this.#last;
    if (this.#last) this.#last.after = deadline;
    else this.#first = deadline;
    this.#last = deadline;
    this.#requestsInFlight += 1;
    if (!this.#timer) this.#timer = this.#wait(this.#timeout);
    return deadline;
  }

  /**
   * Runs the verification of a credential, which precedes the processing of a request and counts as in flight too. A verifier that
   * never settles does not keep the request, nor its place. @throws {HttpError} `unavailable`
   */
  async duringVerification<Result>(verify: () => Promise<Result>): Promise<Result> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const message = `The credential was not verified within the time limit of ${this.#timeout} ms. Try again in a moment.`;
    const deadline = this.begin(() => reject(unavailable(message)));
    try {
      return await Promise.race([verify(), late]);
    } finally {
      this.end(deadline);
    }
  }

  /** Does nothing for a deadline that has expired. */
  end(deadline: RequestDeadline): void {
    const { before, after } = deadline;
    if (!before && this.#first !== deadline) return;
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
    deadline.before = undefined;
    deadline.after = undefined;
    this.#requestsInFlight -= 1;
  }

  #wait(milliseconds: number): ReturnType<typeof setTimeout> {
    return inBackground(setTimeout(() => this.#expire(), milliseconds));
  }

  #expire(): void {
    const now = performance.now();
    this.#timer = undefined;
    for (let oldest = this.#first; oldest; oldest = this.#first) {
      if (oldest.at > now) {
        this.#timer = this.#wait(Math.ceil(oldest.at - now));
        return;
      }
      this.end(oldest);
      oldest.onExpired();
    }
  }
}
