import type { HttpLimits } from '../../adapters/http/settings.ts';

export interface LimitSetting {
  readonly variable: string;
  readonly about: string;
  readonly min: number;
  readonly max: number;
}

const MIB = 1024 * 1024;

/** The limits of the HTTP side: sizes in bytes, times in milliseconds, all else counted. */
export const LIMIT_SETTINGS: { readonly [Name in keyof HttpLimits]: LimitSetting } = {
  body: { variable: 'PETSTORE_MAX_BODY_BYTES', about: 'The largest body.', min: 1024, max: 64 * MIB },
  batchBody: {
    variable: 'PETSTORE_MAX_BATCH_BODY_BYTES',
    about: 'The largest body of a batch.',
    min: 1024,
    max: 256 * MIB,
  },
  url: { variable: 'PETSTORE_MAX_URL_BYTES', about: 'The longest request target.', min: 256, max: 64 * 1024 },
  headers: { variable: 'PETSTORE_MAX_HEADER_BYTES', about: 'The largest header section.', min: 1024, max: MIB },
  headersTime: {
    variable: 'PETSTORE_HEADERS_TIMEOUT_MS',
    about: 'How long the headers of a request may take.',
    min: 100,
    max: 600_000,
  },
  requestTime: {
    variable: 'PETSTORE_REQUEST_TIMEOUT_MS',
    about: 'How long a whole request may take.',
    min: 100,
    max: 3_600_000,
  },
  keepAlive: {
    variable: 'PETSTORE_KEEP_ALIVE_MS',
    about: 'How long an idle connection is kept.',
    min: 0,
    max: 3_600_000,
  },
  slowReader: {
    variable: 'PETSTORE_SLOW_READER_MS',
    about: 'How long an answer waits for a client that does not read it.',
    min: 100,
    max: 3_600_000,
  },
  work: {
    variable: 'PETSTORE_WORK_TIMEOUT_MS',
    about: 'How long the work on one request may take, once it has been read; it is undone after that (503).',
    min: 10,
    max: 600_000,
  },
  connections: {
    variable: 'PETSTORE_MAX_CONNECTIONS',
    about: 'How many connections are open at the same time; more are closed at once.',
    min: 1,
    max: 1_000_000,
  },
  connectionsPerAddress: {
    variable: 'PETSTORE_MAX_CONNECTIONS_PER_ADDRESS',
    about: 'How many of them come from one address, unless proxies stand before the service.',
    min: 1,
    max: 1_000_000,
  },
  underWay: {
    variable: 'PETSTORE_MAX_REQUESTS_UNDER_WAY',
    about: 'How many requests are worked on at the same time; more are answered with 503 at once.',
    min: 1,
    max: 1_000_000,
  },
  delay: {
    variable: 'PETSTORE_MAX_DELAY_MS',
    about:
      'How late the process may be with what it has to do; while it is later, requests are answered with 503 at once.',
    min: 10,
    max: 60_000,
  },
};
