import type { Digest } from '../../../api/digest.ts';
import { errorBody } from '../../../api/errors/api-error.ts';
import { JSON_TYPE, PROBLEM_TYPE } from '../../../api/media-types.ts';
import { API_VERSION } from '../../../api/settings.ts';
import type { Caller } from '../../../application/ports/credential-verifier.ts';
import { HttpError } from '../http-error.ts';
import { ifMatch, ifNoneMatch } from '../request/preconditions.ts';
import type { RequestHead } from '../request/request-head.ts';
import type { HeaderFields, Rendered } from '../response/message.ts';
import {
  type Acceptance,
  acceptance,
  acceptsAnyCoding,
  type Compress,
  type Compression,
  type Encoding,
  encodingFor,
  tagOfCoding,
} from '../response/negotiation.ts';
import type { BodyMemoryBudget } from './body-memory-budget.ts';

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

const NO_HEADERS: HeaderFields = [];
const VARIES = ['Vary', 'Accept-Encoding'];

/** What a GET returns. */
export interface Representation {
  /** The tag of the uncompressed form. */
  readonly tag: string;
  readonly headers: HeaderFields;
  readonly body: string | Uint8Array;
  readonly type?: string | undefined;
  readonly compress?: Compress;
}

interface Content extends Pick<Representation, 'body'> {
  readonly compress: Compress | undefined;
  readonly type: string;
  /** Of the body, in bytes. */
  readonly length: number;
}

/** What a transport knows of a request when it arrives. */
export interface ExchangeParts {
  /** For a request that names none. */
  readonly newRequestId: () => string;
  readonly digest: Digest;
  /** The headers of the response for browsers of other origins. */
  readonly crossOrigin: HeaderFields;
  readonly cacheControl: string;
}

/** Where the body of a response is written piece by piece. */
export interface StreamWriter {
  /** Returns whether the client reads fast enough; if not, `onDrain` is called when it has read what was written. */
  write(bytes: Uint8Array): boolean;
  /** Completes the response. */
  end(): void;
  /** Disconnects the client. */
  abort(): void;
}

export interface StreamEvents {
  onDrain(): void;
  /** The connection was lost, or the response is complete. */
  onClose(): void;
}

/** One request and its response: what every response has, on every transport. */
export abstract class Exchange {
  readonly request: RequestHead;
  readonly requestId: string;
  readonly digest: Digest;
  /** Who calls; `undefined` if that is not known. */
  caller: Caller | undefined;
  /** Why the credential that was sent is not good, or cannot be verified now. It matters only where one is needed. */
  credentialFault: Error | undefined;
  /** Why nothing at all is done for this request. */
  denial: HttpError | undefined;
  /** What caches may do with the response, whatever it is (RFC 9111). */
  cacheControl: string;
  #accepted: Acceptance | undefined;
  readonly #common: string[];

  constructor(request: RequestHead, { newRequestId, digest, crossOrigin, cacheControl }: ExchangeParts) {
    this.request = request;
    this.digest = digest;
    this.cacheControl = cacheControl;
    const given = request.headers['x-request-id'];
    this.requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : newRequestId();
    this.#common = ['X-Request-Id', this.requestId, 'API-Version', API_VERSION, ...crossOrigin];
  }

  /** The status of the response; `undefined` if none was sent. */
  abstract get status(): number | undefined;

  /** The address of the client, where so many proxies are trusted. */
  abstract clientAddress(trustedProxies: number): string;

  /**
   * Reads the whole body, up to a limit in bytes.
   * @throws {HttpError} `payload_too_large` as soon as that is known, `unavailable`, `request_timeout`, `malformed_request`
   */
  abstract receiveBody(limit: number, memory: BodyMemoryBudget): Promise<Uint8Array>;

  /** Ends the exchange without a response. */
  abstract abandon(): void;

  /** Sends the head of a response, whose body is written to the result; `undefined` if a response was sent before, or none can be. */
  protected abstract writeStream(headers: HeaderFields, events: StreamEvents): StreamWriter | undefined;

  /** Compresses a body that is sent many times. */
  abstract compressForReuse(body: string | Uint8Array, coding: Compression): Promise<Uint8Array>;

