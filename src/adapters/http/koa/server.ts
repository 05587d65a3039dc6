import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorBody } from '../../../api/errors/api-error.ts';
import { JSON_TYPE } from '../../../api/media-types.ts';
import { API_VERSION } from '../../../api/settings.ts';
import { HttpError } from '../http-error.ts';
import { hostRule } from '../request/host.ts';
import { TOO_MANY_HEADERS } from '../request/request-target.ts';
import { crossOrigin } from '../response/cross-origin.ts';
import type { HeaderFields } from '../response/message.ts';
import { cacheControlOf, type HttpLimits, type HttpSettings } from '../settings.ts';
import { AddressLimit } from './address-limit.ts';
import { peerAddress } from './client-address.ts';
import { closeAfterClient, firstFaults, isFirstFault } from './lingering.ts';
import { afterPendingResponses, requestBeingRead, serializeRequests } from './pipelining.ts';
import { SlowClients } from './slow-clients.ts';

/** Listens. Input that is not a well-formed request gets an Error body or a closed connection. */
export class HttpServer {
  readonly #server: Server;
  readonly #slowClients: SlowClients;

  /** `admitUnread` counts input that is not a request against the quota, and returns the headers of its response. */
  constructor(
    listener: RequestListener,
    settings: HttpSettings,
    admitUnread: (address: string) => Promise<HeaderFields> | undefined,
  ) {
    const { limits, trustedProxies, allowedHosts } = settings;
    // The origin of a request that cannot be read is unknown.
    const common = [...crossOrigin(settings)(undefined), 'Cache-Control', cacheControlOf(settings)];
    this.#slowClients = new SlowClients(limits.slowReader);
    const serve = serializeRequests(listener);
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
        ServerResponse: this.#slowClients.responseClass(),
      },
      serve,
    );
    this.#server.maxHeadersCount = TOO_MANY_HEADERS;
    const refuseOn = (socket: Socket, error: HttpError, packet?: Buffer) =>
      void refuse(socket, error, {
        common,
        admitted: admitUnread(peerAddress(socket)),
        isHead: packet?.toString('latin1', 0, 5) === 'HEAD ',
      });
    this.#server.on('checkContinue', serve);
    this.#server.on('checkExpectation', serve);
    const forbiddenHost = hostRule(allowedHosts);
    this.#server.on('connect', (request: IncomingMessage, duplex: Duplex) => {
      const socket = duplex as Socket;
      const fault = forbiddenHost(request) ?? new HttpError('method_not_allowed', 'CONNECT is not supported.');
      afterPendingResponses(socket, () => refuseOn(socket, fault));
    });
    this.#server.on('clientError', (error: ParserError, duplex: Duplex) => {
      const socket = duplex as Socket;
      if (error.code === 'ECONNRESET') socket.destroy();
      else if (isFirstFault(socket)) {
        const fault = faultOf(error, limits);
        firstFaults.set(socket, fault);
        // The reader of a body in progress gets the fault and responds.
        if (!requestBeingRead(socket)?.emit('error', fault)) {
          afterPendingResponses(socket, () => refuseOn(socket, fault, error.rawPacket));
        }
      }
    });
    this.#server.maxConnections = limits.connections;
    // Behind a proxy, all connections come from its address.
    if (trustedProxies === 0) {
      const limit = new AddressLimit(limits.connectionsPerAddress);
      this.#server.on('connection', (socket: Socket) => limit.admit(socket));
    }
  }

  /** Listens, and returns the port. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', reject);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  /** Accepts no new connection, completes the requests in progress, and closes what remains after `grace` milliseconds. */
  async close(grace: number): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    // A connection becomes idle when its last request has been answered.
    const sweep = setInterval(() => this.#server.closeIdleConnections(), 50);
    const cut = setTimeout(() => this.#server.closeAllConnections(), grace);
    await closed;
    clearInterval(sweep);
    clearTimeout(cut);
    this.#slowClients.close();
  }
}

interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** The parser cannot find the beginning of the next request on the connection. */
const CLOSING = { headers: ['Connection', 'close'] };

function faultOf({ code, rawPacket }: ParserError, limits: HttpLimits): HttpError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return isLongLine(rawPacket, limits.url)
        ? new HttpError('uri_too_long', `The request target exceeds the limit of ${limits.url} bytes.`, CLOSING)
        : new HttpError(
            'headers_too_large',
            `The request line and the headers exceed the limit of ${limits.headers} bytes, or there are ${TOO_MANY_HEADERS} fields or more.`,
            CLOSING,
          );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HttpError(
        'request_timeout',
        `The request was incomplete after the time limit: ${limits.headersTime / 1000} s for the headers, ${limits.requestTime / 1000} s in all.`,
        CLOSING,
      );
    default:
      return new HttpError('malformed_request', 'This is not a valid HTTP/1.1 request (RFC 9112).', CLOSING);
  }
}

/** The parser does not report whether it was in the request line: its last packet shows it, if it begins with that line. */
function isLongLine(packet: Buffer | undefined, longest: number): boolean {
  if (!packet || !/^[A-Z]+ /.test(packet.toString('latin1', 0, 20))) return false;
  const end = packet.indexOf('\r\n');
  return end < 0 || end > longest;
}

interface UnreadRequest {
  /** The headers of every response. */
  readonly common: HeaderFields;
  /** The headers that the rate limiter adds. */
  readonly admitted: Promise<HeaderFields> | undefined;
  /** Whether no body is expected, as far as the last packet shows. */
  readonly isHead: boolean;
}

/** Responds on the bare socket, since there is no response object, and closes it. */
async function refuse(socket: Socket, error: HttpError, { common, admitted, isHead }: UnreadRequest): Promise<void> {
  socket.on('error', () => socket.destroy());
  const { bytesWritten } = socket;
  const rateHeaders = admitted ? await admitted : [];
  // Another response was sent in the meantime.
  if (!socket.writable || socket.bytesWritten > bytesWritten) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const body = errorBody(error, requestId, false);
  socket.end(
    [
      `HTTP/1.1 ${error.status} ${error.entry.title}`,
      `Content-Type: ${JSON_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Date: ${new Date().toUTCString()}`,
      `X-Request-Id: ${requestId}`,
      `API-Version: ${API_VERSION}`,
      ...(error.code === 'method_not_allowed' ? ['Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'] : []),
      ...linesOf([...common, ...rateHeaders]),
      'Connection: close',
      '',
      isHead ? '' : body,
    ].join('\r\n'),
    // A late rest of the request must not be parsed as a new one.
    () => (error.code === 'request_timeout' ? socket.destroy() : closeAfterClient(socket)),
  );
}

function linesOf(headers: HeaderFields): string[] {
  const lines: string[] = [];
  for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`);
  return lines;
}
