import { LOG_LEVELS, type LogLevel } from '../../adapters/logging/log-levels.ts';
import { parseDateTime } from '../../api/date-time.ts';
import { onOff, type SettingsOf, whole } from './setting.ts';
import { WEBHOOK_SETTINGS, type WebhookOptions } from './webhook-settings.ts';

/** Storage, addresses and behaviour of the service. */
export interface ServiceOptions extends WebhookOptions {
  /** `memory:`, `sqlite:` with the path of a file, or the address of a PostgreSQL database. */
  readonly databaseUrl: string;
  /** Whether an acknowledged change survives a power cut (`full`), or only a crash of the process (`normal`). */
  readonly sqliteSynchronous: 'full' | 'normal';
  /** Connections. */
  readonly postgresPool: number;
  readonly postgresIsolation: 'read committed' | 'serializable';
  /** Addresses of streaming standbys of the PostgreSQL database. */
  readonly postgresReplicas: readonly string[];
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly basePath: string;
  readonly publicUrl: string;
  /** `undefined`: loopback origins while authentication is off, and no origin otherwise. */
  readonly corsOrigins: '*' | readonly string[] | undefined;
  /** Names of request headers. */
  readonly corsHeaders: readonly string[];
  readonly unstable: boolean;
  readonly requireIfMatch: boolean;
  /** Whether a store that was never used is filled with a small demonstration catalogue. `undefined`: while authentication is off. */
  readonly demo: boolean | undefined;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly getPetDeprecated: number;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly getPetSunset: number;
  /** Modules of other teams: paths, or names of packages. */
  readonly adapters: readonly string[];
  /** Time limit for loading one of them, and for opening its storage, in milliseconds. */
  readonly adapterTimeout: number;
  /** Days. */
  readonly eventsRetentionAge: number;
  /** Positions of the event log. */
  readonly eventsRetentionCount: number;
  readonly logLevel: LogLevel;
  /** Standard output, or standard error. */
  readonly logTo: 'stdout' | 'stderr';
  /** How long requests in progress may take when the service shuts down, in milliseconds. */
  readonly shutdownGrace: number;
}

const instant = {
  expects: 'a date and time of RFC 3339, such as 2027-12-31T23:59:59Z',
  read: parseDateTime,
};

/** `postgresql://` or `postgres://`, with the name of a database. */
export function isPostgresAddress(text: string): boolean {
  try {
    return /^postgres(?:ql)?:\/\//.test(text) && decodeURIComponent(new URL(text).pathname).length > 1;
  } catch {
    return false;
  }
}

/**
 * Whether a text names a file for SQLite. SQLite reads an empty path as a temporary database and `:memory:` as one in memory, even
 * with white space around them; URIs such as `file::memory:` and `file:store?mode=memory` mean the same to other programs.
 */
function isSqliteFile(text: string): boolean {
  const [, path = ''] = /^sqlite:(.+)$/s.exec(text) ?? [];
  return path.trim() !== '' && !/^\s*:memory:\s*$|^\s*file:|[?&]mode=memory/i.test(path);
}

/** An address without its password, even if it is malformed. */
export function withoutPassword(text: string): string {
  if (/^(?:sqlite|memory):/i.test(text)) return text;
  return text.replace(/:(?!\/\/).*@/s, ':***@').replace(/(password=)[^&]*/gi, '$1***');
}

/** The same for a list. A password may contain commas, which may be the very mistake. */
function withoutPasswords(text: string): string {
  return text
    .split(/,(?=\s*postgres(?:ql)?:\/\/)/i)
    .map(withoutPassword)
    .join();
}

/** An origin, or an origin and a path, in its normal form. */
function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, origin, pathname } = new URL(text);
  return /^https?:$/.test(protocol) && text === origin + pathname.replace(/\/$/, '');
}

/** The origin of an http or https address as browsers write it (in lower case, without a default port); `undefined` for any other text. */
function originOf(text: string): string | undefined {
  return /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text) ? new URL(text).origin : undefined;
}

