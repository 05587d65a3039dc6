import { closest, distance } from 'fastest-levenshtein';
import { DEFAULT_LIMITS, type HttpLimits } from '../adapters/http/settings.ts';
import { ACCESS_SETTINGS, type AccessOptions } from './settings/access-settings.ts';
import { LIMIT_SETTINGS } from './settings/limit-settings.ts';
import { type PetstoreOptions, RULES, RULES_FOR_VARIABLES, type Rule } from './settings/rules.ts';
import { SERVICE_SETTINGS, type ServiceOptions } from './settings/service-settings.ts';
import { type Setting, type SettingsOf, whole } from './settings/setting.ts';

export type { PetstoreOptions };

/** Every setting except the limits: its variable, its purpose and its values. */
export const SETTINGS: SettingsOf<ServiceOptions & AccessOptions> = { ...SERVICE_SETTINGS, ...ACCESS_SETTINGS };

/** The configuration is invalid. The message has one line per fault: the setting, its value, and what is accepted. */
export class OptionRefused extends Error {
  override readonly name = 'OptionRefused';

  constructor(...faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

/** The options in environment variables; an empty variable counts as not set. @throws {OptionRefused} with every fault */
export function optionsFrom(environment: Readonly<Record<string, string | undefined>>): PetstoreOptions {
  const faults = new Map<string, string>();
  const read = <Value>(setting: Setting<Value>, name: string): Value => {
    const text = environment[setting.variable];
    if (text === undefined || text === '') return setting.default;
    const value = setting.read(text);
    if (value !== undefined) return value;
    faults.set(name, faultOf(setting, text, setting.variable));
    return setting.default;
  };
  const options = mapValues(SETTINGS as Record<string, Setting<unknown>>, read);
  const limits = mapValues(LIMIT_SETTINGS, ({ variable, min, max }, name) => {
    const expects = `a whole number from ${min} to ${max}`;
    const standard = DEFAULT_LIMITS[name as keyof HttpLimits];
    return read({ variable, default: standard, expects, about: '', read: (text) => whole(text, min, max) }, variable);
  });
  const all = { ...options, limits } as unknown as PetstoreOptions;
  const found = [...faults.values(), ...brokenRules([...RULES, ...RULES_FOR_VARIABLES], all, faults)];
  // An unknown variable alone is no fault; next to one, it may be the cause.
  refuse(found.length === 0 ? [] : [...found, ...unknownVariables(environment).map(sentenceAbout)]);
  return all;
}

/** The options of a program that starts a petstore: those it passes, and the defaults for the rest. @throws {OptionRefused} */
export function optionsWith({ limits = {}, ...given }: GivenOptions): PetstoreOptions {
  refuseUnknown(given, [...Object.keys(SETTINGS), 'limits', 'listen', 'modules']);
  refuseUnknown(limits, Object.keys(LIMIT_SETTINGS), 'limits.');
  const faults = new Map<string, string>();
  const options = mapValues(SETTINGS as Record<string, Setting<unknown>>, (setting, name) => {
    const value: unknown = given[name as keyof typeof given];
    const parsed = value === undefined ? setting.default : parsedFrom(value, setting);
    if (parsed === undefined && value !== undefined) {
      faults.set(name, faultOf(setting, value, `${name} (${setting.variable})`));
    }
    return parsed ?? setting.default;
  });
  for (const [name, limit] of Object.entries(withoutUndefined(limits))) {
    if (Number.isFinite(limit)) continue;
    const { variable } = LIMIT_SETTINGS[name as keyof HttpLimits];
    faults.set(variable, `limits.${name} (${variable}) was ${inWords(limit)}; it must be a number.`);
  }
  const all = { ...options, limits: { ...DEFAULT_LIMITS, ...withoutUndefined(limits) } } as unknown as PetstoreOptions;
  refuse([...faults.values(), ...brokenRules(RULES, all, faults)]);
  return all;
}

/**
 * The value that a program passes for a setting: a string is parsed like the variable, and any other value must equal a result of
 * that parser. `undefined` for all others, which might be misread: an unknown kind of credential, for example, as none.
 */
function parsedFrom(value: unknown, { read, default: standard }: Setting<unknown>): unknown {
  if (typeof value === 'string') return read(value);
  if (typeof value === 'number') return typeof standard === 'number' && Number.isFinite(value) ? value : undefined;
  if (Array.isArray(value) && value.length === 0) return value;
  const text = Array.isArray(value) ? value.join() : typeof value === 'boolean' ? (value ? 'on' : 'off') : '';
  return isSame(read(text), value) ? value : undefined;
}

/** A part of the options; `undefined` is the same as absent. */
type GivenOptions = {
  readonly [Name in keyof Omit<PetstoreOptions, 'limits'>]?: PetstoreOptions[Name] | undefined;
} & { readonly limits?: { readonly [Name in keyof HttpLimits]?: HttpLimits[Name] | undefined } | undefined };

function refuseUnknown(given: object, known: readonly string[], prefix = ''): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    throw new OptionRefused(
      `There is no option ${JSON.stringify(prefix + name)}.${didYouMeanHint(nearest(name, known))}`,
    );
  }
}

