import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyMemoryBudget } from '../handler/body-memory-budget.ts';
import { Exchange, type ExchangeParts, type StreamEvents, type StreamWriter } from '../handler/exchange.ts';
import type { HeaderFields } from '../response/message.ts';
import type { Compression } from '../response/negotiation.ts';
import { clientAddress } from './client-address.ts';
import { compressForReuse, compressNow } from './compression.ts';
import { endAfterRequest, isStillSending } from './lingering.ts';
import { receiveBody } from './receive-body.ts';

/** An exchange on Node's server. It bypasses Koa's own response, which costs more than everything else together (docs/adr). */
export class NodeExchange extends Exchange {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse, parts: Omit<ExchangeParts, 'newRequestId'>) {
    super(request, { ...parts, newRequestId: randomUUID });
    this.#request = request;
    this.#response = response;
  }

  get status(): number | undefined {
    return this.#response.headersSent ? this.#response.statusCode : undefined;
  }

  clientAddress(trustedProxies: number): string {
    return clientAddress(this.#request, trustedProxies);
  }

  receiveBody(limit: number, memory: BodyMemoryBudget): Promise<Uint8Array> {
    return receiveBody(this.#request, this.#response, limit, memory);
  }

  /** Ends the connection without a response. */
  abandon(): void {
    this.#response.destroy();
  }

  protected write(status: number, headers: HeaderFields, body?: string | Uint8Array): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    response.writeHead(status, headers as string[]);
    if (!isStillSending(this.#request)) {
      response.end(body);
      return;
    }
    // A response to HEAD has no body, so only its headers can be sent now.
    if (body === undefined || this.request.method === 'HEAD') response.flushHeaders();
    else response.write(body);
    endAfterRequest(this.#request, response);
  }

  protected writeStream(headers: HeaderFields, { onDrain, onClose }: StreamEvents): StreamWriter | undefined {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return undefined;
    response.writeHead(200, headers as string[]);
    // Without the first event too: the client waits for the head.
    response.flushHeaders();
    response.on('drain', onDrain).once('close', onClose);
    // A body that nothing reads would keep the end of the connection from being noticed.
    this.#request.resume();
    return {
      write: (bytes) => response.write(bytes),
      end: () => void response.end(),
      // A connection that is closed instead keeps its unread bytes in the system for minutes.
      abort: () => void response.socket?.resetAndDestroy(),
    };
  }

  protected lengthOf(body: string | Uint8Array): number {
    return Buffer.byteLength(body);
  }

  protected compress(body: string | Uint8Array, coding: Compression): Uint8Array | Promise<Uint8Array> {
    return compressNow(body, coding);
  }

  compressForReuse(body: string | Uint8Array, coding: Compression): Promise<Uint8Array> {
    return compressForReuse(body, coding);
  }
}
