import type { AnySchemaObject, ErrorObject } from 'ajv';
import { tidyText } from '../domain/text.ts';
import { ApiError, type Detail, MOST_DETAILS, toPointer } from './errors/api-error.ts';

/** A JSON Schema in the dialect of OpenAPI 3.0.3, as far as this service uses it. */
export type Schema = AnySchemaObject;

/** Whether a value conforms to a schema, in the form of Ajv: adds defaults to the value, and sets `errors` to its violations. */
export interface SchemaCheck {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null | undefined;
}

/** Returns the check of a schema: compiled at once, or, where a content security policy forbids that, by the build. */
export abstract class SchemaCompiler {
  abstract compile(schema: Schema): SchemaCheck;
}

/** Returns the value as the store accepts it (texts tidied, defaults filled in), or all of its violations. */
export type Validator = (value: unknown) => { readonly value: unknown } | { readonly violations: readonly Violation[] };

/** A violation of a schema; `path` leads to it. */
export interface Violation {
  readonly path: readonly (string | number)[];
  readonly code: string;
  readonly message: string;
}

export function compile(schema: Schema, compiler: SchemaCompiler): Validator {
  const validate = compiler.compile(schema);
  return (given) => {
    const faults: Violation[] = [];
    const value = tidy(schema, given, [], faults);
    // A response has no room for more violations, so Ajv need not look for them.
    if (faults.length >= MOST_DETAILS || isTooLong(schema, value)) {
      return { violations: faults.length > 0 ? faults : [tooMany(schema)] };
    }
    if (validate(value) && faults.length === 0) return { value };
    return { violations: [...faults, ...schemaViolations(validate.errors ?? [], faults)] };
  };
}

/** Validates a body. @throws {ApiError} `validation_failed`, with every fault at once */
export function validBody(validate: Validator, given: unknown): unknown {
  const result = validate(given);
  if ('value' in result) return result.value;
  throw bodyViolations(result.violations);
}

export function bodyViolations(faults: readonly Violation[]): ApiError {
  const places = faults.length === 1 ? '1 place' : `${Math.min(faults.length, MOST_DETAILS)} places`;
  const more = faults.length >= MOST_DETAILS ? ' or more' : '';
  const first = faults[0];
  const at = first && first.path.length > 0 ? ` at ${toPointer(first.path)}` : '';
  return new ApiError(
    'validation_failed',
    `The body violates the published schema in ${places}${more}; first${at}: ${first?.message}`,
    {
      details: faults.map(({ path, code, message }) => ({ pointer: toPointer(path), code, message }) satisfies Detail),
    },
  );
}

/** A read-only field in the body of a PUT must have the value in the path. @throws {ApiError} `validation_failed` */
export function assertSameAsPath(field: string, given: number | undefined, addressed: number): void {
  if (given === undefined || given === addressed) return;
  throw bodyViolations([{ path: [field], code: 'const', message: `${field} must be ${addressed}, as in the path.` }]);
}

/**
 * A copy with every free text normalised and without white space at its ends; it also collects the violations that JSON Schema cannot
 * express well: unknown fields (by name, up to the number that fits into a response) and characters that no text may contain.
 */
function tidy(schema: Schema, value: unknown, path: readonly (string | number)[], faults: Violation[]): unknown {
  if (typeof value === 'string') {
    if (!isFreeText(schema)) return value;
    const trimmed = value.trim();
    const longest = longestWorthTidying(schema);
    const text = trimmed.length > longest ? trimmed : tidyText(trimmed);
    const forbidden = forbiddenIn(text);
    if (forbidden) faults.push({ path, code: 'pattern', message: `${fieldName(path)} must not contain ${forbidden}.` });
    // A longer text stays too long after this cut; a pattern would run out of memory on megabytes.
    return schema.maxLength === undefined ? text : text.slice(0, longest + 1);
  }
  if (Array.isArray(value)) {
    if (schema.type !== 'array' || value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY)) return value;
    return value.map((item, index) => tidy(schema.items as Schema, item, [...path, index], faults));
  }
  if (typeof value !== 'object' || value === null || schema.type !== 'object') return value;

  const properties = schema.properties as Record<string, Schema>;
  const copy: Record<string, unknown> = {};
  for (const [key, given] of Object.entries(value)) {
    if (faults.length >= MOST_DETAILS) break;
    if (Object.hasOwn(properties, key)) {
      copy[key] = tidy(properties[key] as Schema, given, [...path, key], faults);
    } else {
      const known = Object.keys(properties).join(', ');
      const message = `${JSON.stringify(key.slice(0, 100))} is not a known field; the fields are ${known}.`;
      faults.push({ path: [...path, key.slice(0, 100)], code: 'unknown_field', message });
    }
  }
  return copy;
}

