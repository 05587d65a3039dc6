import { type HttpError, unavailable } from '../http-error.ts';

/** A body that is being read: how many bytes of memory it has, and how to be rid of it. */
export interface IncomingBody {
  held: number;
  readonly giveUp: (reason: HttpError) => void;
}

/**
 * The memory for bodies that are being read, all together. When it is full, the one that has been in it for longest is given
 * up: who sends a body at once is done long before, and who holds one back makes room.
 */
export class BodyRoom {
  readonly #most: number;
  /** In the order in which they came in. */
  readonly #bodies = new Set<IncomingBody>();
  /** Those that are complete, with what is to be done with them. */
  readonly #complete: { readonly body: IncomingBody; readonly begin: () => void }[] = [];
  #held = 0;
  #givenUp = 0;

  /** In bytes. */
  constructor(most: number) {
    this.#most = most;
  }

  /** How many were given up so far. */
  get givenUp(): number {
    return this.#givenUp;
  }

  /** Gives whether the body may have so many bytes; it may itself be the one that is given up. */
  hold(body: IncomingBody, bytes: number): boolean {
    this.#bodies.add(body);
    this.#held += bytes - body.held;
    body.held = bytes;
    for (const oldest of this.#bodies) {
      if (this.#held <= this.#most) break;
      this.leave(oldest);
      this.#givenUp += 1;
      oldest.giveUp(tooMuchToRead());
    }
    return this.#bodies.has(body);
  }

  leave(body: IncomingBody): void {
    if (this.#bodies.delete(body)) this.#held -= body.held;
  }

  /**
   * For a body that is complete, and takes its time to be read as JSON: one leaves in each turn of the event loop, so that all
   * that is small is answered in between. Until then it may still be given up.
   */
  leaveInTurn(body: IncomingBody, begin: () => void): void {
    if (this.#complete.push({ body, begin }) === 1) setImmediate(() => this.#beginNext());
  }

  #beginNext(): void {
    const at = this.#complete.findIndex(({ body }) => this.#bodies.has(body));
    const next = at < 0 ? undefined : this.#complete[at];
    this.#complete.splice(0, at < 0 ? this.#complete.length : at + 1);
    if (this.#complete.length > 0) setImmediate(() => this.#beginNext());
    if (!next) return;
    this.leave(next.body);
    next.begin();
  }
}

/** The rest of the body is not read, so the connection ends. */
function tooMuchToRead(): HttpError {
  return unavailable(
    'The service is overloaded and stopped reading this body; the request was not processed. Try again in a moment.',
    'Connection',
    'close',
  );
}
