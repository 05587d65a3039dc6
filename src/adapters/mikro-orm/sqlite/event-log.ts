import { inBackground } from '../../../application/event-loop.ts';
import { type EventBatch, EventLog, type EventRange, type EventRequest } from '../../../application/ports/event-log.ts';
import { StorageUnavailable } from '../../../application/ports/unit-of-work.ts';
import { Signal } from '../../../application/signal.ts';
import { readEvents } from '../event-queries.ts';
import type { ReadSession } from '../session.ts';

/** How often to look for events of other processes that write to the same file, in milliseconds. */
const POLL_MS = 1_000;

const NEVER_PENDING = '0';

/**
 * One process at a time writes to the file, so positions are assigned in the order of the commits. SQLite never assigns one twice
 * (`autoincrement`), also after the last event was removed.
 */
export class SqliteEventLog extends EventLog {
  readonly #signal = new Signal();
  #session: ReadSession | undefined;
  #polling: ReturnType<typeof setInterval> | undefined;
  /** The last position of which listeners know. */
  #seen = 0;

  open(session: ReadSession): void {
    this.#session = session;
  }

  close(): void {
    this.#session = undefined;
    clearInterval(this.#polling);
    this.#polling = undefined;
  }

  async read(request: EventRequest): Promise<EventBatch> {
    const { events, position, last } = await readEvents(this.#open, request, NEVER_PENDING);
    return { events, position, last };
  }

  async range(): Promise<EventRange> {
    const { purged, last } = await readEvents(this.#open, { limit: 1 }, NEVER_PENDING);
    return { oldest: purged + 1, last };
  }

  subscribe(listener: () => void): () => void {
    const unsubscribe = this.#signal.subscribe(listener);
    this.#polling ??= inBackground(setInterval(() => void this.#poll(), POLL_MS));
    return () => {
      unsubscribe();
      if (this.#signal.hasListeners) return;
      clearInterval(this.#polling);
      this.#polling = undefined;
    };
  }

  /** Is called after this process has committed events. */
  appended(): void {
    this.#signal.emit();
  }

  /** A failed read is repeated by the next poll, and by the listeners themselves. */
  async #poll(): Promise<void> {
    const range = await this.range().catch(() => undefined);
    if (!range || range.last <= this.#seen) return;
    this.#seen = range.last;
    this.#signal.emit();
  }

  get #open(): ReadSession {
    if (!this.#session) throw new StorageUnavailable('The storage is not open.');
    return this.#session;
  }
}
