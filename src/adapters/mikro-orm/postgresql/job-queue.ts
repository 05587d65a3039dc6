import type { Job } from './job.ts';

/** The units of work that wait for a connection, and the pets that the transactions of this node have locked. */
export class JobQueue {
  #waiting: Job[] = [];
  readonly #holders = new Map<number, object>();

  add(job: Job): void {
    job.queuedAt = performance.now();
    this.#waiting.push(job);
  }

  /** Whether a job could be taken now. */
  get isReady(): boolean {
    return this.#waiting.some((job) => this.#canRun(job));
  }

  /**
   * Takes what can share one transaction now, in the order of arrival, and marks its pets as held by `holder`. A job whose pet
   * another transaction of this node holds stays: it would only wait for it, with a connection. Jobs that wait for the lock of
   * another session share a transaction with those alone that wait for the same one.
   */
  take(holder: object): Job[] {
    const taken: Job[] = [];
    const left: Job[] = [];
    let room = Number.POSITIVE_INFINITY;
    for (const job of this.#waiting) {
      if (job.isSettled) continue;
      if (taken.length < Math.min(room, job.company) && this.#canRun(job) && areCompatible(taken[0], job)) {
        taken.push(job);
        room = Math.min(room, job.company);
      } else left.push(job);
    }
    this.#waiting = left;
    for (const { petId } of taken) if (petId !== undefined) this.#holders.set(petId, holder);
    return taken;
  }

  /** Marks a pet as held, unless another transaction of this node holds it. */
  hold(petId: number, holder: object): boolean {
    const current = this.#holders.get(petId) ?? holder;
    if (current !== holder) return false;
    this.#holders.set(petId, holder);
    return true;
  }

  release(holder: object): void {
    for (const [petId, each] of this.#holders) if (each === holder) this.#holders.delete(petId);
  }

  /** Takes all that were queued before a moment. */
  takeOlderThan(moment: number): Job[] {
    const old = this.#waiting.filter(({ queuedAt }) => queuedAt <= moment);
    this.#waiting = this.#waiting.filter(({ queuedAt }) => queuedAt > moment);
    return old;
  }

  #canRun(job: Job): boolean {
    return job.isAlone || job.petId === undefined || !this.#holders.has(job.petId);
  }
}

function areCompatible(first: Job | undefined, job: Job): boolean {
  if (!first) return true;
  if (first.isContended || job.isContended) {
    return first.isContended && job.isContended && first.petId === job.petId;
  }
  return !first.isAlone && !job.isAlone;
}
