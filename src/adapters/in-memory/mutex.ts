import { inBackground } from '../../application/event-loop.ts';
import { StorageUnavailable } from '../../application/ports/unit-of-work.ts';

/** Runs one unit of work at a time, in the order of the calls. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();
  #abort: ((reason: StorageUnavailable) => void) | undefined;

  /**
   * Runs `unit` when every earlier one has ended. `aborted` never resolves; it rejects when {@link abort} is called
   * or after `limit` milliseconds, and `unit` has to end then. The timer does not keep the process alive.
   */
  runExclusive<Result>(limit: number, unit: (aborted: Promise<never>) => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(async () => {
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      const timer = inBackground(
        setTimeout(() => {
          reject(new StorageUnavailable(`A unit of work did not end within ${limit} ms and was rolled back.`));
        }, limit),
      );
      this.#abort = reject;
      try {
        return await unit(aborted);
      } finally {
        clearTimeout(timer);
        this.#abort = undefined;
      }
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Aborts the unit that is running, if any. */
  abort(reason: StorageUnavailable): void {
    this.#abort?.(reason);
  }

  /** Resolves when every unit that was accepted so far has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
