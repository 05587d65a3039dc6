import { inLaterTurn } from '../../../application/event-loop.ts';
import { type HttpError, unavailable } from '../http-error.ts';

/** In bytes. A larger body waits for a separate turn of the event loop before it is parsed as JSON. */
export const LARGE_BODY = 64 * 1024;

/** A body that is being read: the bytes of memory that it has reserved, and how to stop reading it. */
export interface IncomingBody {
  bytes: number;
  readonly evict: (reason: HttpError) => void;
}

/**
 * The memory for all bodies that are being read. When it is full, the oldest body is evicted: a client that sends its body without
 * delay has finished long before, and one that holds it back makes room.
 */
export class BodyMemoryBudget {
  readonly #budget: number;
  /** In the order of arrival. */
  readonly #bodies = new Set<IncomingBody>();
  /** Large bodies that are complete and wait for their turn. */
  readonly #complete: { readonly body: IncomingBody; readonly begin: () => void }[] = [];
  #reserved = 0;
  #evicted = 0;

  /** In bytes. */
  constructor(most: number) {
    this.#budget = most;
  }

  /** The number of bodies that were evicted so far. */
  get evicted(): number {
    return this.#evicted;
  }

  /** Returns whether the body may have so many bytes; it may itself be the one that is evicted. */
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
   * Releases the memory of a body that has arrived, and calls `begin`: at once for a small one. Large ones wait, because parsing them
   * takes time: one begins in each turn of the event loop, so that requests with small bodies are answered in between. A body that waits may
   * still be evicted.
   */
  complete(body: IncomingBody, size: number, begin: () => void): void {
    if (size > LARGE_BODY) {
      if (this.#complete.push({ body, begin }) === 1) inLaterTurn(() => this.#beginNext());
      return;
    }
    this.release(body);
    begin();
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