/** RFC 9110, section 5.6.2, without the asterisk, which would allow every header. */
const FIELD_NAME = /^[\w!#$%&'+.^`|~-]+$/;

/** The service endpoints, which have no base path. */
const SERVICE_ENDPOINTS = /^\/(?:docs|errors|health|metrics|openapi\.json|openapi\.yaml|asyncapi\.json)(?:\/|$)/;

export const SERVICE_SETTINGS = {
  databaseUrl: {
    variable: 'DATABASE_URL',
    default: 'sqlite:./data/petstore.db',
    expects: 'sqlite: and the path of a file, memory:, or an address such as postgresql://user@host:5432/database',
    about: 'Where the store is kept. `memory:` persists nothing.',
    read: (text) => (text === 'memory:' || isSqliteFile(text) || isPostgresAddress(text) ? text : undefined),
    hint: (text) =>
      text.startsWith('sqlite:')
        ? 'For a store in memory, set memory:. A path is not a URI, and not empty.'
        : undefined,
    show: withoutPassword,
  },
  sqliteSynchronous: {
    variable: 'PETSTORE_SQLITE_SYNCHRONOUS',
    default: 'full',
    expects: 'full or normal',
    about: '`full`: an acknowledged change survives a power failure. `normal`: it survives a crash of the process.',
    read: (text) => (text === 'full' || text === 'normal' ? text : undefined),
  },
  postgresPool: {
    variable: 'PETSTORE_POSTGRES_POOL',
    default: 10,
    expects: 'a whole number from 1 to 1000',
    about: 'Maximum number of connections to PostgreSQL for writing, and the same number for reading.',
    read: (text) => whole(text, 1, 1_000),
  },
  postgresIsolation: {
    variable: 'PETSTORE_POSTGRES_ISOLATION',
    default: 'read committed',
    expects: 'read committed or serializable',
    about:
      'Transaction isolation level on PostgreSQL. Both are correct; `serializable` is for engines that support no other.',
    read: (text) => (text === 'read committed' || text === 'serializable' ? text : undefined),
  },
  postgresReplicas: {
    variable: 'PETSTORE_POSTGRES_REPLICAS',
    default: [],
    expects: 'addresses such as postgresql://user@standby:5432/database, separated by commas',
    about: 'Streaming standbys to read from while they are caught up; see PostgreSQL.',
    read: (text) => {
      const addresses = text.split(',').map((address) => address.trim());
      return addresses.every(isPostgresAddress) ? addresses : undefined;
    },
    show: withoutPasswords,
  },
  host: {
    variable: 'HOST',
    default: '127.0.0.1',
    expects: 'an address or a name of this machine',
    about:
      'The address to listen on. While `PETSTORE_AUTH` is `open`, it must be one that only this machine can reach (`127.0.0.1`, `::1` or `localhost`), unless `PETSTORE_OPEN_NETWORK` is `on`.',
    read: (text) => (/^[\w.:-]+$/.test(text) ? text : undefined),
  },
  port: {
    variable: 'PORT',
    default: 8080,
    expects: 'a whole number from 0 to 65535',
    about: 'The port to listen on; 0 takes a free one.',
    read: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : undefined),
  },
  basePath: {
    variable: 'PETSTORE_BASE_PATH',
    default: '',
    expects:
      'empty, or a path such as /v1, with / at its beginning and none at its end, apart from the pages of the service',
    about: 'Prefix of every path of the interface.',
    read: (text) =>
      /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*$/.test(text) && !SERVICE_ENDPOINTS.test(text) ? text : undefined,
  },
  publicUrl: {
    variable: 'PETSTORE_PUBLIC_URL',
    default: '',
    expects:
      'empty, or an http or https address such as https://api.example or https://api.example/petstore, without a slash at its end',
    about:
      'How clients address the service: `Location`, `Link` and the document have absolute addresses that begin with it and go on with `PETSTORE_BASE_PATH`. Empty: they are paths.',
    read: (text) => (text === '' || isPublicUrl(text) ? text : undefined),
  },
  corsOrigins: {
    variable: 'PETSTORE_CORS_ORIGINS',
    default: undefined,
    expects: '* or origins such as https://shop.example, separated by commas',
    about:
      'The origins whose pages may call. If it is not set: those on localhost while `PETSTORE_AUTH` is `open`, and none otherwise. `*`: all.',
    read: (text) => {
      if (text === '*') return '*';
      const origins = text.split(',').map((origin) => origin.trim());
      return origins.every((origin) => originOf(origin) === origin) ? origins : undefined;
    },
    hint: (text) => {
      const given = text.split(',').map((origin) => origin.trim());
      const slashed = given.find((origin) => `${originOf(origin)}/` === origin);
      if (slashed) return `A browser sends an origin without a slash at its end: set ${slashed.slice(0, -1)}.`;
      const other = given.find((origin) => ![undefined, origin].includes(originOf(origin)));
      return other && `A browser sends ${originOf(other)} for ${other}.`;
    },
  },
  corsHeaders: {
    variable: 'PETSTORE_CORS_HEADERS',
    default: [],
    expects: 'names of headers such as X-Client-Version, separated by commas',
    about: 'Request headers that pages of other origins may send, beside those of the interface.',
    read: (text) => {
      const names = text.split(',').map((name) => name.trim());
      return names.every((name) => FIELD_NAME.test(name)) ? names : undefined;
    },
  },
  unstable: {
    variable: 'PETSTORE_UNSTABLE',
    default: true,
    about: 'Whether beta and experimental operations are served.',
    ...onOff,
  },
  requireIfMatch: {
    variable: 'PETSTORE_REQUIRE_IF_MATCH',
    default: false,
    about: 'Whether PUT, PATCH and DELETE require `If-Match` (428 without it).',
    ...onOff,
  },
  demo: {
    variable: 'PETSTORE_DEMO',
    default: undefined,
    about:
      'Whether a store that was never used, and has no API keys, is filled with a small demonstration catalogue. If it is not set: only while `PETSTORE_AUTH` is `open`.',
    ...onOff,
  },
  getPetDeprecated: {
    variable: 'PETSTORE_GETPET_DEPRECATED',
    default: Date.parse('2026-06-30T00:00:00Z'),
    about: 'When getPet became deprecated.',
    ...instant,
  },
  getPetSunset: {
    variable: 'PETSTORE_GETPET_SUNSET',
    default: Date.parse('2027-12-31T23:59:59Z'),
    about: 'When getPet is withdrawn.',
    ...instant,
  },
  ...WEBHOOK_SETTINGS,
  adapters: {
    variable: 'PETSTORE_ADAPTERS',
    default: [],
    expects: 'paths of modules such as ./acme-storage.js, or names of installed packages, separated by commas',
    about:
      'Modules with adapters that replace or extend the built-in ones, or with Koa middleware; see docs/writing-an-adapter.md and docs/koa-middleware.md.',
    read: (text) => {
      const sources = text.split(',').map((source) => source.trim());
      return sources.every((source) => /^[^\s\p{Cc}]+$/u.test(source)) ? sources : undefined;
    },
  },
  adapterTimeout: {
    variable: 'PETSTORE_ADAPTER_TIMEOUT_MS',
    default: 60_000,
    expects: 'a whole number of milliseconds from 100 to 3600000',
    about:
      'How long each adapter of another team may take to load, and its storage to open. A later one stops the start.',
    read: (text) => whole(text, 100, 3_600_000),
  },
  eventsRetentionAge: {
    variable: 'PETSTORE_EVENTS_RETENTION_DAYS',
    default: 30,
    expects: 'a whole number of days from 1 to 36500',
    about: 'How long events are kept. Older ones are removed.',
    read: (text) => whole(text, 1, 36_500),
  },
  eventsRetentionCount: {
    variable: 'PETSTORE_EVENTS_RETENTION_COUNT',
    default: 1_000_000,
    expects: 'a whole number from 1000 to 100000000000',
    about: 'How many events are kept, counted by positions. The oldest ones beyond that are removed.',
    read: (text) => whole(text, 1_000, 100_000_000_000),
  },
  logLevel: {
    variable: 'PETSTORE_LOG_LEVEL',
    default: 'info',
    expects: LOG_LEVELS.join(', '),
    about: 'Minimum severity that is logged. The service itself logs nothing at `debug`; your adapters may.',
    read: (text) => LOG_LEVELS.find((level) => level === text),
  },
  logTo: {
    variable: 'PETSTORE_LOG_TO',
    default: 'stdout',
    expects: 'stdout or stderr',
    about:
      'Where the log is written: to standard output, or to standard error, which leaves standard output to a program.',
    read: (text) => (text === 'stdout' || text === 'stderr' ? text : undefined),
  },
  shutdownGrace: {
    variable: 'PETSTORE_SHUTDOWN_GRACE_MS',
    default: 20_000,
    expects: 'a whole number of milliseconds from 0 to 600000',
    about: 'How long requests in progress may take when the service shuts down.',
    read: (text) => whole(text, 0, 600_000),
  },
} satisfies SettingsOf<ServiceOptions>;
