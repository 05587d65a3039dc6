import { Agent, request } from 'node:http';

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** The Idempotency-Key, without which a POST or a PATCH must not be retried. */
  readonly key?: string;
}

export interface Response {
  readonly status: number;
  readonly text: string;
  readonly body: unknown;
  readonly replayed: boolean;
  readonly retryAfter: string | undefined;
}

/** Records the responses that a service must never send, however its storage fails. */
export class ResponseRecorder {
  /** Responses with status 503. */
  unavailable = 0;
  /** Requests without a complete response. */
  unanswered = 0;
  readonly faults: string[] = [];

  record({ method, path }: Request, response: Response | undefined): void {
    const fault = (text: string) => this.faults.push(`${method} ${path}: ${text}`);
    if (!response) this.unanswered += 1;
    else if (response.status === 503) {
      this.unavailable += 1;
      if (!(Number(response.retryAfter) >= 1)) fault('503 without Retry-After');
    } else if (response.status >= 500) fault(`${response.status} ${response.text}`);
  }
}

/** Sends requests to the services in turn, and to the next one again when there is no response, or "not now". */
export class ServiceClient {
  readonly responses = new ResponseRecorder();
  /** How often a request was sent again. */
  retries = 0;
  #services: { readonly url: string; readonly agent: Agent }[];
  readonly #retry: boolean;
  #next = 0;

  constructor(urls: readonly string[], { retry }: { readonly retry: boolean }) {
    this.#services = urls.map((url) => ({ url, agent: new Agent({ keepAlive: true, maxSockets: 64 }) }));
    this.#retry = retry;
  }

  /** Resolves with `undefined` if there was no complete response, and none is waited for. */
  async send(message: Request): Promise<(Response & { readonly retried: boolean }) | undefined> {
    for (let attempt = 0; ; attempt++) {
      const service = this.#services[this.#next++ % this.#services.length];
      if (!service) throw new Error('There is no service to send to.');
      const response = await exchange(service.url, service.agent, message);
      this.responses.record(message, response);
      if (!this.#retry || (response && response.status !== 503 && codeOf(response) !== 'idempotency_key_in_progress')) {
        return response && { ...response, retried: attempt > 0 };
      }
      this.retries += 1;
      // A service that starts, drains or is busy needs a turn of the event loop, not a full stop of this client.
      await new Promise((resolve) => setTimeout(resolve, response ? 5 : 1));
    }
  }

  /** Sends nothing more to a service. As soon as it no longer listens, its port may be that of a service of another test. */
  leave(url: string): void {
    this.#services = this.#services.filter((service) => service.url !== url);
  }

  close(): void {
    for (const { agent } of this.#services) agent.destroy();
  }
}

export function codeOf({ body }: Response): string | undefined {
  return (body as { code?: string } | undefined)?.code;
}

function exchange(url: string, agent: Agent, { method, path, body, key }: Request): Promise<Response | undefined> {
  const content = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...(content !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(content) }),
    ...(key !== undefined && { 'Idempotency-Key': key }),
  };
  return new Promise((resolve) => {
    const sent = request(`${url}${path}`, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', () => resolve(undefined));
      response.once('close', () => {
        if (!response.complete) return resolve(undefined);
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          text,
          body: text === '' ? undefined : JSON.parse(text),
          replayed: response.headers['idempotent-replayed'] === 'true',
          retryAfter: response.headers['retry-after'],
        });
      });
    });
    sent.once('error', () => resolve(undefined));
    sent.end(content);
  });
}
