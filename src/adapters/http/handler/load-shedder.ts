import { inBackground } from '../../../application/event-loop.ts';
import { unavailable } from '../http-error.ts';
import { BodyMemoryBudget } from './body-memory-budget.ts';
import type { RequestDeadlines } from './request-deadlines.ts';

const MEASURE_EVERY_MS = 50;

/** So many of the largest bodies are read at the same time, or more of smaller ones. */
const LARGEST_BODIES = 16;

export interface LoadShedderLimits {
  /** Requests that are worked on at the same time. */
  readonly requestsInFlight: number;
  /** How late the event loop may be, in milliseconds. */
  readonly eventLoopLag: number;
  /** The largest bodies, in bytes. */
  readonly body: number;
  readonly batchBody: number;
}

/**
 * Sheds requests during overload, early and cheaply, so that accepted ones are completed. It uses two measures: the number of
 * requests in flight (a slow storage lets them accumulate), and the event-loop lag (a
 * processor that has too much to do). Once late, it takes work again when the delay is half of what is allowed.
 */
export class LoadShedder {
  /** For what is read before it is work. */
  readonly bodies: BodyMemoryBudget;
  readonly #limits: LoadShedderLimits;
  readonly #deadlines: Pick<RequestDeadlines, 'requestsInFlight'>;
  readonly #timer: ReturnType<typeof setInterval>;
  #last = performance.now();
  #eventLoopLag = 0;
  #lagging = false;
  #shed = 0;
  #inMiddleware = 0;

  constructor(limits: LoadShedderLimits, deadlines: Pick<RequestDeadlines, 'requestsInFlight'>) {
    this.#limits = limits;
    this.#deadlines = deadlines;
    this.bodies = new BodyMemoryBudget(LARGEST_BODIES * Math.max(limits.body, limits.batchBody));
    this.#timer = inBackground(setInterval(() => this.#measure(), MEASURE_EVERY_MS));
  }

  /** How late the event loop was lately, in milliseconds. */
  get eventLoopLag(): number {
    return this.#eventLoopLag;
  }

  get requestsInFlight(): number {
    return this.#deadlines.requestsInFlight + this.#inMiddleware;
  }

  /** Counts a request as in flight until `leaveMiddleware`: while middleware of another team handles it. */
  enterMiddleware(): void {
    this.#inMiddleware += 1;
  }

  leaveMiddleware(): void {
    this.#inMiddleware -= 1;
  }

  /** How many requests were turned away so far. */
  get shed(): number {
    return this.#shed + this.bodies.evicted;
  }

  /** @throws {HttpError} `unavailable` */
  shedIfOverloaded(): void {
    if (!this.#lagging && this.requestsInFlight < this.#limits.requestsInFlight) return;
    this.#shed += 1;
    throw unavailable('The service is overloaded; the request was not processed. Try again in a moment.');
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** A peak counts at once and wears off by half at every look. */
  #measure(): void {
    const now = performance.now();
    this.#eventLoopLag = Math.max(now - this.#last - MEASURE_EVERY_MS, this.#eventLoopLag / 2, 0);
    this.#last = now;
    this.#lagging = this.#eventLoopLag > (this.#lagging ? this.#limits.eventLoopLag / 2 : this.#limits.eventLoopLag);
  }
}
