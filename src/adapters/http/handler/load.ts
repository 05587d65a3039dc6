import { unavailable } from '../http-error.ts';
import { BodyRoom } from './body-room.ts';

const LOOK_EVERY_MS = 50;

/** So many of the largest bodies are read at the same time, or more of smaller ones. */
const LARGEST_BODIES = 16;

export interface LoadLimits {
  /** Requests that are worked on at the same time. */
  readonly requestsInFlight: number;
  /** How late the event loop may be, in milliseconds. */
  readonly eventLoopLag: number;
  /** The largest bodies, in bytes. */
  readonly body: number;
  readonly batchBody: number;
}

/**
 * Turns work away while there is too much of it, early and cheaply, so that what was begun gets done. It goes by two
 * measures: how many requests are under way (a storage that is slow lets them pile up), and how late the event loop is (a
 * processor that has too much to do). Once late, it takes work again when the delay is half of what is allowed.
 */
export class Load {
  /** For what is read before it is work. */
  readonly bodies: BodyRoom;
  readonly #limits: LoadLimits;
  readonly #underWay: () => number;
  readonly #timer: NodeJS.Timeout;
  #last = performance.now();
  #delay = 0;
  #late = false;
  #turnedAway = 0;

  constructor(limits: LoadLimits, underWay: () => number) {
    this.#limits = limits;
    this.#underWay = underWay;
    this.bodies = new BodyRoom(LARGEST_BODIES * Math.max(limits.body, limits.batchBody));
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  /** How late the event loop was lately, in milliseconds. */
  get delay(): number {
    return this.#delay;
  }

  get underWay(): number {
    return this.#underWay();
  }

  /** How many requests were turned away so far. */
  get turnedAway(): number {
    return this.#turnedAway + this.bodies.givenUp;
  }

  /** @throws {HttpError} `unavailable` */
  mustHaveRoom(): void {
    if (!this.#late && this.underWay < this.#limits.requestsInFlight) return;
    this.#turnedAway += 1;
    throw unavailable('The service is overloaded; the request was not processed. Try again in a moment.');
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** A peak counts at once and wears off by half at every look. */
  #look(): void {
    const now = performance.now();
    this.#delay = Math.max(now - this.#last - LOOK_EVERY_MS, this.#delay / 2, 0);
    this.#last = now;
    this.#late = this.#delay > (this.#late ? this.#limits.eventLoopLag / 2 : this.#limits.eventLoopLag);
  }
}
