import { StorageUnavailable } from '../../../application/ports/unit-of-work.ts';

/** The time limit of each of several units of work that run one after the other, with one timer for all of them. */
export class TimeLimit {
  readonly #timer: NodeJS.Timeout;
  #over = Promise.withResolvers<never>();

  /** In milliseconds. */
  constructor(longest: number) {
    this.#timer = setTimeout(() => {
      const { promise, reject } = this.#over;
      this.#over = Promise.withResolvers();
      promise.catch(() => undefined);
      reject(new StorageUnavailable(`A unit of work took longer than ${longest} ms.`));
    }, longest);
  }

  /** Starts the time of the next unit of work. The promise rejects when the time is over. */
  next(): Promise<never> {
    this.#timer.refresh();
    return this.#over.promise;
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
