import { RateLimiterMemory } from 'rate-limiter-flexible';

/** The share of all who come when there is no room for shares of their own. Nobody is called this. */
const OTHERS = '';

/** The library's memory, which keeps no more than so many callers apart: whoever comes when it is full shares one share. */
export class BoundedMemory extends RateLimiterMemory {
  readonly #most: number;
  // Who came lately, in two generations of a window each: of whoever is in neither nothing is kept any more.
  #recent = new Set<string>();
  #earlier = new Set<string>();
  #turn = 0;

  /** `points` in a `duration` of seconds. */
  constructor(options: { readonly points: number; readonly duration: number }, most: number) {
    // Nobody else counts in here, and a name with a prefix would be put together anew each time.
    super({ ...options, keyPrefix: '' });
    this.#most = most;
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
    return this.#recent.size + this.#earlier.size >= this.#most;
  }

  #forget(now: number): void {
    const late = now - this.#turn;
    // Before the turn, unless the clock was set back.
    if (late < 0 && late >= -this.msDuration) return;
    this.#earlier = late >= 0 && late < this.msDuration ? this.#recent : new Set();
    this.#recent = new Set();
    this.#turn = now + this.msDuration;
  }
}
