import { inLaterTurn } from '../../../application/event-loop.ts';
import { type HttpError, unavailable } from '../http-error.ts';

/** A body that is being read: how many bytes of memory it has, and how to be rid of it. */
export interface IncomingBody {
  bytes: number;
  readonly evict: (reason: HttpError) => void;
}

/**
 * The memory for bodies that are being read, all together. When it is full, the one that has been in it for longest is given
 * up: who sends a body at once is done long before, and who holds one back makes room.
 */
export class BodyMemoryBudget {
  readonly #budget: number;
  /** In the order in which they came in. */
  readonly #bodies = new Set<IncomingBody>();
  /** Those that are complete, with what is to be done with them. */
  readonly #complete: { readonly body: IncomingBody; readonly begin: () => void }[] = [];
  #reserved = 0;
  #evicted = 0;

  /** In bytes. */
  constructor(most: number) {
    this.#budget = most;
  }

  /** How many were given up so far. */
  get evicted(): number {
    return this.#evicted;
  }

  /** Gives whether the body may have so many bytes; it may itself be the one that is given up. */
  reserve(body: IncomingBody, bytes: number): boolean {
    this.#bodies.add(body);
    this.#reserved += bytes - body.bytes;
    body.bytes = bytes;
    for (const oldest of this.#bodies) {
      if (this.#reserved <= this.#budget) break;
      this.release(oldest);
      this.#evicted += 1;
      oldest.evict(tooMuchToRead());
    }
    return this.#bodies.has(body);
  }

  release(body: IncomingBody): void {
    if (this.#bodies.delete(body)) this.#reserved -= body.bytes;
  }

  /**
   * For a body that is complete, and takes its time to be read as JSON: one leaves in each turn of the event loop, so that all
   * that is small is answered in between. Until then it may still be given up.
   */
  releaseInTurn(body: IncomingBody, begin: () => void): void {
    if (this.#complete.push({ body, begin }) === 1) inLaterTurn(() => this.#beginNext());
  }

  #beginNext(): void {
    const at = this.#complete.findIndex(({ body }) => this.#bodies.has(body));
    const next = at < 0 ? undefined : this.#complete[at];
    this.#complete.splice(0, at < 0 ? this.#complete.length : at + 1);
    if (this.#complete.length > 0) inLaterTurn(() => this.#beginNext());
    if (!next) return;
    this.release(next.body);
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
