import type { BodyMemoryBudget, IncomingBody } from '../handler/body-memory-budget.ts';
import { ClientGone, tooLarge } from '../handler/body-reader.ts';
import { Exchange, type ExchangeParts, type StreamEvents, type StreamWriter } from '../handler/exchange.ts';
import type { RequestHead } from '../request/request-head.ts';
import type { HeaderFields } from '../response/message.ts';

const UTF8 = new TextEncoder();

/** What a stream may have unread, in bytes, before it counts as slow. */
const STREAM_BUFFER = 16 * 1024;

/** Statuses whose responses have no body (Fetch Standard, null body status). */
const WITHOUT_BODY: readonly number[] = [204, 304];

/** An exchange by the Fetch Standard: a `Request` comes in, and a `Response` is what it resolves to. */
export class FetchExchange extends Exchange {
  readonly response: Promise<Response>;
  readonly #request: Request;
  readonly #clientAddress: string;
  #respond: (response: Response) => void = () => undefined;
  #giveUp: (reason: Error) => void = () => undefined;
  #status: number | undefined;

  constructor(request: Request, clientAddress: string, parts: Omit<ExchangeParts, 'newRequestId'>) {
    super(headOf(request), { ...parts, newRequestId: () => crypto.randomUUID() });
    this.#request = request;
    this.#clientAddress = clientAddress;
    this.response = new Promise((resolve, reject) => {
      this.#respond = resolve;
      this.#giveUp = reject;
    });
  }

  get status(): number | undefined {
    return this.#status;
  }

  /** The caller of `fetch` states the address, so no proxy header is read. */
  clientAddress(): string {
    return this.#clientAddress;
  }

  async receiveBody(limit: number, memory: BodyMemoryBudget): Promise<Uint8Array> {
    if (Number(this.request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
    const reader = this.#request.body?.getReader();
    if (!reader) return new Uint8Array();
    const refused = Promise.withResolvers<never>();
    refused.promise.catch(() => undefined);
    const refuse = (reason: Error) => {
      refused.reject(reason);
      // Ends a read that is pending.
      reader.cancel().catch(() => undefined);
    };
    const { signal } = this.#request;
    const leave = () => refuse(new ClientGone());
    // The body of a request that never went over a network does not fail with its signal.
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
    const body: IncomingBody = { bytes: 0, evict: refuse };
    try {
      const whole = await collect(reader, limit, (bytes) => memory.reserve(body, bytes));
      // Others may still evict a large body, and the client may still leave.
      const turn = new Promise<void>((begin) => memory.complete(body, whole.length, begin));
      await Promise.race([refused.promise, turn]);
      return whole;
    } catch (error) {
      memory.release(body);
      reader.cancel().catch(() => undefined);
      throw error;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Rejects like a connection that was lost. */
  abandon(): void {
    this.#giveUp(new DOMException('The request was aborted.', 'AbortError'));
  }

  protected write(status: number, headers: HeaderFields, body?: string | Uint8Array): void {
    if (this.#status !== undefined) return;
    const content = this.request.method === 'HEAD' || WITHOUT_BODY.includes(status) ? null : (body ?? null);
    this.#respondWith(status, headers, content as ConstructorParameters<typeof Response>[0]);
  }

  protected writeStream(headers: HeaderFields, { onDrain, onClose }: StreamEvents): StreamWriter | undefined {
    const { signal } = this.#request;
    if (signal.aborted) this.abandon();
    if (signal.aborted || this.#status !== undefined) return undefined;
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const fail = () => {
      controller?.error(new DOMException('The stream was aborted.', 'AbortError'));
      onClose();
    };
    const close = () => {
      signal.removeEventListener('abort', fail);
      onClose();
    };
    const body = new ReadableStream<Uint8Array>(
      {
        start: (created) => void (controller = created),
        pull: onDrain,
        cancel: close,
      },
      { highWaterMark: STREAM_BUFFER, size: ({ length }) => length },
    );
    signal.addEventListener('abort', fail);
    this.#respondWith(200, headers, body);
    return {
      write: (bytes) => {
        // Each reader owns its bytes.
        controller?.enqueue(bytes.slice());
        return (controller?.desiredSize ?? 0) > 0;
      },
      end: () => {
        controller?.close();
        close();
      },
      abort: fail,
    };
  }

  protected lengthOf(body: string | Uint8Array): number {
    return typeof body === 'string' ? UTF8.encode(body).length : body.length;
  }

  /** Never called, since the head names no coding: whatever writes the response to a network compresses it. */
  compressForReuse(body: string | Uint8Array): Promise<Uint8Array> {
    return Promise.resolve(this.compress(body));
  }

  /** Never called either. */
  protected compress(body: string | Uint8Array): Uint8Array {
    return typeof body === 'string' ? UTF8.encode(body) : body;
  }

  #respondWith(status: number, headers: HeaderFields, body: ConstructorParameters<typeof Response>[0]): void {
    this.#status = status;
    const fields = new Headers();
    for (let i = 0; i < headers.length; i += 2) fields.append(headers[i] as string, headers[i + 1] as string);
    this.#respond(new Response(body, { status, headers: fields }));
  }
}

/** What a request that came over a connection would have said. */
function headOf(request: Request): RequestHead {
  const { host, pathname, search } = new URL(request.url);
  const given = new Headers(request.headers);
  given.set('host', host);
  given.delete('accept-encoding');
  // A body without a length would have been sent in chunks.
  if (request.body && !given.has('content-length')) given.set('transfer-encoding', 'chunked');
  const rawHeaders: string[] = [];
  const headers: Record<string, string> = {};
  for (const [name, value] of given) {
    rawHeaders.push(name, value);
    headers[name] = value;
  }
  return { method: request.method, url: pathname + search, httpVersion: '1.1', headers, rawHeaders };
}

/** Reads into one growing buffer: a body that arrives byte by byte must not cost one object per byte. */
async function collect(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limit: number,
  reserve: (bytes: number) => void,
): Promise<Uint8Array> {
  let buffer = new Uint8Array(1024);
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => Promise.reject(new ClientGone()));
    if (done) return buffer.subarray(0, size);
    const end = size + value.length;
    if (end > limit) throw tooLarge(limit);
    if (end > buffer.length) {
      const larger = new Uint8Array(Math.min(Math.max(end, 2 * buffer.length), limit));
      reserve(larger.length);
      larger.set(buffer.subarray(0, size));
      buffer = larger;
    }
    buffer.set(value, size);
    size = end;
  }
}
