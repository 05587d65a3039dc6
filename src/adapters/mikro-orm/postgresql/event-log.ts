import { inBackground } from '../../../application/event-loop.ts';
import { type EventBatch, EventLog, type EventRange, type EventRequest } from '../../../application/ports/event-log.ts';
import type { Log } from '../../../application/ports/log.ts';
import { StorageUnavailable } from '../../../application/ports/unit-of-work.ts';
import { Signal } from '../../../application/signal.ts';
import { type EventRows, readEvents } from '../event-queries.ts';
import type { ReadSession } from '../session.ts';
import { EventListener, type ListeningConnection } from './event-listener.ts';
import { EventRelay } from './event-relay.ts';
import type { PostgresqlPool } from './postgresql-pool.ts';

/** How often to look for events whose notification was lost, in milliseconds. */
const POLL_MS = 1_000;

const PENDING = 'cast(exists (select from outbox) as integer)';

export interface EventConnections {
  /** The session for reads: replicas that have caught up, or the primary. */
  readonly session: ReadSession;
  /** The pool of the primary. */
  readonly pool: PostgresqlPool;
  /** Opens a connection to the primary that receives notifications. */
  connect(): Promise<ListeningConnection>;
}

/** Reads the log. A node that reads or writes events also moves them there: see {@link EventRelay}. */
export class PostgresqlEventLog extends EventLog {
  readonly #log: Log;
  readonly #signal = new Signal();
  #connections: EventConnections | undefined;
  #relay: EventRelay | undefined;
  #listener: EventListener | undefined;
  #polling: ReturnType<typeof setInterval> | undefined;
  #closing: Promise<unknown> = Promise.resolve();
  /** The last position of which listeners know by polling. */
  #seen = 0;

  constructor(log: Log) {
    super();
    this.#log = log;
  }

  open(connections: EventConnections): void {
    this.#connections = connections;
    this.#relay = new EventRelay(connections.pool, this.#log, () => this.#signal.emit());
    if (this.#signal.hasListeners) this.#follow(connections);
  }

  async close(): Promise<void> {
    this.#unfollow();
    this.#connections = undefined;
    await this.#relay?.close();
    this.#relay = undefined;
    await this.#closing;
  }

  /** Is called after this node has committed something. */
  committed(): void {
    this.#relay?.wake();
  }

  async read(request: EventRequest): Promise<EventBatch> {
    const { events, position, last } = await this.#read(request);
    return { events, position, last };
  }

  async range(): Promise<EventRange> {
    const { purged, last } = await this.#read({ after: Number.MAX_SAFE_INTEGER, limit: 1 });
    return { oldest: purged + 1, last };
  }

  subscribe(listener: () => void): () => void {
    const unsubscribe = this.#signal.subscribe(listener);
    if (this.#connections) this.#follow(this.#connections);
    return () => {
      unsubscribe();
      if (!this.#signal.hasListeners) this.#unfollow();
    };
  }

  /** What was committed before is moved first, unless the result is complete without it. */
  async #read(request: EventRequest): Promise<EventRows> {
    const { session } = this.#open;
    const rows = await readEvents(session, request, PENDING);
    if (!rows.pending || rows.events.length === request.limit) return rows;
    await this.#relay?.run();
    return readEvents(session, request, PENDING);
  }

  #follow({ connect }: EventConnections): void {
    this.#listener ??= new EventListener(connect, () => this.#signal.emit());
    this.#polling ??= inBackground(setInterval(() => void this.#poll(), POLL_MS));
  }

  #unfollow(): void {
    clearInterval(this.#polling);
    this.#polling = undefined;
    const closed = this.#listener?.close();
    this.#listener = undefined;
    if (closed) this.#closing = Promise.allSettled([this.#closing, closed]);
  }

  /** A failed poll is repeated by the next one. */
  async #poll(): Promise<void> {
    const range = await this.range().catch(() => undefined);
    if (!range || range.last <= this.#seen) return;
    this.#seen = range.last;
    this.#signal.emit();
  }

  get #open(): EventConnections {
    if (!this.#connections) throw new StorageUnavailable('The storage is not open.');
    return this.#connections;
  }
}
