import { Agent, request } from 'node:http';

export interface Told {
  readonly status: number;
  readonly body: unknown;
  readonly replayed: boolean;
  readonly retryAfter: string | undefined;
}

export interface Wish {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Makes the request one that can be repeated. */
  readonly key?: string;
}

/** A client that asks one node after the other, and asks the next one again when it gets no answer, or "not now". */
export class RoundRobin {
  /** How often a request had to be sent again. */
  repeated = 0;
  #nodes: { readonly url: string; readonly agent: Agent }[];
  readonly #heard: (wish: Wish, told: Told | undefined, milliseconds: number) => void;
  #next = 0;

  /** `heard` gets to know every answer, and how long it took; none is `undefined`. */
  constructor(
    urls: readonly string[],
    heard: (wish: Wish, told: Told | undefined, milliseconds: number) => void = () => undefined,
  ) {
    this.#heard = heard;
    this.#nodes = urls.map((url) => ({ url, agent: new Agent({ keepAlive: true, maxSockets: 64 }) }));
  }

  /** Asks until somebody answers. `again` says whether the answer came only to a repeat. */
  async ask(wish: Wish): Promise<Told & { readonly again: boolean }> {
    for (let attempt = 0; ; attempt++) {
      const node = this.#nodes[this.#next++ % this.#nodes.length];
      if (!node) throw new Error('There is no node to ask.');
      const asked = performance.now();
      const told = await send(node.url, node.agent, wish);
      this.#heard(wish, told, performance.now() - asked);
      if (told && told.status !== 503 && codeOf(told) !== 'idempotency_key_in_progress') {
        return { ...told, again: attempt > 0 };
      }
      this.repeated += 1;
      // Whoever is starting, draining or busy needs a turn of the loop, not a full stop of this client.
      await new Promise((turn) => setTimeout(turn, told ? 5 : 1));
    }
  }

  /** Asks a node no more. As soon as it no longer listens, its port may be that of a service of another test. */
  leave(url: string): void {
    this.#nodes = this.#nodes.filter((node) => node.url !== url);
  }

  close(): void {
    for (const { agent } of this.#nodes) agent.destroy();
  }
}

export function codeOf({ body }: Told): string | undefined {
  return (body as { code?: string } | undefined)?.code;
}

function send(url: string, agent: Agent, { method, path, body, key }: Wish): Promise<Told | undefined> {
  const content = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...(content !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(content) }),
    ...(key !== undefined && { 'Idempotency-Key': key }),
  };
  return new Promise((resolve) => {
    const asking = request(`${url}${path}`, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', () => resolve(undefined));
      response.once('close', () => {
        if (!response.complete) return resolve(undefined);
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          body: text === '' ? undefined : JSON.parse(text),
          replayed: response.headers['idempotent-replayed'] === 'true',
          retryAfter: response.headers['retry-after'],
        });
      });
    });
    asking.once('error', () => resolve(undefined));
    asking.end(content);
  });
}
