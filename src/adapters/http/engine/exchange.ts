import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../../application/ports/credential-verifier.ts';
import { errorBody, type HttpError } from '../http-error.ts';
import type { HeaderFields, Rendered } from '../protocol/message.ts';
import { type Acceptance, acceptance, JSON_TYPE, PROBLEM_TYPE } from '../protocol/negotiation.ts';
import { API_VERSION } from '../settings.ts';

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** One request and its answer: what every answer has, whoever gives it. Written past Koa's own, which costs more than all the rest. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** Who calls; `undefined` if that is not known. */
  caller: Caller | undefined;
  /** Why the credential that was sent is not good, or cannot be looked at now. It matters only where one is needed. */
  credentialFault: Error | undefined;
  /** Why nothing at all is done for this request. */
  denial: HttpError | undefined;
  readonly #response: ServerResponse;
  #accepted: Acceptance | undefined;
  readonly #common: string[];

  /** `crossOrigin` are the headers that the answer has for browsers of other origins. */
  constructor(request: IncomingMessage, response: ServerResponse, crossOrigin: HeaderFields) {
    this.request = request;
    this.#response = response;
    const given = request.headers['x-request-id'];
    this.requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    this.#common = ['X-Request-Id', this.requestId, 'API-Version', API_VERSION, ...crossOrigin];
  }

  get accepted(): Acceptance {
    this.#accepted ??= acceptance(this.request.headers.accept);
    return this.#accepted;
  }

  get status(): number {
    return this.#response.statusCode;
  }

  get response(): ServerResponse {
    return this.#response;
  }

  /** Headers that this answer has from now on, even if it becomes an error. */
  mark(headers: HeaderFields): void {
    for (const field of headers) this.#common.push(field);
  }

  /** @throws {HttpError} if nothing is to be done for this request */
  mustBeAdmitted(): void {
    if (this.denial) throw this.denial;
  }

  send(status: number, headers: HeaderFields, body?: string | Buffer, type = JSON_TYPE): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    if (body === undefined) {
      response.writeHead(status, [...this.#common, ...headers]);
      response.end();
      return;
    }
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    response.writeHead(status, ['Content-Type', type, 'Content-Length', String(length), ...this.#common, ...headers]);
    response.end(body);
  }

  /** An error as it is sent to whoever asked; `type` is that of its body. */
  render(error: HttpError): Rendered {
    const asProblem = this.accepted.problem;
    return {
      status: error.status,
      headers: ['Vary', 'Accept', 'X-Content-Type-Options', 'nosniff', ...error.headers],
      body: errorBody(error, this.requestId, asProblem),
      type: asProblem ? PROBLEM_TYPE : JSON_TYPE,
    };
  }

  sendRendered({ status, headers, body, type }: Rendered, more: HeaderFields = []): void {
    this.send(status, more.length > 0 ? [...headers, ...more] : headers, body, type);
  }

  sendError(error: HttpError): void {
    this.sendRendered(this.render(error));
  }
}
