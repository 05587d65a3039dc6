import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorBody } from '../../../api/errors/api-error.ts';
import { JSON_TYPE, PROBLEM_TYPE } from '../../../api/media-types.ts';
import { API_VERSION } from '../../../api/settings.ts';
import type { Caller } from '../../../application/ports/credential-verifier.ts';
import { HttpError } from '../http-error.ts';
import { ifMatch, ifNoneMatch, tagOfCoding } from '../protocol/conditional.ts';
import {
  acceptsAnyCoding,
  type Compress,
  compressNow,
  type Encoding,
  encodingFor,
} from '../protocol/content-coding.ts';
import type { HeaderFields, Rendered } from '../protocol/message.ts';
import { type Acceptance, acceptance } from '../protocol/negotiation.ts';
import { endAfterRequest, isStillSending } from './lingering.ts';

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

const NO_HEADERS: HeaderFields = [];
const VARIES = ['Vary', 'Accept-Encoding'];

/** What a GET returns. */
export interface Representation {
  /** The tag of the uncompressed form. */
  readonly tag: string;
  readonly headers: HeaderFields;
  readonly body: string | Buffer;
  readonly type?: string | undefined;
  readonly compress?: Compress;
}

interface Content extends Required<Pick<Representation, 'body' | 'compress'>> {
  readonly type: string;
  /** Of the body, in bytes. */
  readonly length: number;
}

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
  /** What caches may do with the response, whatever it is (RFC 9111). */
  cacheControl: string;
  readonly #response: ServerResponse;
  #accepted: Acceptance | undefined;
  readonly #common: string[];

  /** `crossOrigin` are the headers that the answer has for browsers of other origins. */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { crossOrigin, cacheControl }: { readonly crossOrigin: HeaderFields; readonly cacheControl: string },
  ) {
    this.request = request;
    this.cacheControl = cacheControl;
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

  /** Sends a response, compressed if the client accepts that; the promise is there if compression takes its time. */
  send(
    status: number,
    headers: HeaderFields,
    body?: string | Buffer,
    type = JSON_TYPE,
    compress: Compress = compressNow,
  ): void | Promise<void> {
    if (body === undefined) {
      this.#write(status, headers);
      return;
    }
    const length = Buffer.byteLength(body);
    return this.#sendEncoded(status, headers, { body, type, compress, length }, this.#encodingFor(type, length));
  }

  /**
   * Answers a GET with a representation, or with 304 if the client has it (RFC 9110, section 13).
   * @throws {HttpError} `precondition_failed`
   */
  sendRepresentation({
    tag,
    headers,
    body,
    type = JSON_TYPE,
    compress = compressNow,
  }: Representation): void | Promise<void> {
    const { 'if-match': expected, 'if-none-match': known } = this.request.headers;
    if (expected !== undefined && !ifMatch(expected, tag)) {
      throw new HttpError('precondition_failed', 'The resource does not have the ETag that If-Match names.');
    }
    const length = Buffer.byteLength(body);
    const encoding = this.#encodingFor(type, length);
    const tagged = ['ETag', tagOfCoding(tag, encoding.coding ?? 'identity'), ...headers];
    if (known !== undefined && ifNoneMatch(known, tag)) {
      this.#write(304, encoding.varies ? [...tagged, ...VARIES] : tagged);
      return;
    }
    return this.#sendEncoded(200, tagged, { body, type, compress, length }, encoding);
  }

  /** @throws {HttpError} `not_acceptable` if the client accepts no coding that is available */
  mustAcceptCoding(): void {
    if (acceptsAnyCoding(this.request.headers['accept-encoding'])) return;
    throw new HttpError('not_acceptable', 'Accept-Encoding excludes every available coding: br, gzip and identity.');
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

  sendRendered({ status, tag, headers, body, type }: Rendered, more: HeaderFields = NO_HEADERS): void | Promise<void> {
    const fields = tag === undefined ? headers : ['ETag', tag, ...headers];
    return this.send(status, more.length > 0 ? [...fields, ...more] : fields, body, type);
  }

  sendError(error: HttpError): void | Promise<void> {
    return this.sendRendered(this.render(error));
  }

  #encodingFor(type: string, length: number): Encoding {
    return encodingFor(this.request.headers['accept-encoding'], type, length);
  }

  #sendEncoded(
    status: number,
    given: HeaderFields,
    { body, type, compress, length }: Content,
    { coding, varies }: Encoding,
  ): void | Promise<void> {
    const headers = varies ? [...given, ...VARIES] : given;
    const write = (bytes: string | Buffer, size: number, coded: HeaderFields) =>
      this.#write(status, ['Content-Type', type, 'Content-Length', String(size), ...coded, ...headers], bytes);
    // Where the client accepts none, an error is sent as it is.
    if (coding === undefined || coding === 'identity') {
      write(body, length, NO_HEADERS);
      return;
    }
    const coded = ['Content-Encoding', coding];
    const compressed = compress(body, coding);
    if (compressed instanceof Promise) return compressed.then((bytes) => write(bytes, bytes.length, coded));
    write(compressed, compressed.length, coded);
  }

  #write(status: number, headers: HeaderFields, body?: string | Buffer): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    response.writeHead(status, [...this.#common, 'Cache-Control', this.cacheControl, ...headers]);
    if (!isStillSending(this.request)) {
      response.end(body);
      return;
    }
    // A response to HEAD leaves its body out, and with it all that would be sent now.
    if (body === undefined || this.request.method === 'HEAD') response.flushHeaders();
    else response.write(body);
    endAfterRequest(this.request, response);
  }
}
