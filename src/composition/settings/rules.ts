import { isLoopbackIPv4 } from '../../adapters/http/request/host.ts';
import type { HttpLimits } from '../../adapters/http/settings.ts';
import { ACCESS_SETTINGS, type AccessOptions } from './access-settings.ts';
import { LIMIT_SETTINGS } from './limit-settings.ts';
import { isPostgresAddress, SERVICE_SETTINGS, type ServiceOptions } from './service-settings.ts';

/** All options. A program that starts a petstore passes some of them; the others have their defaults. */
export interface PetstoreOptions extends ServiceOptions, AccessOptions {
  readonly limits: HttpLimits;
}

/** A condition on several settings, each of which is valid by itself. */
export interface Rule {
  /** The settings of the condition. It is not checked if one of them is invalid by itself. */
  readonly about: readonly (keyof PetstoreOptions)[];
  /** The fault in one line; `undefined` if there is none. */
  fault(options: PetstoreOptions): string | undefined;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || isLoopbackIPv4(host);
}

const settings = { ...SERVICE_SETTINGS, ...ACCESS_SETTINGS };

function named(name: keyof typeof settings): string {
  return settings[name].variable;
}

function instant(time: number): string {
  return new Date(time).toISOString();
}

const jwtRules = (['jwtIssuer', 'jwtAudience', 'jwtKeys'] as const).map(
  (name): Rule => ({
    about: ['auth', name],
    fault: (options) =>
      options.auth.includes('jwt') && options[name] === undefined
        ? `${named(name)} was not set; with jwt in ${named('auth')} it must be ${settings[name].expects}.`
        : undefined,
  }),
);

const firstKeyRules = (['firstKey', 'firstKeyFile'] as const).map(
  (name): Rule => ({
    about: ['auth', name],
    fault: ({ auth, [name]: given }) =>
      given !== undefined && !auth.includes('api-key')
        ? `${named(name)} was set; it must not be, unless ${named('auth')} includes api-key: that key would never be used.`
        : undefined,
  }),
);

export const RULES: readonly Rule[] = [
  {
    about: ['getPetDeprecated', 'getPetSunset'],
    fault: ({ getPetDeprecated, getPetSunset }) =>
      getPetSunset < getPetDeprecated
        ? `${named('getPetSunset')} was ${instant(getPetSunset)}; it must not be before ${named('getPetDeprecated')}, ${instant(getPetDeprecated)}.`
        : undefined,
  },
  {
    about: ['limits'],
    fault: ({ limits: { requestTime, headersTime } }) =>
      requestTime < headersTime
        ? `${LIMIT_SETTINGS.requestTime.variable} was ${requestTime}; it must be at least ${LIMIT_SETTINGS.headersTime.variable}, ${headersTime}.`
        : undefined,
  },
  {
    about: ['rateStore', 'databaseUrl'],
    fault: ({ rateStore, databaseUrl }) =>
      rateStore === 'database' && !isPostgresAddress(databaseUrl)
        ? `${named('rateStore')} was database; it must be memory, unless ${named('databaseUrl')} is the address of a PostgreSQL database.`
        : undefined,
  },
  {
    about: ['postgresReplicas', 'databaseUrl'],
    fault: ({ postgresReplicas, databaseUrl }) =>
      postgresReplicas.length > 0 && !isPostgresAddress(databaseUrl)
        ? `${named('postgresReplicas')} was set; it must not be, unless ${named('databaseUrl')} is the address of a PostgreSQL database.`
        : undefined,
  },
  {
    about: ['auth', 'host', 'openNetwork'],
    fault: ({ auth, host, openNetwork }) =>
      auth === 'open' && !isLoopback(host) && !openNetwork
        ? `${named('host')} was ${JSON.stringify(host)}; it must be a loopback address (127.0.0.1, ::1 or localhost) while ${named('auth')} is open, because every client that reaches the service may do everything. Set ${named('auth')} to api-key, jwt, or api-key,jwt, or set ${named('openNetwork')} to on if that is intended.`
        : undefined,
  },
  {
    about: ['auth'],
    fault: ({ auth }) =>
      auth.length === 0 ? `${named('auth')} was empty; it must be ${settings.auth.expects}.` : undefined,
  },
  ...jwtRules,
  ...firstKeyRules,
  {
    about: ['firstKey', 'firstKeyFile'],
    fault: ({ firstKey, firstKeyFile }) =>
      firstKey !== undefined && firstKeyFile !== undefined
        ? `${named('firstKey')} and ${named('firstKeyFile')} were both set; set one of them.`
        : undefined,
  },
];

/** Rules that do not apply to a program, which may pass modules. */
export const RULES_FOR_VARIABLES: readonly Rule[] = [
  {
    about: ['databaseUrl', 'auth', 'firstKey', 'firstKeyFile', 'adapters'],
    fault: ({ databaseUrl, auth, firstKey, firstKeyFile, adapters }) =>
      databaseUrl === 'memory:' &&
      String(auth) === 'api-key' &&
      firstKey === undefined &&
      firstKeyFile === undefined &&
      adapters.length === 0
        ? `${named('auth')} was api-key; a store in memory (${named('databaseUrl')}) has no keys. Supply one in ${named('firstKey')} or ${named('firstKeyFile')}, or set one of them to something else.`
        : undefined,
  },
];
