import { DEFAULT_LIMITS, type HttpLimits } from '../adapters/http/settings.ts';
import { ACCESS_SETTINGS, type AccessOptions } from './settings/access-settings.ts';
import { LIMIT_SETTINGS } from './settings/limit-settings.ts';
import { isPostgresAddress, SERVICE_SETTINGS, type ServiceOptions } from './settings/service-settings.ts';
import { type Setting, type SettingsOf, whole } from './settings/setting.ts';

/** All that can be set. Whoever starts a petstore in a program gives some of it; the rest has its default. */
export interface PetstoreOptions extends ServiceOptions, AccessOptions {
  readonly limits: HttpLimits;
}

/** Every setting but the limits: what it is called outside, what it is about, and what it may be. */
export const SETTINGS: SettingsOf<ServiceOptions & AccessOptions> = { ...SERVICE_SETTINGS, ...ACCESS_SETTINGS };

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;

/** Something that was set cannot be. The message is one line that names it, what it was, and what it may be. */
export class OptionRefused extends Error {
  override readonly name = 'OptionRefused';
}

/** The options that environment variables say; an empty variable counts as not set. @throws {OptionRefused} */
export function optionsFrom(environment: Readonly<Record<string, string | undefined>>): PetstoreOptions {
  const read = <Value>({ variable, default: otherwise, expects, read: parse, show = same }: Setting<Value>): Value => {
    const text = environment[variable];
    if (text === undefined || text === '') return otherwise;
    const value = parse(text);
    if (value !== undefined) return value;
    throw new OptionRefused(`${variable} was ${JSON.stringify(show(text))}; it must be ${expects}.`);
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
  if (all.databaseUrl === 'memory:' && String(all.auth) === 'api-key' && all.adapters.length === 0) {
    throw new OptionRefused(
      `${SETTINGS.auth.variable} was api-key; a store in memory (${SETTINGS.databaseUrl.variable}) has no keys. Set one of them to something else.`,
    );
  }
  return all;
}

/** The options of a program that starts a petstore: what it gives, and the defaults for the rest. @throws {OptionRefused} */
export function optionsWith(
  given: Partial<Omit<PetstoreOptions, 'limits'>> & { readonly limits?: Partial<HttpLimits> },
): PetstoreOptions {
  const defaults = optionsFrom({});
  const options = { ...defaults, ...given, limits: { ...defaults.limits, ...given.limits } };
  const texts = {
    databaseUrl: options.databaseUrl,
    host: options.host,
    basePath: options.basePath,
    publicUrl: options.publicUrl,
    ...(options.postgresReplicas.length > 0 && { postgresReplicas: options.postgresReplicas.join() }),
  };
  for (const [name, text] of Object.entries(texts) as [keyof typeof texts, string][]) {
    const { variable, expects, read, show = same } = SETTINGS[name];
    if (read(text) === undefined) {
      throw new OptionRefused(`${name} (${variable}) was ${JSON.stringify(show(text))}; it must be ${expects}.`);
    }
  }
  checkTogether(options);
  return options;
}

/** Whether callers are limited in how often they may ask: where nobody is asked who they are, only if somebody wants it. */
export function isRateLimited({ rateLimit, auth }: PetstoreOptions): boolean {
  return rateLimit ?? auth !== 'open';
}

/** The variables that look like this service's and are none: most likely a typing error. */
export function unknownVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set([...Object.values(SETTINGS), ...Object.values(LIMIT_SETTINGS)].map(({ variable }) => variable));
  return Object.keys(environment).filter((name) => name.startsWith('PETSTORE_') && !known.has(name));
}

/** What each value allows by itself may still not go together. */
function checkTogether(options: PetstoreOptions): void {
  const { getPetDeprecated, getPetSunset, limits, auth, host, rateStore, databaseUrl, postgresReplicas } = options;
  const named = (name: keyof typeof SETTINGS) => SETTINGS[name].variable;
  if (getPetSunset < getPetDeprecated) {
    throw new OptionRefused(
      `${named('getPetSunset')} was ${new Date(getPetSunset).toISOString()}; it must not be before ${named('getPetDeprecated')}, ${new Date(getPetDeprecated).toISOString()}.`,
    );
  }
  if (limits.requestTime < limits.headersTime) {
    throw new OptionRefused(
      `${LIMIT_SETTINGS.requestTime.variable} was ${limits.requestTime}; it must be at least ${LIMIT_SETTINGS.headersTime.variable}, ${limits.headersTime}.`,
    );
  }
  if (rateStore === 'database' && !isPostgresAddress(databaseUrl)) {
    throw new OptionRefused(
      `${named('rateStore')} was database; it must be memory, unless ${named('databaseUrl')} is the address of a PostgreSQL database.`,
    );
  }
  if (postgresReplicas.length > 0 && !isPostgresAddress(databaseUrl)) {
    throw new OptionRefused(
      `${named('postgresReplicas')} was set; it must not be, unless ${named('databaseUrl')} is the address of a PostgreSQL database.`,
    );
  }
  if (auth === 'open') {
    if (LOOPBACK.test(host) || options.openNetwork) return;
    throw new OptionRefused(
      `${named('host')} was ${JSON.stringify(host)}; it must be a loopback address (127.0.0.1, ::1 or localhost) while ${named('auth')} is open, because every client that reaches the service may do everything. Set ${named('auth')} to api-key, jwt, or api-key,jwt, or set ${named('openNetwork')} to on if that is intended.`,
    );
  }
  if (auth.length === 0) throw new OptionRefused(`${named('auth')} was empty; it must be ${SETTINGS.auth.expects}.`);
  if (!auth.includes('jwt')) return;
  for (const name of ['jwtIssuer', 'jwtAudience', 'jwtKeys'] as const) {
    if (options[name] === undefined) {
      throw new OptionRefused(
        `${named(name)} was not set; with jwt in ${named('auth')} it must be ${SETTINGS[name].expects}.`,
      );
    }
  }
}

function same(text: string): string {
  return text;
}

function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}
