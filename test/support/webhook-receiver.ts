import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that a receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Responds to a request, or does not. */
type Respond = (response: ServerResponse, received: Received) => void;

/** A receiver of webhooks on a free port, which responds with 204 by default. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  respond: Respond = (response) => void response.writeHead(204).end();
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  #waiting: (() => void)[] = [];

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** Resolves when it has received this many requests since it was started. */
  async count(least: number): Promise<readonly Received[]> {
    while (this.received.length < least) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      await promise;
    }
    return this.received;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = request.headers as Readonly<Record<string, string>>;
    const received = { path: request.url ?? '', headers, body: await text(request) };
    this.received.push(received);
    this.respond(response, received);
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
