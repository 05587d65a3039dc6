import { StorageUnavailable } from '../../../application/ports/unit-of-work.ts';

/** A time within which something has to be done, and after which it is late. */
export class Deadline {
  readonly #timer: NodeJS.Timeout;
  readonly #over = Promise.withResolvers<never>();
  #isOver = false;

  /** In milliseconds from now. */
  constructor(longest: number) {
    this.#over.promise.catch(() => undefined);
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#over.reject(new StorageUnavailable(`It took longer than ${longest} ms.`));
    }, longest);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Rejects when the time is over before it has ended; what comes of it after that is nobody's business. */
  limit<Result>(doing: Promise<Result>): Promise<Result> {
    return Promise.race([doing, this.#over.promise]);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
