import { Agent, request as ask } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Exchanged, fieldsOf } from './document-check.ts';

/** A response of the service, as it was received. */
export interface Answer<Body = unknown> {
  readonly status: number;
  readonly rawHeaders: readonly string[];
  /** The body in its content coding. */
  readonly encoded: Buffer;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON; `undefined` if there is none, or of another type. */
  readonly body: Body;
  /** A header by its name in any case; `undefined` if it is absent. */
  header(name: string): string | undefined;
}

export interface Asked {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent unchanged; a list is sent as chunks, without a length. */
  readonly content?: string | Uint8Array | readonly (string | Uint8Array)[];
}

export type Headers = NonNullable<Asked['headers']>;

const JSON_HEADERS = { 'Content-Type': 'application/json' };

type Handler = (request: Request) => Promise<Response>;

interface Line {
  readonly url: string;
  readonly agent: Agent;
  /** Replaces the network. */
  readonly handler: Handler | undefined;
  check(exchanged: Exchanged): void;
}

/** Sends HTTP requests over real sockets. Every response is checked against the document before a test gets it. */
export class Client {
  #line: Line | undefined;

  connect(url: string, check: Line['check'], handler?: Handler): void {
    this.#line = { url, agent: new Agent({ keepAlive: true, maxSockets: 200 }), check, handler };
  }

  disconnect(): void {
    this.#line?.agent.destroy();
    this.#line = undefined;
  }

  /** The address of the service. */
  get url(): string {
    return this.#connected.url;
  }

  get<Body>(target: string, headers: Headers = {}): Promise<Answer<Body>> {
    return this.send('GET', target, { headers });
  }

  head(target: string, headers: Headers = {}): Promise<Answer> {
    return this.send('HEAD', target, { headers });
  }

  delete<Body>(target: string, headers: Headers = {}): Promise<Answer<Body>> {
    return this.send('DELETE', target, { headers });
  }

  post<Body>(target: string, body: unknown, headers: Headers = {}): Promise<Answer<Body>> {
    return this.#sendJson('POST', target, body, headers);
  }

  put<Body>(target: string, body: unknown, headers: Headers = {}): Promise<Answer<Body>> {
    return this.#sendJson('PUT', target, body, headers);
  }

  patch<Body>(target: string, body: unknown, headers: Headers = {}): Promise<Answer<Body>> {
    return this.#sendJson('PATCH', target, body, headers);
  }

  /** Sends a request unchanged. */
  async send<Body>(method: string, target: string, { headers = {}, content }: Asked = {}): Promise<Answer<Body>> {
    const { url, agent, check, handler } = this.#connected;
    if (handler) return this.#fetch(handler, method, target, { headers, ...(content !== undefined && { content }) });
    const { hostname, port } = new URL(url);
    const chunks = Array.isArray(content) ? content : undefined;
    const whole = chunks ? undefined : (content as string | Uint8Array | undefined);
    const length = whole === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(whole)) };

    const received = await new Promise<Exchanged>((resolve, reject) => {
      const request = ask(
        { hostname, port, method, path: target, agent, headers: { ...length, ...headers } },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.once('error', reject);
          response.once('end', () => {
            const { statusCode = 0, rawHeaders } = response;
            resolve({ method, target, status: statusCode, rawHeaders, body: Buffer.concat(parts) });
          });
        },
      );
      request.once('error', reject);
      if (chunks) for (const chunk of chunks) request.write(chunk);
      request.end(whole);
    });
    const exchanged = { ...received, body: decoded(received) };
    check(exchanged);
    return toAnswer<Body>(exchanged, Buffer.from(received.body));
  }

  async #fetch<Body>(handler: Handler, method: string, target: string, asked: Asked): Promise<Answer<Body>> {
    const { url, check } = this.#connected;
    const exchanged = await overFetch(handler, url, { method, target, ...asked });
    check(exchanged);
    return toAnswer<Body>(exchanged, Buffer.from(exchanged.body));
  }

  #sendJson<Body>(method: string, target: string, body: unknown, headers: Headers): Promise<Answer<Body>> {
    return this.send(method, target, { headers: { ...JSON_HEADERS, ...headers }, content: JSON.stringify(body) });
  }

  get #connected(): Line {
    if (!this.#line) throw new Error('The client is not connected.');
    return this.#line;
  }
}

/** The same request and response by the Fetch Standard, without a network. */
async function overFetch(
  handler: Handler,
  url: string,
  { method, target, headers = {}, content }: Asked & { readonly method: string; readonly target: string },
): Promise<Exchanged> {
  const fields = new Headers();
  for (const [name, value] of Object.entries(headers)) for (const each of [value].flat()) fields.append(name, each);
  const body = Array.isArray(content) ? Buffer.concat(content.map((chunk) => Buffer.from(chunk))) : content;
  const request = new Request(url + target, {
    method,
    headers: fields,
    ...(body !== undefined && { body: body as string }),
  });
  const response = await handler(request);
  const rawHeaders = Array.from(response.headers).flat();
  return { method, target, status: response.status, rawHeaders, body: Buffer.from(await response.arrayBuffer()) };
}

/** The body without its content coding. */
function decoded({ method, status, rawHeaders, body }: Exchanged): Uint8Array {
  const coding = fieldsOf(rawHeaders).get('content-encoding');
  if (coding === undefined || method === 'HEAD' || status === 304) return body;
  if (coding === 'gzip') return gunzipSync(body);
  if (coding === 'br') return brotliDecompressSync(body);
  throw new Error(`The content coding ${coding} is unknown.`);
}

function toAnswer<Body>({ status, rawHeaders, body }: Exchanged, encoded: Buffer): Answer<Body> {
  const fields = fieldsOf(rawHeaders);
  const bytes = Buffer.from(body);
  const isJson = /^application\/(?:.+\+)?json$/.test(fields.get('content-type') ?? '') && bytes.length > 0;
  return {
    status,
    rawHeaders,
    encoded,
    bytes,
    text: bytes.toString(),
    body: (isJson ? JSON.parse(bytes.toString()) : undefined) as Body,
    header: (name) => fields.get(name.toLowerCase()),
  };
}

/** The targets of a Link header (RFC 8288), by their relation. */
export function linksOf(answer: Answer): Readonly<Record<string, string>> {
  const links = [...(answer.header('link') ?? '').matchAll(/<([^>]*)>; rel="([^"]+)"/g)];
  return Object.fromEntries(links.map(([, target, relation]) => [relation, target]));
}
