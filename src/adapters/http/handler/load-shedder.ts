import { inBackground } from '../../../application/event-loop.ts';
import { unavailable } from '../http-error.ts';
import { BodyMemoryBudget } from './body-memory-budget.ts';
import type { RequestDeadlines } from './request-deadlines.ts';

const MEASURE_EVERY_MS = 50;

/** How many of the largest bodies are read at the same time; smaller ones may be more. */
const LARGEST_BODIES = 16;

export interface LoadShedderLimits {
  /** Requests that are processed at the same time. */
  readonly requestsInFlight: number;
  /** The maximum lag of the event loop, in milliseconds. */
  readonly eventLoopLag: number;
  /** The largest bodies, in bytes. */
  readonly body: number;
  readonly batchBody: number;
}

/**
 * Sheds requests during overload, early and cheaply, so that accepted ones are completed. It uses two measures: the number of
 * requests in flight (a slow storage lets them accumulate), and the event-loop lag (an
 * overloaded processor). After the lag exceeded its limit, it accepts requests again when the lag is half of the limit.
 */
export class LoadShedder {
  /** The memory for bodies that are being read. */
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

  /** The recent lag of the event loop, in milliseconds. */
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

  /** The number of requests that were shed so far. */
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

  /** A peak counts at once, and is halved at every measurement. */
  #measure(): void {
    const now = performance.now();
    this.#eventLoopLag = Math.max(now - this.#last - MEASURE_EVERY_MS, this.#eventLoopLag / 2, 0);
    this.#last = now;
    this.#lagging = this.#eventLoopLag > (this.#lagging ? this.#limits.eventLoopLag / 2 : this.#limits.eventLoopLag);
  }
}
