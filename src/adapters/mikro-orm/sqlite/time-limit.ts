import { StorageUnavailable } from '../../../application/ports/unit-of-work.ts';

/** How long each of several units of work may take, one after the other, with one timer for all of them. */
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

  /** From now on the next one has its time. Rejects when that is over. */
  next(): Promise<never> {
    this.#timer.refresh();
    return this.#over.promise;
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
