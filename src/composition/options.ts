import { parseDateTime } from '../adapters/http/protocol/date-time.ts';
import { DEFAULT_LIMITS, type HttpLimits } from '../adapters/http/settings.ts';
import { LOG_LEVELS, type LogLevel } from '../adapters/logging/pino-log.ts';

/** All that can be set. Whoever starts a petstore in a program gives some of it; the rest has its default. */
export interface PetstoreOptions {
  /** `memory:`, or `sqlite:` and the path of a file. */
  readonly databaseUrl: string;
  /** Whether an acknowledged change survives a power cut (`full`), or only a crash of the process (`normal`). */
  readonly sqliteSynchronous: 'full' | 'normal';
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly basePath: string;
  readonly corsOrigins: '*' | readonly string[];
  readonly unstable: boolean;
  readonly requireIfMatch: boolean;
  /** Whether an empty store is filled with a small demonstration catalogue. */
  readonly demo: boolean;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly getPetDeprecated: number;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly getPetSunset: number;
  readonly logLevel: LogLevel;
  /** How long what is under way may take when the service shuts down, in milliseconds. */
  readonly shutdownGrace: number;
  readonly limits: HttpLimits;
}

interface Setting<Value> {
  readonly variable: string;
  readonly default: Value;
  /** What it may be, as the end of a sentence that begins "it must be". */
  readonly expects: string;
  readonly about: string;
  /** Gives `undefined` for a text that is none of that. */
  read(text: string): Value | undefined;
}

type Settings = { readonly [Name in Exclude<keyof PetstoreOptions, 'limits'>]: Setting<PetstoreOptions[Name]> };

const onOff = {
  expects: 'on or off',
  read: (text: string) => (text === 'on' ? true : text === 'off' ? false : undefined),
};

const instant = {
  expects: 'a date and time of RFC 3339, such as 2027-12-31T23:59:59Z',
  read: parseDateTime,
};

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;

/** Every setting: what it is called outside, what it is about, and what it may be. */
export const SETTINGS: Settings = {
  databaseUrl: {
    variable: 'DATABASE_URL',
    default: 'sqlite:./data/petstore.db',
    expects: 'sqlite: and the path of a file, or memory:',
    about: 'Where the store is kept. `memory:` keeps nothing when the service ends.',
    read: (text) => (text === 'memory:' || /^sqlite:.+/.test(text) ? text : undefined),
  },
  sqliteSynchronous: {
    variable: 'PETSTORE_SQLITE_SYNCHRONOUS',
    default: 'full',
    expects: 'full or normal',
    about: '`full`: an acknowledged change survives a power cut. `normal`: it survives a crash of the process.',
    read: (text) => (text === 'full' || text === 'normal' ? text : undefined),
  },
  host: {
    variable: 'HOST',
    default: '127.0.0.1',
    expects:
      'a loopback address (127.0.0.1, ::1 or localhost), because everyone who reaches the service may do everything',
    about:
      'The address to listen on. The store asks nobody who they are, so it only listens where this machine alone can reach it.',
    read: (text) => (LOOPBACK.test(text) ? text : undefined),
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
    expects: 'empty, or a path such as /v1, with / at its beginning and none at its end',
    about: 'What stands before every path of the interface.',
    read: (text) => (/^(?:\/[A-Za-z0-9._~-]+)*$/.test(text) ? text : undefined),
  },
  corsOrigins: {
    variable: 'PETSTORE_CORS_ORIGINS',
    default: '*',
    expects: '* or origins such as https://shop.example, separated by commas',
    about: 'The origins whose browsers may call.',
    read: (text) => {
      if (text === '*') return '*';
      const origins = text.split(',').map((origin) => origin.trim());
      return origins.every((origin) => /^https?:\/\/[^/\s]+$/.test(origin)) ? origins : undefined;
    },
  },
  unstable: {
    variable: 'PETSTORE_UNSTABLE',
    default: true,
    about: 'Whether operations marked beta or experimental are served.',
    ...onOff,
  },
  requireIfMatch: {
    variable: 'PETSTORE_REQUIRE_IF_MATCH',
    default: false,
    about: 'Whether PUT, PATCH and DELETE are refused (428) without `If-Match`.',
    ...onOff,
  },
  demo: {
    variable: 'PETSTORE_DEMO',
    default: true,
    about: 'Whether an empty store is filled, once, with a small demonstration catalogue.',
    ...onOff,
  },
  getPetDeprecated: {
    variable: 'PETSTORE_GETPET_DEPRECATED',
    default: Date.parse('2026-06-30T00:00:00Z'),
    about: 'Since when getPet is deprecated.',
    ...instant,
  },
  getPetSunset: {
    variable: 'PETSTORE_GETPET_SUNSET',
    default: Date.parse('2027-12-31T23:59:59Z'),
    about: 'From when on getPet is withdrawn.',
    ...instant,
  },
  logLevel: {
    variable: 'PETSTORE_LOG_LEVEL',
    default: 'info',
    expects: LOG_LEVELS.join(', '),
    about: 'What is logged: this and everything graver.',
    read: (text) => LOG_LEVELS.find((level) => level === text),
  },
  shutdownGrace: {
    variable: 'PETSTORE_SHUTDOWN_GRACE_MS',
    default: 20_000,
    expects: 'a whole number of milliseconds from 0 to 600000',
    about: 'How long what is under way may take when the service shuts down.',
    read: (text) => whole(text, 0, 600_000),
  },
};

