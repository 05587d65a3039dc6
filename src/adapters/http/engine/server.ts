import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorBody, HttpError } from '../http-error.ts';
import { JSON_TYPE } from '../protocol/negotiation.ts';
import { API_VERSION, type HttpLimits, type HttpSettings } from '../settings.ts';
import { afterAnswers, isReadingBody, oneByOne } from './pipeline.ts';
import { SlowReaders } from './slow-readers.ts';

/** The listening side: what the network sends before and beside well-formed requests gets an Error body or a closed connection. */
export class HttpServer {
  readonly #server: Server;
  readonly #slowReaders: SlowReaders;

  constructor(listener: RequestListener, { limits }: HttpSettings) {
    this.#slowReaders = new SlowReaders(limits.slowReader);
    const serveOneByOne = oneByOne(listener);
    const serve = (request: IncomingMessage, response: ServerResponse) => {
      this.#slowReaders.watch(response);
      serveOneByOne(request, response);
    };
    this.#server = createServer(
      {
        maxHeaderSize: limits.headers,
        headersTimeout: limits.headersTime,
        requestTimeout: limits.requestTime,
        keepAliveTimeout: limits.keepAlive,
        connectionsCheckingInterval: Math.min(1000, limits.headersTime),
        requireHostHeader: false,
        insecureHTTPParser: false,
        noDelay: true,
      },
      serve,
    );
    // Node would drop the headers after the 2,000th without a word; their size is limited anyway.
    this.#server.maxHeadersCount = 0;
    this.#server.on('checkContinue', serve);
    this.#server.on('checkExpectation', serve);
    this.#server.on('connect', (_request: IncomingMessage, duplex: Duplex) => {
      const socket = duplex as Socket;
      afterAnswers(socket, () => refuse(socket, new HttpError('method_not_allowed', 'CONNECT is not possible here.')));
    });
    this.#server.on('clientError', (error: ParserError, socket: Duplex) =>
      onClientError(error, socket as Socket, limits),
    );
  }

  /** Listens, and gives the port. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', reject);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  /** Takes no new connection, lets what is under way end, and cuts what has not ended after `grace` milliseconds. */
  async close(grace: number): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    // A connection that is idle only now has answered its last request.
    const sweep = setInterval(() => this.#server.closeIdleConnections(), 50);
    const cut = setTimeout(() => this.#server.closeAllConnections(), grace);
    await closed;
    clearInterval(sweep);
    clearTimeout(cut);
    this.#slowReaders.close();
  }
}

interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

function onClientError(error: ParserError, socket: Socket, limits: HttpLimits): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  // The fault lies in the body of the request that is being answered, of which nothing has been done.
  else if (isReadingBody(socket)) refuse(socket, toHttpError(error, limits));
  else afterAnswers(socket, () => refuse(socket, toHttpError(error, limits)));
}

function toHttpError({ code, rawPacket }: ParserError, limits: HttpLimits): HttpError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return isLongLine(rawPacket, limits.url)
        ? new HttpError(
            'uri_too_long',
            `The request line is longer than the ${limits.url} bytes of a target that are read.`,
          )
        : new HttpError('headers_too_large', `The header section is larger than ${limits.headers} bytes.`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HttpError(
        'request_timeout',
        `The request was not complete after ${limits.headersTime / 1000} s for its headers and ${limits.requestTime / 1000} s for all of it.`,
      );
    default:
      return new HttpError('malformed_request', 'This is not a request that HTTP/1.1 allows (RFC 9112).');
  }
}

/** The parser does not say whether it was still in the request line: what it read last tells, if that began with the line. */
function isLongLine(packet: Buffer | undefined, longest: number): boolean {
  const end = packet?.indexOf('\r\n') ?? 0;
  return end < 0 || (end > longest && /^[A-Z]+ /.test(packet?.toString('latin1', 0, 20) ?? ''));
}

/** Answers on the bare socket, where there is no response object, and closes it. */
function refuse(socket: Socket, error: HttpError): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const body = errorBody(error, requestId, false);
  socket.on('error', () => socket.destroy());
  socket.end(
    [
      `HTTP/1.1 ${error.status} ${error.entry.title}`,
      `Content-Type: ${JSON_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Date: ${new Date().toUTCString()}`,
      `X-Request-Id: ${requestId}`,
      `API-Version: ${API_VERSION}`,
      ...(error.code === 'method_not_allowed' ? ['Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'] : []),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  );
}
