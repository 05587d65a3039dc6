import { EVENT_STREAM_TYPE } from '../../../api/media-types.ts';
import type { EventFeed, EventFollower } from '../../../application/event-feed.ts';
import type { EventType } from '../../../domain/events.ts';
import type { Scope } from '../../../domain/scope.ts';
import { unavailable } from '../http-error.ts';
import type { EventFrames } from '../response/event-frames.ts';
import type { HttpLimits } from '../settings.ts';
import { EventStream } from './event-stream.ts';
import type { Exchange } from './exchange.ts';
import type { HttpAccess } from './http-access.ts';

export interface EventStreamsParts {
  readonly feed: EventFeed;
  readonly access: HttpAccess;
  readonly limits: Pick<HttpLimits, 'streams' | 'streamHeartbeat' | 'slowReader'>;
}

export interface StreamRequest {
  /** The stream begins after this position; left out for the next event. */
  readonly after: number | undefined;
  readonly types: readonly EventType[] | undefined;
  readonly scope: Scope;
  readonly frames: EventFrames;
}

/** The open event streams of this node. */
export class EventStreams {
  readonly #parts: EventStreamsParts;
  readonly #streams = new Set<EventStream>();
  #opening = 0;
  #isClosed = false;

  constructor(parts: EventStreamsParts) {
    this.#parts = parts;
  }

  /** How many are open, or about to be. */
  get count(): number {
    return this.#streams.size + this.#opening;
  }

  /**
   * Begins a stream, and returns when its headers were sent.
   * @throws {HttpError | EventsExpired | StorageUnavailable} before anything was sent
   */
  async open(exchange: Exchange, { after, types, scope, frames }: StreamRequest): Promise<void> {
    const { feed, access, limits } = this.#parts;
    if (this.count >= limits.streams) {
      throw unavailable(`The service has ${limits.streams} open event streams, which is its limit. Try again later.`);
    }
    this.#opening += 1;
    let stream: EventStream | undefined;
    let follower: EventFollower | undefined;
    try {
      follower = await feed.follow(() => stream?.pump());
      const { leave } = follower;
      const position = after ?? follower.position;
      const first = await follower.read(position, types);
      if (this.#isClosed) throw unavailable('The service is shutting down.', 'Connection', 'close');
      const headers = [
        'Content-Type',
        EVENT_STREAM_TYPE,
        'Petstore-Event-Position',
        String(position),
        'Vary',
        'Accept',
      ];
      const writer = exchange.sendStream(headers, {
        onDrain: () => stream?.onDrain(),
        onClose: () => stream?.onClose(),
      });
      if (!writer) return;
      stream = new EventStream(
        {
          follower,
          frames,
          position,
          types,
          heartbeat: limits.streamHeartbeat,
          slowReader: limits.slowReader,
          isAuthorized: () => access.isStillAuthorized(exchange, scope),
        },
        writer,
        () => {
          leave();
          if (stream) this.#streams.delete(stream);
        },
      );
      this.#streams.add(stream);
      if (first) stream.deliver(first);
      stream.pump();
    } finally {
      this.#opening -= 1;
      if (!stream) follower?.leave();
    }
  }

  /** Ends all streams: their clients go on elsewhere. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#streams) stream.close();
  }
}
