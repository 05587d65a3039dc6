import { StorageUnavailable } from '../../../application/ports/unit-of-work.ts';

/** A time limit for one or several promises. */
export class Deadline {
  readonly #timer: NodeJS.Timeout;
  readonly #over = Promise.withResolvers<never>();
  #isOver = false;

  /** In milliseconds from now. */
  constructor(timeout: number) {
    this.#over.promise.catch(() => undefined);
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#over.reject(new StorageUnavailable(`It took longer than ${timeout} ms.`));
    }, timeout);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Rejects if the time is over before the promise settles; what it settles to after that is ignored. */
  limit<Result>(promise: Promise<Result>): Promise<Result> {
    return Promise.race([promise, this.#over.promise]);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
