import type { ServerResponse } from 'node:http';

/**
 * Node has no time-out for a client that does not read its answer. Answers that could not be handed to the network at once
 * are watched here, and their connections reset when they have waited too long: closed in good order, the system would
 * keep what was not read for minutes.
 */
export class SlowReaders {
  readonly #longest: number;
  readonly #waiting = new Map<ServerResponse, number>();
  #sweep: NodeJS.Timeout | undefined;

  /** `longest`: how long an answer may wait, in milliseconds. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  watch(response: ServerResponse): void {
    response.once('prefinish', () => {
      if (!response.socket?.writableLength) return;
      this.#waiting.set(response, performance.now() + this.#longest);
      response.once('close', () => this.#waiting.delete(response));
      this.#sweep ??= setInterval(() => this.#cutLate(), Math.min(1000, this.#longest)).unref();
    });
  }

  close(): void {
    clearInterval(this.#sweep);
  }

  #cutLate(): void {
    const now = performance.now();
    for (const [response, deadline] of this.#waiting) if (now > deadline) response.socket?.resetAndDestroy();
    if (this.#waiting.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}