interface LimitSetting {
  readonly variable: string;
  readonly about: string;
  readonly min: number;
  readonly max: number;
}

const MIB = 1024 * 1024;

/** The limits of the HTTP side: sizes in bytes, times in milliseconds. */
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
};

/** Something that was set cannot be. The message is one line that names it, what it was, and what it may be. */
export class OptionRefused extends Error {
  override readonly name = 'OptionRefused';
}

/** The options that environment variables say; an empty variable counts as not set. @throws {OptionRefused} */
export function optionsFrom(environment: Readonly<Record<string, string | undefined>>): PetstoreOptions {
  const read = <Value>({ variable, default: otherwise, expects, read: parse }: Setting<Value>): Value => {
    const text = environment[variable];
    if (text === undefined || text === '') return otherwise;
    const value = parse(text);
    if (value === undefined) throw new OptionRefused(`${variable} was ${JSON.stringify(text)}; it must be ${expects}.`);
    return value;
  };
  const options = mapValues(SETTINGS as Record<string, Setting<unknown>>, read);
  const limits = mapValues(LIMIT_SETTINGS, ({ variable, min, max }, name) =>
    read({
      variable,
      default: DEFAULT_LIMITS[name as keyof HttpLimits],
      expects: `a whole number from ${min} to ${max}`,
      about: '',
      read: (text) => whole(text, min, max),
    }),
  );
  const all = { ...options, limits } as unknown as PetstoreOptions;
  checkTogether(all);
  return all;
}

/** The options of a program that starts a petstore: what it gives, and the defaults for the rest. @throws {OptionRefused} */
export function optionsWith(
  given: Partial<Omit<PetstoreOptions, 'limits'>> & { readonly limits?: Partial<HttpLimits> },
): PetstoreOptions {
  const defaults = optionsFrom({});
  const options = { ...defaults, ...given, limits: { ...defaults.limits, ...given.limits } };
  for (const name of ['databaseUrl', 'host', 'basePath'] as const) {
    const { variable, expects, read } = SETTINGS[name];
    if (read(options[name]) === undefined) {
      throw new OptionRefused(`${name} (${variable}) was ${JSON.stringify(options[name])}; it must be ${expects}.`);
    }
  }
  checkTogether(options);
  return options;
}

/** The variables that look like this service's and are none: most likely a typing error. */
export function unknownVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set([...Object.values(SETTINGS), ...Object.values(LIMIT_SETTINGS)].map(({ variable }) => variable));
  return Object.keys(environment).filter((name) => name.startsWith('PETSTORE_') && !known.has(name));
}

function checkTogether({ getPetDeprecated, getPetSunset, limits }: PetstoreOptions): void {
  if (getPetSunset < getPetDeprecated) {
    const [sunset, deprecated] = [SETTINGS.getPetSunset.variable, SETTINGS.getPetDeprecated.variable];
    throw new OptionRefused(
      `${sunset} was ${new Date(getPetSunset).toISOString()}; it must not be before ${deprecated}, ${new Date(getPetDeprecated).toISOString()}.`,
    );
  }
  if (limits.requestTime < limits.headersTime) {
    throw new OptionRefused(
      `${LIMIT_SETTINGS.requestTime.variable} was ${limits.requestTime}; it must be at least ${LIMIT_SETTINGS.headersTime.variable}, ${limits.headersTime}.`,
    );
  }
}

function whole(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}