/** Whether it is a text that people write: its pattern allows white space at both ends. */
export function isFreeText({ type, pattern }: Schema): boolean {
  return type === 'string' && pattern !== undefined && String(pattern).startsWith('^\\s*');
}

/** One violation for each place, because several keywords often report the same one. */
function schemaViolations(errors: readonly ErrorObject[], noted: readonly Violation[]): Violation[] {
  const places = new Set(noted.map(({ path }) => toPointer(path)));
  const faults: Violation[] = [];
  for (const error of errors) {
    // An object whose only fields are unknown is not empty.
    if (error.keyword === 'minProperties' && noted.length > 0) continue;
    const fault = toViolation(error);
    const place = toPointer(fault.path);
    if (!places.has(place)) faults.push(fault);
    places.add(place);
  }
  return faults;
}

/**
 * In UTF-16 units. The time of normalising grows with the square of the length where combining marks are out of order. It makes a
 * text at most six times shorter, so that a text above this length stays too long.
 */
function longestWorthTidying({ maxLength = 100 }: Schema): number {
  return 6 * maxLength;
}

function forbiddenIn(text: string): string | undefined {
  if (!text.isWellFormed()) return 'a lone surrogate';
  return /\p{Cc}/u.test(text) ? 'control characters' : undefined;
}

function isTooLong(schema: Schema, value: unknown): boolean {
  return Array.isArray(value) && value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY);
}

function tooMany(schema: Schema): Violation {
  return { path: [], code: 'maxItems', message: `At most ${schema.maxItems} items are allowed.` };
}

function toViolation({ instancePath, keyword, params, message, schema, parentSchema }: ErrorObject): Violation {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword === 'required') {
    const missing = [...path, String(params.missingProperty)];
    return { path: missing, code: 'required', message: `${fieldName(missing)} is missing.` };
  }
  return { path, code: keyword, message: `${fieldName(path)} ${explain(keyword, schema, parentSchema, message)}.` };
}

/** The end of the sentence that begins with the name of the field. */
function explain(keyword: string, limit: unknown, parent: Schema | undefined, otherwise = 'is not valid'): string {
  switch (keyword) {
    case 'type':
      return `must be ${/^[aeio]/.test(String(limit)) ? 'an' : 'a'} ${limit}${parent?.nullable ? ' or null' : ''}`;
    case 'enum':
      return `must be one of ${(limit as unknown[]).join(', ')}`;
    case 'format':
      if (limit === 'uri') return 'must be an http or https URL without a user name, a password or a fragment';
      return limit === 'date-time'
        ? 'must be a valid RFC 3339 date-time with an offset, such as 2026-12-24T09:00:00Z'
        : `must be a whole number up to ${Number.MAX_SAFE_INTEGER}`;
    case 'minimum':
      return `must be ${limit} or more`;
    case 'maximum':
      return `must be ${limit} or less`;
    case 'minLength':
      return 'must not be empty';
    case 'maxLength':
      return `must not be longer than ${limit} characters`;
    case 'minProperties':
      return 'must have at least one field';
    case 'minItems':
      return `must have at least ${limit} item`;
    case 'pattern':
      return 'must contain at least one visible character and no control characters';
    default:
      return otherwise;
  }
}

function fieldName(path: readonly (string | number)[]): string {
  const last = path.findLast((step) => Number.isNaN(Number(step)));
  return last === undefined ? 'It' : String(last);
}
