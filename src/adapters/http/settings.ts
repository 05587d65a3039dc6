import { type ApiSettings, requiresAuthentication } from '../../api/settings.ts';

/** Settings of the HTTP adapter. */
export interface HttpSettings extends ApiSettings {
  /** The origins whose pages may call; `*` for all, `loopback` for those on the machine of the browser. */
  readonly corsOrigins: '*' | 'loopback' | readonly string[];
  /** Request headers that they may send in addition to those of the interface. */
  readonly corsHeaders: readonly string[];
  /** Whether PUT, PATCH and DELETE are refused without `If-Match`. */
  readonly requireIfMatch: boolean;
  /** When getPet was deprecated and when it is withdrawn, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly getPet: { readonly since: number; readonly sunset: number };
  /** How many proxies are in front of the service, each of which appends to `X-Forwarded-For`. */
  readonly trustedProxies: number;
  readonly limits: HttpLimits;
}

/**
 * What caches may do with a response of the interface (RFC 9111): revalidate it for every use and, where callers have
 * credentials, store it for one caller only.
 */
export function cacheControlOf({ credentials }: Pick<HttpSettings, 'credentials'>): string {
  return requiresAuthentication(credentials) ? 'private, no-cache' : 'no-cache';
}

/** Sizes in bytes, times in milliseconds, all others are counts. */
export interface HttpLimits {
  readonly body: number;
  readonly batchBody: number;
  readonly url: number;
  readonly headers: number;
  readonly headersTime: number;
  readonly requestTime: number;
  readonly keepAlive: number;
  /** How long a response may wait for a client that does not read it. */
  readonly slowReader: number;
  /** How long the processing of one request may take, once it has been received. */
  readonly operationTime: number;
  /** Open connections. */
  readonly connections: number;
  /** Open connections from one address, where no proxy is in front of the service. */
  readonly connectionsPerAddress: number;
  /** Requests in progress. */
  readonly requestsInFlight: number;
  /** Maximum lag of the event loop. */
  readonly eventLoopLag: number;
  /** Open event streams. */
  readonly streams: number;
  /** The time between two comments that keep a stream open. */
  readonly streamHeartbeat: number;
}

export const DEFAULT_LIMITS: HttpLimits = {
  body: 1024 * 1024,
  batchBody: 4 * 1024 * 1024,
  url: 8 * 1024,
  headers: 16 * 1024,
  headersTime: 10_000,
  requestTime: 30_000,
  keepAlive: 65_000,
  slowReader: 30_000,
  operationTime: 15_000,
  connections: 10_000,
  connectionsPerAddress: 1_000,
  requestsInFlight: 1_000,
  eventLoopLag: 1_000,
  streams: 2_000,
  streamHeartbeat: 15_000,
};
