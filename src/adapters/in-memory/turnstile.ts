import { StorageUnavailable } from '../../application/ports/unit-of-work.ts';

/** Lets one unit of work through at a time, in the order in which they came. */
export class Turnstile {
  #last: Promise<unknown> = Promise.resolve();
  #stop: ((reason: StorageUnavailable) => void) | undefined;

  /**
   * Runs `unit` when all that came before it has ended. `stopped` never resolves; it rejects when {@link stop} is called
   * or `limit` milliseconds are over, and `unit` has to end then. The limit keeps no process alive.
   */
  pass<Result>(limit: number, unit: (stopped: Promise<never>) => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(async () => {
      const { promise: stopped, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        reject(new StorageUnavailable(`A unit of work did not end within ${limit} ms and was rolled back.`));
      }, limit).unref();
      this.#stop = reject;
      try {
        return await unit(stopped);
      } finally {
        clearTimeout(timer);
        this.#stop = undefined;
      }
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Stops the unit that is passing, if there is one. */
  stop(reason: StorageUnavailable): void {
    this.#stop?.(reason);
  }

  /** Resolves when all that came so far has ended. */
  async empty(): Promise<void> {
    await this.#last;
  }
}
