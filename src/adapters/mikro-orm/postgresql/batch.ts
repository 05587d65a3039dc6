import type { Job, Outcome } from './job.ts';
import { asStorageError, isConflict, isLost } from './postgresql-errors.ts';
import type { LockedElsewhere } from './querying.ts';
import type { FirstLocks } from './stock-locks.ts';
import type { Failure, Transaction } from './transaction.ts';

/**
 * A unit of work that does not ask the database for anything, at so many checks in succession, stops holding up the others of its
 * transaction. A check is late when the process is busy, so that nothing is measured by the clock alone.
 */
const CHECK_MS = 50;
const MOST_IDLE_CHECKS = 5;

/** Receives the units of work that have to run again. */
export interface Retries {
  /** It conflicted with others, or its connection was lost. */
  retry(job: Job, kind: 'conflict' | 'loss', error: unknown): void;
  /** It could not run, through no fault of its own. */
  requeue(job: Job): void;
}

/**
 * Units of work that share a transaction. They run one after the other, so that each sees what those before it did, and all of them
 * get their responses after the one commit. See docs/adr/0017-group-commit-on-postgresql.md.
 */
export class Batch {
  readonly #jobs: readonly Job[];
  readonly #transaction: Transaction;
  readonly #retries: Retries;
  readonly #idleCheck: IdleCheck | undefined;
  readonly #firstLocks: FirstLocks;
  readonly #outcomes = new Map<Job, Outcome>();
  /** What a unit of work threw because a statement of it failed. */
  readonly #thrown = new Map<Job, unknown>();
  readonly #takenBack = new Set<Job>();
  /** No other unit of work begins in this transaction. */
  #isClosed = false;
  /** A unit of work was interrupted while it waited for the server. */
  #isStuck = false;

  constructor(jobs: readonly Job[], transaction: Transaction, retries: Retries) {
    this.#jobs = jobs;
    this.#transaction = transaction;
    this.#retries = retries;
    const petIds = new Set(jobs.map(({ petId }) => petId));
    this.#firstLocks = { petIds: [...petIds].filter((petId) => petId !== undefined), isForAll: petIds.size === 1 };
    if (jobs.length > 1) this.#idleCheck = new IdleCheck(transaction);
  }

