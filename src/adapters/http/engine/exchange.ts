import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorBody, type HttpError } from '../http-error.ts';
import type { HeaderFields } from '../protocol/message.ts';
import { type Acceptance, acceptance, JSON_TYPE, PROBLEM_TYPE } from '../protocol/negotiation.ts';
import { API_VERSION } from '../settings.ts';

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** One request and its answer: what every answer has, whoever gives it. Written past Koa's own, which costs more than all the rest. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly #response: ServerResponse;
  #accepted: Acceptance | undefined;
  #common: string[];

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
    if (headers.length > 0) this.#common = [...this.#common, ...headers];
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

  sendError(error: HttpError): void {
    const asProblem = this.accepted.problem;
    const body = errorBody(error, this.requestId, asProblem);
    const headers = ['Vary', 'Accept', 'X-Content-Type-Options', 'nosniff', ...error.headers];
    this.send(error.status, headers, body, asProblem ? PROBLEM_TYPE : JSON_TYPE);
  }
}
