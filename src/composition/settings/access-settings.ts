import { ALGORITHMS, type Algorithm, isKeyAddress } from '../../adapters/jwt/settings.ts';
import { parseKeyId, suppliedKeyId } from '../../application/api-key-format.ts';
import { onOff, type SettingsOf, whole } from './setting.ts';

const AUTH_METHODS = ['api-key', 'jwt'] as const;
type AuthMethod = (typeof AUTH_METHODS)[number];

/** Authentication and rate limits. */
export interface AccessOptions {
  /** Authentication is off (`open`), or every caller sends one of these credentials. */
  readonly auth: 'open' | readonly AuthMethod[];
  /** A first API key with the scope `admin`, as its holder sends it. */
  readonly firstKey: string | undefined;
  /** The path of a file that contains it. */
  readonly firstKeyFile: string | undefined;
  /** Whether every client of a network may do everything. */
  readonly openNetwork: boolean;
  /** Names and addresses, each with a port or for any port. */
  readonly allowedHosts: readonly string[];
  readonly jwtIssuer: string | undefined;
  readonly jwtAudience: string | undefined;
  /** An address or the path of a file. */
  readonly jwtKeys: string | undefined;
  readonly jwtAlgorithms: readonly Algorithm[];
  /** Seconds. */
  readonly jwtClockTolerance: number;
  /** `undefined`: on, unless authentication is off. */
  readonly rateLimit: boolean | undefined;
  /** Requests. */
  readonly ratePerMinute: number;
  /** Requests. */
  readonly rateBurst: number;
  /** Where requests are counted: in each process separately, or for all nodes in the PostgreSQL database. */
  readonly rateStore: 'memory' | 'database';
  /** How many proxies are in front of the service, each of which appends to `X-Forwarded-For`. */
  readonly trustedProxies: number;
}

function listOf<Item extends string>(text: string, items: readonly Item[]): readonly Item[] | undefined {
  const named = text.split(',').map((item) => item.trim());
  return named.every((item) => (items as readonly string[]).includes(item)) && new Set(named).size === named.length
    ? (named as Item[])
    : undefined;
}

const oneLine = (text: string) => (text.trim() === '' || /\p{Cc}/u.test(text) ? undefined : text);

export const ACCESS_SETTINGS: SettingsOf<AccessOptions> = {
  auth: {
    variable: 'PETSTORE_AUTH',
    default: 'open',
    expects: 'open, api-key, jwt, or api-key,jwt',
    about: 'Which credentials callers must send: none, an API key of this store, or a token of an OpenID provider.',
    read: (text) => (text === 'open' ? 'open' : listOf(text, AUTH_METHODS)),
  },
  firstKey: {
    variable: 'PETSTORE_FIRST_KEY',
    default: undefined,
    expects:
      'petstore_, a number from 1 to 999999, _, and 32 to 200 letters, digits, - and _, such as petstore_1_ and what `openssl rand -hex 32` prints',
    about: 'An API key with the scope `admin`, which the service adds to the store at start; see Keys.',
    read: (text) => (suppliedKeyId(text) === undefined ? undefined : text),
    show: () => '***',
  },
  firstKeyFile: {
    variable: 'PETSTORE_FIRST_KEY_FILE',
    default: undefined,
    expects: 'the path of a file that contains such a key',
    about: 'The same, from a file, such as a secret of the container platform.',
    read: oneLine,
    // It may be the key itself, by mistake.
    show: (text) => (parseKeyId(text.trim()) === undefined ? text : '***'),
  },
  openNetwork: {
    variable: 'PETSTORE_OPEN_NETWORK',
    default: false,
    about:
      'Allows `PETSTORE_AUTH=open` on any `HOST`: every client that reaches the service may do everything. For throw-away demonstrations in containers.',
    ...onOff,
  },
  allowedHosts: {
    variable: 'PETSTORE_ALLOWED_HOSTS',
    default: [],
    expects: 'names or addresses such as petstore.test or [fd00::7], with or without a port, separated by commas',
    about:
      'The `Host` headers that are accepted beside loopback names while `PETSTORE_AUTH` is `open` and `PETSTORE_OPEN_NETWORK` is off. An entry with a port allows that port only.',
    read: (text) => {
      const hosts = text.split(',').map((host) => host.trim());
      return hosts.every((host) => /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.test(host)) ? hosts : undefined;
    },
  },
  jwtIssuer: {
    variable: 'PETSTORE_JWT_ISSUER',
    default: undefined,
    expects: 'the issuer of the tokens, such as https://login.example',
    about: 'Issuer of accepted tokens (claim `iss`).',
    read: oneLine,
  },
  jwtAudience: {
    variable: 'PETSTORE_JWT_AUDIENCE',
    default: undefined,
    expects: 'the audience of the tokens, such as petstore',
    about: 'Audience of accepted tokens (claim `aud`).',
    read: oneLine,
  },
  jwtKeys: {
    variable: 'PETSTORE_JWT_JWKS',
    default: undefined,
    expects: 'the https address of a JWK set (http on this machine), or the path of a file',
    about: 'The public keys of the provider (RFC 7517). Rotated keys are fetched without a restart.',
    read: (text) => (/^[a-z][a-z\d+.-]*:\/\//i.test(text) && !isKeyAddress(text) ? undefined : oneLine(text)),
  },
  jwtAlgorithms: {
    variable: 'PETSTORE_JWT_ALGORITHMS',
    default: ALGORITHMS,
    expects: `some of ${ALGORITHMS.join(', ')}, separated by commas`,
    about: 'Accepted signature algorithms.',
    read: (text) => listOf(text, ALGORITHMS),
  },
  jwtClockTolerance: {
    variable: 'PETSTORE_JWT_CLOCK_TOLERANCE_S',
    default: 30,
    expects: 'a whole number of seconds from 0 to 600',
    about: 'Accepted clock difference to the provider, in seconds.',
    read: (text) => whole(text, 0, 600),
  },
  rateLimit: {
    variable: 'PETSTORE_RATE_LIMIT',
    default: undefined,
    about: 'Whether requests are rate-limited. Default: on, unless `PETSTORE_AUTH` is `open`.',
    ...onOff,
  },
  ratePerMinute: {
    variable: 'PETSTORE_RATE_PER_MINUTE',
    default: 600,
    expects: 'a whole number from 1 to 1000000000',
    about: 'Requests per minute for each credential, or for each address where there is no credential.',
    read: (text) => whole(text, 1, 1_000_000_000),
  },
  rateBurst: {
    variable: 'PETSTORE_RATE_BURST',
    default: 100,
    expects: 'a whole number from 1 to 1000000000',
    about: 'Maximum burst of requests.',
    read: (text) => whole(text, 1, 1_000_000_000),
  },
  rateStore: {
    variable: 'PETSTORE_RATE_STORE',
    default: 'memory',
    expects: 'memory, or database (with PostgreSQL)',
    about:
      'Where requests are counted. `memory`: in each process separately. `database`: for all nodes together, at the cost of one query to PostgreSQL per request.',
    read: (text) => (text === 'memory' || text === 'database' ? text : undefined),
  },
  trustedProxies: {
    variable: 'PETSTORE_TRUSTED_PROXIES',
    default: 0,
    expects: 'a whole number from 0 to 10',
    about:
      'Number of proxies in front of the service, each of which appends to `X-Forwarded-For`. With 0 that header is ignored.',
    read: (text) => whole(text, 0, 10),
  },
};
