import { type ApiSettings, asksWho } from '../../api/settings.ts';

/** How the HTTP side behaves. */
export interface HttpSettings extends ApiSettings {
  /** The origins whose browsers may call; `*` for all, `loopback` for those on the machine of the browser. */
  readonly corsOrigins: '*' | 'loopback' | readonly string[];
  /** Request headers that they may send beside those of the interface. */
  readonly corsHeaders: readonly string[];
  /** Whether PUT, PATCH and DELETE are refused without `If-Match`. */
  readonly requireIfMatch: boolean;
  /** When getPet was deprecated and when it goes, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly getPet: { readonly since: number; readonly sunset: number };
  /** How many proxies stand before the service, each of which adds to `X-Forwarded-For`. */
  readonly trustedProxies: number;
  readonly limits: HttpLimits;
}

/**
 * What caches may do with a response of the interface (RFC 9111): ask each time whether it still holds and, where callers
 * have credentials, keep it for one caller only.
 */
export function cacheControlOf({ credentials }: Pick<HttpSettings, 'credentials'>): string {
  return asksWho(credentials) ? 'private, no-cache' : 'no-cache';
}

/** Sizes in bytes, times in milliseconds, all else counted. */
export interface HttpLimits {
  readonly body: number;
  readonly batchBody: number;
  readonly url: number;
  readonly headers: number;
  readonly headersTime: number;
  readonly requestTime: number;
  readonly keepAlive: number;
  /** How long an answer may wait for a client that does not read it. */
  readonly slowReader: number;
  /** How long the work on one request may take, once it has been read. */
  readonly operationTime: number;
  /** Connections at the same time. */
  readonly connections: number;
  /** Connections from one address at the same time, where no proxy stands before the service. */
  readonly connectionsPerAddress: number;
  /** Requests that are being worked on at the same time. */
  readonly requestsInFlight: number;
  /** How late the event loop may be. */
  readonly eventLoopLag: number;
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
};