  /** Writes the whole response, unless one was written before. */
  protected abstract write(status: number, headers: HeaderFields, body?: string | Uint8Array): void;

  /** The length of a body in bytes. */
  protected abstract lengthOf(body: string | Uint8Array): number;

  /** Compresses a body that is sent once. */
  protected abstract compress(body: string | Uint8Array, coding: Compression): Uint8Array | Promise<Uint8Array>;

  get accepted(): Acceptance {
    this.#accepted ??= acceptance(this.request.headers.accept);
    return this.#accepted;
  }

  /** The headers that every response to this request has, except `Cache-Control`. */
  get commonHeaders(): HeaderFields {
    return this.#common;
  }

  /** Headers that this answer has from now on, even if it becomes an error. */
  addHeaders(headers: HeaderFields): void {
    for (const field of headers) this.#common.push(field);
  }

  /** @throws {HttpError} if nothing is to be done for this request */
  assertAdmitted(): void {
    if (this.denial) throw this.denial;
  }

  /** Sends a response, compressed if the client accepts that; the promise is there if compression takes its time. */
  send(
    status: number,
    headers: HeaderFields,
    body?: string | Uint8Array,
    type = JSON_TYPE,
    compress?: Compress,
  ): void | Promise<void> {
    if (body === undefined) {
      this.#write(status, headers);
      return;
    }
    const length = this.lengthOf(body);
    return this.#sendEncoded(status, headers, { body, type, compress, length }, this.#encodingFor(type, length));
  }

  /**
   * Answers a GET with a representation, or with 304 if the client has it (RFC 9110, section 13).
   * @throws {HttpError} `precondition_failed`
   */
  sendRepresentation({ tag, headers, body, type = JSON_TYPE, compress }: Representation): void | Promise<void> {
    const { 'if-match': expected, 'if-none-match': known } = this.request.headers;
    if (expected !== undefined && !ifMatch(expected, tag)) {
      throw new HttpError('precondition_failed', 'The resource does not have the ETag that If-Match names.');
    }
    const length = this.lengthOf(body);
    const encoding = this.#encodingFor(type, length);
    const tagged = ['ETag', tagOfCoding(tag, encoding.coding ?? 'identity'), ...headers];
    if (known !== undefined && ifNoneMatch(known, tag)) {
      this.#write(304, encoding.varies ? [...tagged, ...VARIES] : tagged);
      return;
    }
    return this.#sendEncoded(200, tagged, { body, type, compress, length }, encoding);
  }

  /** @throws {HttpError} `not_acceptable` if the client accepts no coding that is available */
  assertCodingAccepted(): void {
    if (acceptsAnyCoding(this.request.headers['accept-encoding'])) return;
    throw new HttpError('not_acceptable', 'Accept-Encoding excludes every available coding: br, gzip and identity.');
  }

  /** The error in the form that the client accepts; `type` is the media type of its body. */
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

  /** Begins a response whose body has no end. It is never compressed. The result is `undefined` if there is nothing to write to. */
  sendStream(headers: HeaderFields, events: StreamEvents): StreamWriter | undefined {
    const fields = [...this.#common, 'Cache-Control', this.cacheControl, ...headers];
    if (this.request.method !== 'HEAD') return this.writeStream(fields, events);
    this.write(200, fields);
    return undefined;
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
    const write = (bytes: string | Uint8Array, size: number, coded: HeaderFields) =>
      this.#write(status, ['Content-Type', type, 'Content-Length', String(size), ...coded, ...headers], bytes);
    // Where the client accepts none, an error is sent as it is.
    if (coding === undefined || coding === 'identity') {
      write(body, length, NO_HEADERS);
      return;
    }
    const coded = ['Content-Encoding', coding];
    const compressed = compress ? compress(body, coding) : this.compress(body, coding);
    if (compressed instanceof Promise) return compressed.then((bytes) => write(bytes, bytes.length, coded));
    write(compressed, compressed.length, coded);
  }

  #write(status: number, headers: HeaderFields, body?: string | Uint8Array): void {
    this.write(status, [...this.#common, 'Cache-Control', this.cacheControl, ...headers], body);
  }
}
