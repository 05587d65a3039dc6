import { StorageUnavailable, type UnitOfWork } from '../../../application/ports/unit-of-work.ts';

/** The work on one request, from when it was read until it is answered. */
export class Work {
  readonly #onOver: () => void;
  #state: 'open' | 'sealed' | 'over' = 'open';

  constructor(onOver: () => void) {
    this.#onOver = onOver;
  }

  /**
   * A unit of work that keeps nothing once the time is over. When it has done all and is about to be kept, the time does
   * not count any more: from there on only the storage knows how it ends, and that is what is answered.
   */
  limit(work: UnitOfWork): UnitOfWork {
    return {
      write: (unit) =>
        work.write(async (scope) => {
          // It may have waited for its turn, and its time may pass while it works.
          this.#mustBeInTime();
          const result = await unit(scope);
          this.#mustBeInTime();
          this.#state = 'sealed';
          return result;
        }),
    };
  }

  #mustBeInTime(): void {
    if (this.#state === 'over')
      throw new StorageUnavailable('The time for this request was over before its work was done.');
  }

  /** The time is over. */
  expire(): void {
    if (this.#state !== 'open') return;
    this.#state = 'over';
    this.#onOver();
  }
}

/** Gives every request the same time, with one timer for all of them. */
export class WorkTime {
  readonly #longest: number;
  /** In the order in which they began, and therefore in which their time is over. */
  readonly #underWay = new Map<Work, number>();
  #timer: NodeJS.Timeout | undefined;

  /** In milliseconds. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** How many are under way. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** `onOver` is called if the work has not ended in its time and nothing of it is about to be kept. */
  begin(onOver: () => void): Work {
    const work = new Work(onOver);
    this.#underWay.set(work, performance.now() + this.#longest);
    if (!this.#timer) this.#timer = this.#wait(this.#longest);
    return work;
  }

  end(work: Work): void {
    this.#underWay.delete(work);
  }

  #wait(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#expire(), milliseconds).unref();
  }

  #expire(): void {
    const now = performance.now();
    this.#timer = undefined;
    for (const [work, deadline] of this.#underWay) {
      if (deadline > now) {
        this.#timer = this.#wait(Math.ceil(deadline - now));
        return;
      }
      this.#underWay.delete(work);
      work.expire();
    }
  }
}
