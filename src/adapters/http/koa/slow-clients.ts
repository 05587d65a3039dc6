import type { ServerResponse } from 'node:http';

/** All answers that wait for their readers, together, in bytes. */
const MOST_WAITING = 128 * 1024 * 1024;

interface Waiting {
  readonly deadline: number;
  readonly bytes: number;
}

/**
 * Node has no time-out for a client that does not read its answer. Answers that could not be handed to the network at once
 * are watched here, and their connections reset when they have waited too long, or for longest of too many: closed in good
 * order, the system would keep what was not read for minutes.
 */
export class SlowClients {
  readonly #longest: number;
  /** In the order in which they began to wait. */
  readonly #waiting = new Map<ServerResponse, Waiting>();
  #bytes = 0;
  #sweep: NodeJS.Timeout | undefined;

  /** `longest`: how long an answer may wait, in milliseconds. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  watch(response: ServerResponse): void {
    response.once('prefinish', () => {
      const bytes = response.socket?.writableLength ?? 0;
      if (bytes === 0) return;
      this.#waiting.set(response, { deadline: performance.now() + this.#longest, bytes });
      this.#bytes += bytes;
      response.once('close', () => this.#forget(response));
      this.#sweep ??= setInterval(() => this.#cutLate(), Math.min(1000, this.#longest)).unref();
      for (const [oldest] of this.#waiting) {
        if (this.#bytes <= MOST_WAITING) break;
        this.#cut(oldest);
      }
    });
  }

  close(): void {
    clearInterval(this.#sweep);
  }

  #cutLate(): void {
    const now = performance.now();
    for (const [response, { deadline }] of this.#waiting) if (now > deadline) this.#cut(response);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  #cut(response: ServerResponse): void {
    this.#forget(response);
    response.socket?.resetAndDestroy();
  }

  #forget(response: ServerResponse): void {
    this.#bytes -= this.#waiting.get(response)?.bytes ?? 0;
    this.#waiting.delete(response);
  }
}
