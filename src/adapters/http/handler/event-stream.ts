import type { EventChunk, EventFollower } from '../../../application/event-feed.ts';
import { inBackground } from '../../../application/event-loop.ts';
import { EventsExpired } from '../../../application/ports/event-log.ts';
import type { EventType } from '../../../domain/events.ts';
import { type EventFrames, HEARTBEAT } from '../response/event-frames.ts';
import type { StreamWriter } from './exchange.ts';

export interface EventStreamParts {
  readonly follower: EventFollower;
  readonly frames: EventFrames;
  /** The stream begins after this position. */
  readonly position: number;
  readonly types: readonly EventType[] | undefined;
  /** How often a comment is sent, in milliseconds. */
  readonly heartbeat: number;
  /** How long the client may read nothing, in milliseconds. */
  readonly slowReader: number;
  /** Whether the caller may still read events; is asked with each heartbeat. */
  readonly isAuthorized: () => Promise<boolean>;
}

/**
 * One open stream. It takes events from the feed only while its client reads them, so it buffers one chunk at most; a client that stops
 * reading is disconnected, and can resume after the last event that it received.
 */
export class EventStream {
  readonly #parts: EventStreamParts;
  readonly #writer: StreamWriter;
  readonly #onEnd: () => void;
  readonly #heartbeat: ReturnType<typeof setInterval>;
  #position: number;
  #isReading = false;
  #isEnded = false;
  /** Runs while the client does not read. */
  #patience: ReturnType<typeof setTimeout> | undefined;

  /** Begins at once. `first` is what follows `position`, if that was read before. `onEnd` is called once. */
  constructor(parts: EventStreamParts, writer: StreamWriter, onEnd: () => void) {
    this.#parts = parts;
    this.#writer = writer;
    this.#onEnd = onEnd;
    this.#position = parts.position;
    this.#heartbeat = inBackground(setInterval(() => this.#beat(), parts.heartbeat));
  }

  /** Sends what there is. */
  pump(): void {
    const { follower, types } = this.#parts;
    while (!this.#isReading && !this.#isEnded && !this.#patience) {
      const chunk = follower.read(this.#position, types);
      if (!chunk) return;
      if (chunk instanceof Promise) {
        this.#isReading = true;
        chunk.then(
          (read) => this.#onRead(read),
          (error: unknown) => this.#onFailure(error),
        );
        return;
      }
      this.deliver(chunk);
    }
  }

  deliver(chunk: EventChunk): void {
    this.#position = chunk.position;
    const frames = this.#parts.frames.of(chunk, this.#parts.types);
    if (frames.length > 0) this.#write(frames);
  }

  /** The client has read what was sent. */
  onDrain(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.pump();
  }

  /** The connection was lost. */
  onClose(): void {
    this.#end();
  }

  /** Ends the response; a client that does not read what was sent is disconnected. */
  close(): void {
    if (this.#isEnded) return;
    const isRead = this.#patience === undefined;
    this.#end();
    if (isRead) this.#writer.end();
    else this.#writer.abort();
  }

  #write(bytes: Uint8Array): void {
    if (this.#writer.write(bytes) || this.#isEnded) return;
    this.#patience = inBackground(
      setTimeout(() => {
        this.#end();
        this.#writer.abort();
      }, this.#parts.slowReader),
    );
  }

  #beat(): void {
    if (!this.#patience) this.#write(HEARTBEAT);
    void this.#parts.isAuthorized().then((authorized) => {
      if (!authorized) this.close();
    });
    // A read that failed is repeated.
    this.pump();
  }

  #onRead(chunk: EventChunk): void {
    this.#isReading = false;
    if (this.#isEnded) return;
    const isProgress = chunk.position > this.#position;
    this.deliver(chunk);
    if (isProgress) this.pump();
  }

  #onFailure(error: unknown): void {
    this.#isReading = false;
    // A new request gets the oldest position. While the storage is unavailable, the stream waits.
    if (error instanceof EventsExpired) this.close();
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#patience);
    this.#onEnd();
  }
}
