import { RateLimiterMemory } from 'rate-limiter-flexible';

/** The key of the shared quota of all clients that exceed the limit. No client has this name. */
const OTHERS = '';

/**
 * The library's memory with a bounded number of clients: those that arrive while it is full share one quota. A cache that evicts
 * (lru-cache) would restore the quota of a client that others push out.
 */
export class BoundedMemory extends RateLimiterMemory {
  readonly #max: number;
  // The clients of the current window and of the one before: for any other client, the library stores nothing any more.
  #recent = new Set<string>();
  #earlier = new Set<string>();
  #turn = 0;

  /** `points` in a `duration` of seconds. */
  constructor(options: { readonly points: number; readonly duration: number }, max: number) {
    // A prefix would cost a new string per request, and no other limiter shares this memory.
    super({ ...options, keyPrefix: '' });
    this.#max = max;
  }

  override consume(caller: string, points?: number, options?: Record<string, unknown>) {
    this.#forget(Date.now());
    if (this.#recent.has(caller)) return super.consume(caller, points, options);
    if (!this.#earlier.delete(caller) && this.#isFull()) return super.consume(OTHERS, points, options);
    this.#recent.add(caller);
    return super.consume(caller, points, options);
  }

  override get(caller: string) {
    this.#forget(Date.now());
    const known = this.#recent.has(caller) || this.#earlier.has(caller) || !this.#isFull();
    return super.get(known ? caller : OTHERS);
  }

  #isFull(): boolean {
    return this.#recent.size + this.#earlier.size >= this.#max;
  }

  #forget(now: number): void {
    const late = now - this.#turn;
    // The window has not ended, unless the clock was set back.
    if (late < 0 && late >= -this.msDuration) return;
    this.#earlier = late >= 0 && late < this.msDuration ? this.#recent : new Set();
    this.#recent = new Set();
    this.#turn = now + this.msDuration;
  }
}
