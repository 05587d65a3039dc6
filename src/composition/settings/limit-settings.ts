import type { HttpLimits } from '../../adapters/http/settings.ts';

export interface LimitSetting {
  readonly variable: string;
  readonly about: string;
  readonly min: number;
  readonly max: number;
}

const MIB = 1024 * 1024;

/** The limits of the HTTP adapter: sizes in bytes, times in milliseconds, all others are counts. */
export const LIMIT_SETTINGS: { readonly [Name in keyof HttpLimits]: LimitSetting } = {
  body: { variable: 'PETSTORE_MAX_BODY_BYTES', about: 'Maximum size of a request body.', min: 1024, max: 64 * MIB },
  batchBody: {
    variable: 'PETSTORE_MAX_BATCH_BODY_BYTES',
    about: 'Maximum size of the request body of a batch.',
    min: 1024,
    max: 256 * MIB,
  },
  url: { variable: 'PETSTORE_MAX_URL_BYTES', about: 'Maximum length of the request target.', min: 256, max: 64 * 1024 },
  headers: {
    variable: 'PETSTORE_MAX_HEADER_BYTES',
    about: 'Maximum size of the request headers.',
    min: 1024,
    max: MIB,
  },
  headersTime: {
    variable: 'PETSTORE_HEADERS_TIMEOUT_MS',
    about: 'Time limit for receiving the headers of a request.',
    min: 100,
    max: 600_000,
  },
  requestTime: {
    variable: 'PETSTORE_REQUEST_TIMEOUT_MS',
    about: 'Time limit for receiving a whole request.',
    min: 100,
    max: 3_600_000,
  },
  keepAlive: {
    variable: 'PETSTORE_KEEP_ALIVE_MS',
    about: 'How long an idle connection stays open.',
    min: 0,
    max: 3_600_000,
  },
  slowReader: {
    variable: 'PETSTORE_SLOW_READER_MS',
    about: 'How long a response waits for a client that does not read it; the connection is reset after that.',
    min: 100,
    max: 3_600_000,
  },
  operationTime: {
    variable: 'PETSTORE_OPERATION_TIMEOUT_MS',
    about:
      'Time limit for processing one request after it was received, and for verifying its credential; the work is rolled back after that (503).',
    min: 10,
    max: 600_000,
  },
  connections: {
    variable: 'PETSTORE_MAX_CONNECTIONS',
    about: 'Maximum number of open connections; further ones are closed at once.',
    min: 1,
    max: 1_000_000,
  },
  connectionsPerAddress: {
    variable: 'PETSTORE_MAX_CONNECTIONS_PER_ADDRESS',
    about: 'Maximum number of open connections from one address; not applied behind trusted proxies.',
    min: 1,
    max: 1_000_000,
  },
  requestsInFlight: {
    variable: 'PETSTORE_MAX_REQUESTS_IN_FLIGHT',
    about: 'Maximum number of requests in progress; further ones are rejected with 503 at once.',
    min: 1,
    max: 1_000_000,
  },
  eventLoopLag: {
    variable: 'PETSTORE_MAX_EVENT_LOOP_LAG_MS',
    about: 'Maximum event-loop lag; above it, requests are rejected with 503 at once.',
    min: 10,
    max: 60_000,
  },
  streams: {
    variable: 'PETSTORE_MAX_STREAMS',
    about: 'Maximum number of open event streams; further ones are rejected with 503.',
    min: 0,
    max: 1_000_000,
  },
  streamHeartbeat: {
    variable: 'PETSTORE_STREAM_HEARTBEAT_MS',
    about:
      'How often a comment is sent on each event stream to keep its connection open, and its credential is verified again.',
    min: 100,
    max: 600_000,
  },
};
