import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { OVER_FETCH, type RunningPetstore } from './running-petstore.ts';

/** A CloudEvent as it was received. */
export interface ReceivedEvent {
  readonly specversion: string;
  readonly id: string;
  readonly sequence: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly data: Readonly<Record<string, unknown>>;
}

type Fetch = (request: Request) => Promise<Response>;

/** An open stream, read by a parser that follows the HTML Standard. */
export class EventStreamClient {
  readonly response: Response;
  readonly messages: EventSourceMessage[] = [];
  readonly comments: string[] = [];
  /** Whatever was received, as text. */
  text = '';
  /** Resolves when the service has ended the stream; rejects when the connection was lost. */
  readonly ended: Promise<void>;
  readonly #leaving: AbortController;
  #onReceived: () => void = () => undefined;

  private constructor(response: Response, leaving: AbortController) {
    this.response = response;
    this.#leaving = leaving;
    this.ended = this.#read();
    this.ended.catch(() => undefined);
  }

  /** Requests a stream. The result has no events if the service refused it. */
  static async open(fetch: Fetch, url: string, headers: Readonly<Record<string, string>> = {}) {
    const leaving = new AbortController();
    const request = new Request(url, {
      headers: { Accept: 'text/event-stream', ...headers },
      signal: leaving.signal,
    });
    return new EventStreamClient(await fetch(request), leaving);
  }

  get status(): number {
    return this.response.status;
  }

  /** Resolves with so many events from the first one on. */
  async events(count: number): Promise<ReceivedEvent[]> {
    await this.until(() => this.messages.length >= count);
    return this.messages.map(({ data }) => JSON.parse(data) as ReceivedEvent);
  }

  /** Resolves when the condition holds, which is tested after each piece that is received. */
  async until(isReached: () => boolean): Promise<void> {
    while (!isReached()) {
      const received = new Promise<void>((resolve) => {
        this.#onReceived = resolve;
      });
      const hasEnded = await Promise.race([received.then(() => false), this.ended.then(() => true)]);
      if (hasEnded && !isReached()) throw new Error(`The stream ended after:\n${this.text}`);
    }
  }

  /** Ends the connection. */
  close(): void {
    this.#leaving.abort();
  }

  async #read(): Promise<void> {
    const parser = createParser({
      onEvent: (message) => void this.messages.push(message),
      onComment: (comment) => void this.comments.push(comment),
      onError: (error) => {
        throw error;
      },
    });
    const decoder = new TextDecoder();
    for await (const bytes of this.response.body ?? []) {
      const text = decoder.decode(bytes, { stream: true });
      this.text += text;
      if (this.status === 200) parser.feed(text);
      this.#onReceived();
    }
  }
}

/** Opens a stream of a petstore, over its socket or its `fetch`. Its head is checked against the document. */
export async function openStream(
  store: RunningPetstore,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStreamClient> {
  const fetcher: Fetch = OVER_FETCH ? (request) => store.petstore.fetch(request) : fetch;
  const stream = await EventStreamClient.open(fetcher, store.url + target, headers);
  const { status } = stream;
  if (status !== 200) await stream.ended;
  const rawHeaders = [...stream.response.headers].flat();
  store.check.check({ method: 'GET', target, status, rawHeaders, body: Buffer.from(stream.text) });
  return stream;
}
