import type { EventChunk } from '../../../application/event-feed.ts';
import type { StoredEvent } from '../../../application/ports/event-log.ts';
import type { EventType } from '../../../domain/events.ts';

const UTF8 = new TextEncoder();

/** A comment, which keeps proxies from closing a connection without traffic (HTML Standard, section 9.2.7). */
export const HEARTBEAT: Uint8Array<ArrayBuffer> = UTF8.encode(': heartbeat\n\n');

/**
 * Writes events in the format of `text/event-stream` (HTML Standard, section 9.2). Streams that get the same chunk with the same types
 * share its bytes, so the cost of JSON and UTF-8 does not depend on their number.
 */
export class EventFrames {
  readonly #show: (event: StoredEvent) => unknown;
  readonly #known = new WeakMap<EventChunk, Map<string, Uint8Array>>();

  constructor(show: (event: StoredEvent) => unknown) {
    this.#show = show;
  }

  /** The frames of the events that have one of the types; empty if none has. */
  of(chunk: EventChunk, types: readonly EventType[] | undefined): Uint8Array {
    const key = types?.join() ?? '';
    let known = this.#known.get(chunk);
    if (!known) this.#known.set(chunk, (known = new Map()));
    let frames = known.get(key);
    if (!frames) known.set(key, (frames = this.#encode(chunk.events, types)));
    return frames;
  }

  #encode(events: readonly StoredEvent[], types: readonly EventType[] | undefined): Uint8Array {
    const wanted = types ? events.filter(({ type }) => types.includes(type)) : events;
    // JSON has no line breaks, so the data is one line.
    return UTF8.encode(
      wanted.map((event) => `id: ${event.position}\ndata: ${JSON.stringify(this.#show(event))}\n\n`).join(''),
    );
  }
}
