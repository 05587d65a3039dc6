import { Agent, request as open } from 'node:http';

export interface Response {
  readonly status: number;
  readonly body: unknown;
  readonly replayed: boolean;
  readonly retryAfter: string | undefined;
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Makes the request one that can be repeated. */
  readonly key?: string;
}

/** A client that sends each request to the next node, and retries on the one after it without a response, or with 503. */
export class RoundRobin {
  /** How often a request had to be sent again. */
  repeated = 0;
  #nodes: { readonly url: string; readonly agent: Agent }[];
  readonly #recorded: (request: Request, response: Response | undefined, milliseconds: number) => void;
  #next = 0;

  /** `recorded` receives every response, `undefined` if there was none, and how long it took. */
  constructor(
    urls: readonly string[],
    recorded: (request: Request, response: Response | undefined, milliseconds: number) => void = () => undefined,
  ) {
    this.#recorded = recorded;
    this.#nodes = urls.map((url) => ({ url, agent: new Agent({ keepAlive: true, maxSockets: 64 }) }));
  }

  /** Retries until a node responds. `again` tells whether the response is that of a retry. */
  async ask(request: Request): Promise<Response & { readonly again: boolean }> {
    for (let attempt = 0; ; attempt++) {
      const node = this.#nodes[this.#next++ % this.#nodes.length];
      if (!node) throw new Error('There is no node.');
      const asked = performance.now();
      const response = await send(node.url, node.agent, request);
      this.#recorded(request, response, performance.now() - asked);
      if (response && response.status !== 503 && codeOf(response) !== 'idempotency_key_in_progress') {
        return { ...response, again: attempt > 0 };
      }
      this.repeated += 1;
      // A node that starts, drains or is overloaded needs some time.
      await new Promise((turn) => setTimeout(turn, response ? 5 : 1));
    }
  }

  /** Sends nothing to a node from now on. Once it no longer listens, another test may use its port. */
  leave(url: string): void {
    this.#nodes = this.#nodes.filter((node) => node.url !== url);
  }

  close(): void {
    for (const { agent } of this.#nodes) agent.destroy();
  }
}

export function codeOf({ body }: Response): string | undefined {
  return (body as { code?: string } | undefined)?.code;
}

function send(url: string, agent: Agent, { method, path, body, key }: Request): Promise<Response | undefined> {
  const content = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...(content !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(content) }),
    ...(key !== undefined && { 'Idempotency-Key': key }),
  };
  return new Promise((resolve) => {
    const asking = open(`${url}${path}`, { method, headers, agent }, (response) => {
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