function sentenceAbout({ variable, didYouMean }: UnknownVariable): string {
  return `${variable} is not a setting.${didYouMeanHint(didYouMean)}`;
}

function didYouMeanHint(near: string | undefined): string {
  return near === undefined ? '' : ` Did you mean ${near}?`;
}

function withoutUndefined<Options extends object>(
  given: Options,
): { [Name in keyof Options]: NonNullable<Options[Name]> } {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [Name in keyof Options]: NonNullable<Options[Name]> };
}

/** Whether requests are rate-limited: by default unless authentication is off. */
export function isRateLimited({ rateLimit, auth }: PetstoreOptions): boolean {
  return rateLimit ?? auth !== 'open';
}

/** A variable with the prefix of this service that is no setting: probably a typing error. */
export interface UnknownVariable {
  readonly variable: string;
  readonly didYouMean?: string;
}

export function unknownVariables(environment: Readonly<Record<string, string | undefined>>): UnknownVariable[] {
  const known = new Set([...Object.values(SETTINGS), ...Object.values(LIMIT_SETTINGS)].map(({ variable }) => variable));
  const unset = [...known].filter((variable) => environment[variable] === undefined && variable.startsWith(PREFIX));
  return Object.keys(environment)
    .filter((variable) => variable.startsWith(PREFIX) && !known.has(variable))
    .map((variable) => {
      const near = nearest(
        variable.slice(PREFIX.length),
        unset.map((name) => name.slice(PREFIX.length)),
      );
      return { variable, ...(near !== undefined && { didYouMean: `${PREFIX}${near}` }) };
    });
}

const PREFIX = 'PETSTORE_';

function faultOf({ expects, show = same, hint }: Setting<unknown>, given: unknown, label: string): string {
  const text = typeof given === 'string' || Array.isArray(given) ? String(given) : undefined;
  const shown = text === undefined ? inWords(given) : JSON.stringify(show(text));
  const remedy = text === undefined ? undefined : hint?.(text);
  return `${label} was ${shown}; it must be ${expects}.${remedy === undefined ? '' : ` ${remedy}`}`;
}

/** The faults of combinations of settings that are valid by themselves. */
function brokenRules(
  rules: readonly Rule[],
  options: PetstoreOptions,
  unreadable: ReadonlyMap<string, string>,
): string[] {
  const limitsAreReadable = Object.values(LIMIT_SETTINGS).every(({ variable }) => !unreadable.has(variable));
  const isReadable = (name: string) => (name === 'limits' ? limitsAreReadable : !unreadable.has(name));
  return rules
    .filter(({ about }) => about.every(isReadable))
    .map((rule) => rule.fault(options))
    .filter((fault) => fault !== undefined);
}

function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new OptionRefused(...faults);
}

/** A value of a program, as a message shows it. */
function inWords(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  return Object(value) === value ? Object.prototype.toString.call(value) : String(value);
}

/** Whether both are the same, or lists of the same. */
function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((item, i) => item === other[i]);
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

const MAX_TYPOS = 3;

/** The candidate that is most similar to a text; `undefined` if none is similar. */
function nearest(text: string, candidates: readonly string[]): string | undefined {
  const best = closest(text, candidates);
  // A short text is similar to every other one of a few letters.
  return distance(text, best) <= Math.min(MAX_TYPOS, Math.floor(text.length / 2)) ? best || undefined : undefined;
}
