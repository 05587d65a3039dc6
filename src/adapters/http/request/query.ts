import { LRUCache } from 'lru-cache';
import { parseDateTime } from '../../../api/date-time.ts';
import type { Detail } from '../../../api/errors/api-error.ts';
import type { QueryParameters } from '../../../api/operation.ts';
import {
  compile,
  isFreeText,
  type Schema,
  type SchemaCompiler,
  type Validator,
  type Violation,
} from '../../../api/validation.ts';
import { tidyText } from '../../../domain/text.ts';
import { HttpError } from '../http-error.ts';

export interface ReadQuery {
  readonly values: Readonly<Record<string, unknown>>;
  /** The query as it came, without the parameters that say where a page begins. */
  readonly withoutStart: string;
}

export type QueryReader = (query: string) => ReadQuery;

const NOTHING: ReadQuery = { values: {}, withoutStart: '' };

/**
 * Reads a query string strictly: unknown parameters, empty values, and a second value of a single parameter are refused,
 * all at once. @throws {HttpError} `unknown_parameter` or `invalid_parameter`
 */
export function queryReader(parameters: QueryParameters, compiler: SchemaCompiler): QueryReader {
  const readers = new Map(
    Object.entries(parameters).map(([name, { schema }]) => [
      name,
      { isList: schema.type === 'array', read: valueReader(schema, compiler) },
    ]),
  );

  const read: QueryReader = (query) => {
    const details: Detail[] = [];
    const unknown: string[] = [];
    const given = new Map<string, string[]>();
    const kept: string[] = [];
    for (const pair of query.split('&')) {
      const [name, value] = split(pair);
      const reader = readers.get(name);
      if (!reader) {
        unknown.push(name);
        continue;
      }
      if (!PAGE_STARTS.includes(name)) kept.push(pair);
      const values = reader.isList ? value.split(',') : [value];
      const before = given.get(name);
      if (before && !reader.isList) details.push(invalidParameter(name, 'is given more than once'));
      given.set(name, [...(before ?? []), ...values]);
    }

    const values: Record<string, unknown> = {};
    for (const [name, texts] of given) {
      const reader = readers.get(name);
      if (!reader) continue;
      if (texts.some((text) => text === '')) {
        details.push(invalidParameter(name, 'must not be empty'));
        continue;
      }
      const result = reader.read(reader.isList ? texts : (texts[0] as string));
      if ('value' in result) values[name] = result.value;
      else details.push(...result.violations.map(({ message }) => invalidParameter(name, message)));
    }
    if (unknown.length > 0) throw unknownParameters(unknown, [...readers.keys()], details);
    if (details.length > 0) throw invalidParameters(details);
    return { values, withoutStart: kept.join('&') };
  };
  return memoized(read);
}

/** Few queries, mainly those for a first page, are sent most of the time; each of them is parsed once. */
function memoized(read: QueryReader): QueryReader {
  const known = new LRUCache<string, ReadQuery>({ max: MAX_CACHED });
  return (query) => {
    if (query === '') return NOTHING;
    const before = known.get(query);
    if (before) return before;
    const result = read(query);
    if (query.length <= MAX_CACHED_LENGTH && !PAGE_STARTS.some((name) => query.includes(`${name}=`))) {
      known.set(query, result);
    }
    return result;
  };
}

/** The parameters with which the next page of a list begins. */
const PAGE_STARTS = ['cursor', 'after'];

const MAX_CACHED = 500;
const MAX_CACHED_LENGTH = 200;

export function invalidParameters(details: readonly Detail[]): HttpError {
  return new HttpError('invalid_parameter', details.map(({ message }) => message).join(' '), { details });
}

export function invalidParameter(parameter: string, message: string): Detail {
  const sentence = message.endsWith('.') ? message.slice(0, -1) : message;
  return { parameter, code: 'invalid_parameter', message: `The parameter ${parameter} ${sentence}.` };
}

function unknownParameters(names: readonly string[], known: readonly string[], others: readonly Detail[]): HttpError {
  const unknown = names.map((name) => ({
    parameter: name.slice(0, 100),
    code: 'unknown_parameter',
    message: `This operation has no parameter ${JSON.stringify(name.slice(0, 100))}.`,
  }));
  const possible = known.length === 0 ? 'It has no parameters.' : `Its parameters are ${known.join(', ')}.`;
  return new HttpError('unknown_parameter', `${unknown[0]?.message} ${possible}`, { details: [...unknown, ...others] });
}

function split(pair: string): [name: string, value: string] {
  const at = pair.indexOf('=');
  return at < 0 ? [decode(pair), ''] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))];
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new HttpError('malformed_request', 'The query is not valid percent-encoded UTF-8.');
  }
}

type Reading = { readonly value: unknown } | { readonly violations: readonly Pick<Violation, 'message'>[] };

function valueReader(
  { default: _whatTheHandlerTakes, ...published }: Schema,
  compiler: SchemaCompiler,
): (given: string | readonly string[]) => Reading {
  // The reader of a cursor checks more than its pattern, and refuses it with a code of its own.
  const { pattern: _, ...unchecked } = published;
  const schema: Schema = isFreeText(published) ? published : unchecked;
  const validate: Validator = compile(schema, compiler);
  const convert = converter(schema.type === 'array' ? (schema.items as Schema) : schema);
  const isDate = schema.format === 'date-time';
  return (given) => {
    const value = typeof given === 'string' ? convert(given) : given.map(convert);
    const result = validate(value);
    if ('violations' in result) {
      return { violations: result.violations.map(({ message }) => ({ message: message.replace(/^It /, '') })) };
    }
    return isDate ? { value: parseDateTime(result.value as string) } : result;
  };
}

/** A text that does not look like a value of the type stays a text, and the schema refuses it. */
function converter(schema: Schema): (text: string) => unknown {
  switch (schema.type) {
    case 'integer':
      return (text) => (/^(?:0|-?[1-9]\d{0,18})$/.test(text) ? Number(text) : text);
    case 'boolean':
      return (text) => (text === 'true' ? true : text === 'false' ? false : text);
    default:
      return isFreeText(schema) ? tidyText : (text) => text;
  }
}
