import type { EventType } from '../domain/events.ts';
import { inBackground } from './event-loop.ts';
import { type EventLog, EventsExpired, type StoredEvent } from './ports/event-log.ts';

/** Consecutive events of the log. */
export interface EventChunk {
  /** The log was read from here, exclusive. */
  readonly after: number;
  /** In ascending order of their positions. */
  readonly events: readonly StoredEvent[];
  /** The log was read up to here, inclusive. */
  readonly position: number;
}

/** Events in one read of the log. */
const CHUNK = 100;

/** Chunks that are kept for followers which are a little behind. */
const MOST_CHUNKS = 20;

/** While events keep coming, the log is read at most this often: each read then finds the events of several commits. */
const READ_EVERY_MS = 10;

const RETRY_MS = 1_000;

/** Followers that are far behind read the log by themselves, so many of them at once. */
const MOST_CATCHING_UP = 4;

/**
 * Follows the event log for any number of followers with one read per commit, not one per follower and commit. The latest events
 * are kept in memory; a follower that is further behind gets pages of its own until it has caught up. The log is only followed while
 * there are followers.
 */
export class EventFeed {
  readonly #log: EventLog;
  readonly #turns = new Turns(MOST_CATCHING_UP);
  #shared: SharedRead | undefined;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Calls `onEvents` whenever there is more to read, until the follower leaves. @throws {StorageUnavailable} */
  async follow(onEvents: () => void): Promise<EventFollower> {
    const shared = this.#shared ?? new SharedRead(this.#log);
    this.#shared = shared;
    shared.listeners.add(onEvents);
    const leave = () => {
      if (!shared.listeners.delete(onEvents) || shared.listeners.size > 0) return;
      shared.stop();
      if (this.#shared === shared) this.#shared = undefined;
    };
    try {
      await shared.started;
    } catch (error) {
      leave();
      throw error;
    }
    return {
      get position() {
        return shared.position;
      },
      read: (after, types) => shared.chunkAfter(after) ?? this.#catchUp(shared, after, types),
      leave,
    };
  }

  #catchUp(shared: SharedRead, after: number, types: readonly EventType[] | undefined) {
    if (after >= shared.position) return undefined;
    return this.#turns.take(async (): Promise<EventChunk> => {
      const { events, position } = await this.#log.read({ after, types, limit: CHUNK });
      return { after, events, position };
    });
  }
}

/** One reader of the feed. */
export interface EventFollower {
  /** The last position that the feed has read. */
  readonly position: number;
  /**
   * Returns the next events after a position, or `undefined` if there are none yet. They may include other types than the requested
   * ones. A follower that is far behind gets a promise, which rejects with `EventsExpired` or `StorageUnavailable`.
   */
  read(after: number, types: readonly EventType[] | undefined): EventChunk | Promise<EventChunk> | undefined;
  leave(): void;
}

/** The one read of the log for all followers. */
class SharedRead {
  readonly listeners = new Set<() => void>();
  readonly started: Promise<void>;
  readonly #log: EventLog;
  readonly #unsubscribe: () => void;
  /** The latest chunks, each of which begins where the one before ends. */
  readonly #chunks: EventChunk[] = [];
  #position = 0;
  #isReading = true;
  #hasMore = false;
  #isStopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(log: EventLog) {
    this.#log = log;
    // First of all, so that no event is missed after the range was read.
    this.#unsubscribe = log.subscribe(() => this.#onSignal());
    this.started = this.#start();
  }

  get position(): number {
    return this.#position;
  }

  stop(): void {
    this.#isStopped = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
  }

  /** The kept events after a position; `undefined` if there are none, or if the position is older than what is kept. */
  chunkAfter(after: number): EventChunk | undefined {
    for (let i = this.#chunks.length - 1; i >= 0; i--) {
      const chunk = this.#chunks[i] as EventChunk;
      if (chunk.position <= after) return undefined;
      if (chunk.after === after) return chunk;
      if (chunk.after < after) {
        return { after, events: chunk.events.filter(({ position }) => position > after), position: chunk.position };
      }
    }
    return undefined;
  }

  async #start(): Promise<void> {
    this.#position = (await this.#log.range()).last;
    this.#isReading = false;
    if (this.#hasMore) this.#onSignal();
  }

  #onSignal(): void {
    this.#hasMore = true;
    if (!this.#isReading && !this.#isStopped) void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    this.#hasMore = false;
    let wait = READ_EVERY_MS;
    try {
      await this.#readToEnd();
    } catch (error) {
      this.#hasMore = true;
      if (error instanceof EventsExpired) this.#skipTo(error.oldest);
      else wait = RETRY_MS;
    }
    if (this.#isStopped) return;
    const next = () => {
      this.#isReading = false;
      if (this.#hasMore) this.#onSignal();
    };
    this.#timer = inBackground(setTimeout(next, wait));
  }

  /** Retention has removed events that were not read yet: followers find that out when they read them. */
  #skipTo(oldest: number): void {
    this.#chunks.length = 0;
    this.#position = oldest - 1;
    for (const listener of this.listeners) listener();
  }

  async #readToEnd(): Promise<void> {
    for (;;) {
      const after = this.#position;
      const { events, position, last } = await this.#log.read({ after, limit: CHUNK });
      if (this.#isStopped || position <= after) return;
      this.#chunks.push({ after, events, position });
      if (this.#chunks.length > MOST_CHUNKS) this.#chunks.shift();
      this.#position = position;
      for (const listener of this.listeners) listener();
      if (position >= last) return;
    }
  }
}

/** Lets so many run at a time; the others wait in order. */
class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
