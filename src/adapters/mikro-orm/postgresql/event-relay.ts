import { setTimeout as pause } from 'node:timers/promises';
import { inBackground } from '../../../application/event-loop.ts';
import type { Log } from '../../../application/ports/log.ts';
import { StorageUnavailable } from '../../../application/ports/unit-of-work.ts';
import { asStorageError } from './postgresql-errors.ts';
import type { PostgresqlPool, PostgresqlResult } from './postgresql-pool.ts';

/** The channel on which nodes are notified of new events. */
export const CHANNEL = 'petstore_events';

/** How many events one transaction moves. */
const MOST_MOVED = 1_000;
/** The pause between two moves that commits have caused, in milliseconds: under load, one move takes many events. */
const PAUSE_MS = 5;
/** How often a move is attempted before it counts as failed. */
const MOST_ATTEMPTS = 3;
/** The pause after a failure, in milliseconds. */
const RETRY_MS = 1_000;
/** How long one statement of a move may take, in milliseconds. */
const STATEMENT_MS = 5_000;
/** The key of the advisory lock: 'EVNT' in ASCII. */
const LOCK = 0x45564e54;

/**
 * Sent as one message, so that no client can stop while it holds the lock. Each statement sees what was committed before it, and
 * the move begins when no other transaction moves events.
 */
const MOVE = `begin isolation level read committed;
  set local statement_timeout = ${STATEMENT_MS};
  set local lock_timeout = ${STATEMENT_MS};
  select pg_advisory_xact_lock(${LOCK});
  with moved as (
    delete from outbox where id = any(array(select id from outbox order by id limit ${MOST_MOVED}))
    returning id, type, data, at
  ), appended as (
    insert into events (type, data, at) select type, data, at from moved order by id returning position
  )
  select count(*) as moved, case when count(*) > 0 then pg_notify('${CHANNEL}', '') end from appended;
  end`;
const MOVE_STATEMENT = 4;

/**
 * Moves committed events from the outbox to the log, where they get their positions: one transaction at a time in the whole cluster,
 * so positions become visible in their order. See docs/adr/0019-event-positions.md.
 */
export class EventRelay {
  readonly #pool: PostgresqlPool;
  readonly #log: Log;
  readonly #onMoved: () => void;
  #current: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastRun = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #isFailing = false;

  constructor(pool: PostgresqlPool, log: Log, onMoved: () => void) {
    this.#pool = pool;
    this.#log = log;
    this.#onMoved = onMoved;
  }

  /** Moves events soon. */
  wake(): void {
    this.#schedule(Math.max(0, this.#lastRun + PAUSE_MS - performance.now()));
  }

  /** Resolves when every event that was committed before this call has its position. @throws {StorageUnavailable} */
  run(): Promise<void> {
    this.#next ??= this.#runAfter(this.#current);
    return this.#next;
  }

  /** Resolves when the move in progress has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await Promise.allSettled([this.#current, this.#next]);
  }

  #schedule(delay: number): void {
    if (this.#isClosed || this.#timer) return;
    this.#timer = inBackground(
      setTimeout(() => {
        this.#timer = undefined;
        this.run().catch(() => this.#schedule(RETRY_MS));
      }, delay),
    );
  }

  async #runAfter(earlier: Promise<void> | undefined): Promise<void> {
    await earlier?.catch(() => undefined);
    this.#current = this.#next;
    this.#next = undefined;
    if (this.#isClosed) throw new StorageUnavailable('The storage is not open.');
    this.#lastRun = performance.now();
    try {
      while ((await this.#moveOrRetry()) === MOST_MOVED) if (this.#isClosed) return;
      this.#isFailing = false;
    } catch (error) {
      const failure = asStorageError(error);
      if (!this.#isFailing && !this.#isClosed) this.#log.warn('events cannot be moved to the log', { error: failure });
      this.#isFailing = true;
      throw failure;
    }
  }

  /** A move that failed has moved nothing, or its events are not in the outbox any more. */
  async #moveOrRetry(): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#move();
      } catch (error) {
        if (attempt === MOST_ATTEMPTS || this.#isClosed) throw error;
        await pause(attempt * PAUSE_MS);
      }
    }
  }

  async #move(): Promise<number> {
    const client = await this.#pool.connect();
    let results: readonly PostgresqlResult[];
    try {
      results = (await client.query(MOVE)) as unknown as readonly PostgresqlResult[];
    } catch (error) {
      client.release(true);
      throw error;
    }
    client.release();
    const [row] = (results[MOVE_STATEMENT]?.rows ?? []) as { readonly moved: unknown }[];
    const moved = Number(row?.moved);
    if (moved > 0) this.#onMoved();
    return moved;
  }
}