  /** Runs the units of work. Returns whether there is something to commit; otherwise the transaction has ended. */
  async run(): Promise<boolean> {
    const transaction = this.#transaction;
    const begun = transaction.begin(this.#firstLocks).then(
      () => true,
      () => true,
    );
    const allInterrupted = Promise.all(this.#jobs.map(({ interrupted }) => interrupted)).then(() => false);
    if (!(await Promise.race([begun, allInterrupted]))) this.#isStuck = true;

    for (const job of this.#jobs) {
      if (transaction.failure || this.#isStuck || this.#isClosed) break;
      if (!job.isSettled) await this.#take(job);
    }
    this.#idleCheck?.end();
    const isTooLate = [...this.#outcomes.keys()].some(({ isInterrupted }) => isInterrupted);
    if (transaction.failure || this.#isStuck || isTooLate) {
      await transaction.rollback();
      this.rolledBack();
      return false;
    }
    this.#putBackRest();
    const outcomes = [...this.#outcomes.values()];
    if (outcomes.some(({ done }) => done)) return true;
    await transaction.rollback();
    this.deliver();
    return false;
  }

  /** Its transaction has committed, or had nothing to commit: the units of work get what they came to. */
  deliver(): void {
    for (const [job, outcome] of this.#outcomes) job.resolve(outcome);
  }

  /** Nothing of the transaction was kept because of a statement. Units of work that are not to blame run again. */
  rolledBack(): void {
    const { failure } = this.#transaction;
    for (const job of this.#open()) {
      const { session } = job.attempt;
      if (!failure) this.#putBack(job);
      else if (isLost(failure.error)) this.#retry(job, 'loss', failure.error);
      else if (isConflict(failure.error) || session.isBehind) this.#retry(job, 'conflict', failure.error);
      else if (failure.part === session || this.#isForAll(failure)) this.#fail(job, failure.error);
      else this.#putBack(job);
    }
  }

  /** The commit failed, and nothing was kept. */
  notCommitted(kind: 'conflict' | 'loss', error: unknown): void {
    for (const job of this.#open()) this.#retry(job, kind, error);
  }

  reject(error: unknown): void {
    for (const job of this.#open()) job.reject(error);
  }

  async #take(job: Job): Promise<void> {
    const { session, ended } = job.attempt;
    session.start(this.#transaction);
    const stops = this.#idleCheck ? [job.interrupted, this.#idleCheck.begin()] : [job.interrupted];
    const outcome = await Promise.race([ended, ...stops]);
    session.end();
    if (!outcome) return this.#stop(job);
    if (session.lockedBy) return this.#wait(job, session.lockedBy);

    const { failure } = this.#transaction;
    if (failure) {
      if (!outcome.done) this.#thrown.set(job, outcome.error);
      if (failure.part !== session || !this.#canUndo(job) || isConflict(failure.error) || isLost(failure.error)) return;
      await this.#transaction.undo(session);
      if (session.isBehind) return this.#retry(job, 'conflict', failure.error);
      const error = outcome.done ? asStorageError(failure.error) : outcome.error;
      this.#outcomes.set(job, { done: false, error });
    } else {
      if (outcome.done) session.finish(this.#transaction);
      else if (this.#canUndo(job)) await this.#transaction.undo(session);
      this.#outcomes.set(job, outcome);
    }
    job.seal();
  }

  /** Ends a unit of work that did not end by itself: it was interrupted, or is idle and runs again in a transaction of its own. */
  async #stop(job: Job): Promise<void> {
    if (this.#transaction.isWaiting) this.#isStuck = true;
    else if (this.#canUndo(job)) await this.#transaction.undo(job.attempt.session);
    if (job.isSettled) return;
    this.#isClosed = true;
    job.isAlone = true;
    this.#requeue(job);
  }

  /** Runs again when what another transaction has locked is free. */
  async #wait(job: Job, lockedBy: LockedElsewhere): Promise<void> {
    if (this.#canUndo(job)) await this.#transaction.undo(job.attempt.session);
    job.waitFor(lockedBy);
    this.#requeue(job);
  }

  /** Whether a unit of work has written, behind a savepoint. */
  #canUndo({ attempt: { session } }: Job): boolean {
    return session.hasSent && this.#transaction.isShared;
  }

  /** Whether a failure is that of all: of the transaction itself, or of the lock that all of them waited for. */
  #isForAll({ part }: Failure): boolean {
    return part === undefined && this.#firstLocks.isForAll;
  }

  #fail(job: Job, error: unknown): void {
    job.reject(this.#thrown.has(job) ? this.#thrown.get(job) : asStorageError(error));
  }

  /** The units of work that have neither been answered nor taken back. */
  #open(): Job[] {
    return this.#jobs.filter((job) => !job.isSettled && !this.#takenBack.has(job));
  }

  #retry(job: Job, kind: 'conflict' | 'loss', error: unknown): void {
    this.#takenBack.add(job);
    this.#retries.retry(job, kind, error);
  }

  #requeue(job: Job): void {
    this.#takenBack.add(job);
    this.#retries.requeue(job);
  }

  #putBackRest(): void {
    for (const job of this.#open()) if (!this.#outcomes.has(job)) this.#putBack(job);
  }

  #putBack(job: Job): void {
    job.setBack();
    this.#requeue(job);
  }
}

/** Watches whether the unit of work whose turn it is neither ends nor waits for the database. */
class IdleCheck {
  readonly #timer: NodeJS.Timeout;
  #found = Promise.withResolvers<undefined>();
  #checks = 0;

  constructor(transaction: Transaction) {
    this.#timer = setInterval(() => {
      this.#checks = transaction.isWaiting ? 0 : this.#checks + 1;
      if (this.#checks === MOST_IDLE_CHECKS) this.#found.resolve(undefined);
    }, CHECK_MS);
  }

  /** Resolves if the turn that begins now is idle for too long. */
  begin(): Promise<undefined> {
    this.#checks = 0;
    this.#found = Promise.withResolvers();
    return this.#found.promise;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
