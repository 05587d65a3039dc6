import { abortable } from '../../application/abortable.ts';
import type { StorageUnavailable } from '../../application/ports/unit-of-work.ts';

/** Runs one unit of work at a time, in the order of the calls. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();
  #close: ((reason: StorageUnavailable) => void) | undefined;

  /**
   * Runs `unit` when every earlier one has ended; rejects with the reason of the signal if that is aborted before. `closed` never
   * resolves; it rejects when {@link close} is called, and `unit` has to end then.
   */
  runExclusive<Result>(
    signal: AbortSignal | undefined,
    unit: (closed: Promise<never>) => Promise<Result>,
  ): Promise<Result> {
    const earlier = this.#last;
    const turn = abortable(earlier, signal).then(async () => {
      const { promise: closed, reject } = Promise.withResolvers<never>();
      this.#close = reject;
      try {
        return await unit(closed);
      } finally {
        this.#close = undefined;
      }
    });
    this.#last = Promise.allSettled([earlier, turn]);
    return turn;
  }

  /** Aborts the running unit, if any. */
  close(reason: StorageUnavailable): void {
    this.#close?.(reason);
  }

  /** Resolves when every unit that was accepted so far has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
