import fc from 'fast-check';
import type { DocumentCheck, OpenApi, OperationObject, ParameterObject } from '../../support/document-check.ts';
import { NAMES, ODD_HEADERS, ODD_IDS, ODD_KEYS, ODD_QUERY_VALUES, ODD_TYPES, ODD_VALUES } from './hostile-values.ts';

/** A request to send, valid or not. */
export interface HostileRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly content?: string | Uint8Array;
}

interface Schema {
  readonly $ref?: string;
  /** One schema, with the keywords beside the reference. */
  readonly allOf?: readonly [Schema];
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Requests for every operation of the document, many valid and many invalid. The same seed produces the same requests. */
export function hostileRequests(check: DocumentCheck, count: number, seed: number): HostileRequest[] {
  const operations = Object.entries(check.document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => requestFor(check, method, template, operation)),
  );
  return fc.sample(fc.oneof(...operations), { numRuns: count, seed });
}

function requestFor(
  check: DocumentCheck,
  method: string,
  template: string,
  operation: OperationObject,
): fc.Arbitrary<HostileRequest> {
  const { document } = check;
  const parameters = check.parametersOf(operation);
  const body = operation.requestBody?.content['application/json']?.schema;
  const verb = method.toUpperCase();
  return fc
    .record({
      method:
        verb === 'GET'
          ? fc.oneof({ weight: 15, arbitrary: fc.constant('GET') }, fc.constant('HEAD'))
          : fc.constant(verb),
      path: pathFor(template),
      query: queryFor(
        document,
        parameters.filter((parameter) => parameter.in === 'query'),
      ),
      more: fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, fc.constantFrom(...ODD_HEADERS)),
      type: fc.oneof(
        { weight: 15, arbitrary: fc.constant({ 'Content-Type': 'application/json' }) },
        fc.constantFrom(...ODD_TYPES),
      ),
      content: body ? contentFor(document, body) : fc.constant(undefined),
    })
    .map(({ method: chosen, path, query, more, type, content }) => ({
      method: chosen,
      target: path + query,
      headers: content === undefined ? more : { ...type, ...more },
      ...(content !== undefined && { content }),
    }));
}

function pathFor(template: string): fc.Arbitrary<string> {
  const id = fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 1, max: 25 }).map(String) },
    { weight: 2, arbitrary: fc.constantFrom(...ODD_IDS) },
  );
  // The store has a delivery 7 of webhook 7, and so on.
  const ids = fc.oneof(
    id.map((given) => [given, given]),
    fc.tuple(id, id),
  );
  return ids.map(([first = '', second = '']) => template.replace(/\{\w+\}/, first).replace(/\{\w+\}/, second));
}

function queryFor(document: OpenApi, parameters: readonly ParameterObject[]): fc.Arbitrary<string> {
  const sound = (schema: Schema): fc.Arbitrary<string> =>
    allowedBy(document, schema).map((value) =>
      Array.isArray(value) ? value.map((item) => encode(String(item))).join() : encode(String(value)),
    );
  const pair = parameters.map(({ name, schema }) =>
    fc
      .oneof({ weight: 4, arbitrary: sound(schema) }, fc.constantFrom(...ODD_QUERY_VALUES))
      .map((value) => `${name}=${value}`),
  );
  const odd = fc.constantFrom(
    'x=1',
    '=',
    '&',
    '__proto__=1',
    'constructor[prototype]=1',
    'limit',
    'limit=1&limit=2',
    '%zz=1',
    'li%6dit=2',
    '?',
  );
  const some = pair.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...pair), { maxLength: 3 });
  return fc
    .tuple(some, fc.oneof({ weight: 15, arbitrary: fc.constant([]) }, fc.tuple(odd)))
    .map(([sane, insane]) => [...sane, ...insane].join('&'))
    .map((query) => (query === '' ? '' : `?${query}`));
}

/** Encoded like a well-behaved client does; a lone surrogate cannot be encoded. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function contentFor(document: OpenApi, schema: Schema): fc.Arbitrary<string | Uint8Array> {
  const sound = allowedBy(document, schema);
  const asText = (value: unknown) => JSON.stringify(value);
  return fc.oneof(
    { weight: 6, arbitrary: sound.map(asText) },
    {
      weight: 5,
      arbitrary: fc
        .tuple(sound, fc.nat(), fc.constantFrom(...ODD_KEYS), ODD_VALUES)
        .map(([value, at, key, odd]) => asText(disturbed(value, at, key, odd))),
    },
    { weight: 1, arbitrary: ODD_VALUES.map((value) => asText(value) ?? '') },
    {
      weight: 2,
      arbitrary: fc.tuple(sound.map(asText), fc.nat(), fc.nat(11)).map(([text, at, way]) => corrupted(text, at, way)),
    },
  );
}

/** The value with one change: a part replaced, removed or added. */
function disturbed(value: unknown, at: number, key: string, odd: unknown): unknown {
  if (Array.isArray(value))
    return value.length === 0
      ? [odd]
      : value.with(at % value.length, disturbed(value[at % value.length], at, key, odd));
  if (typeof value !== 'object' || value === null) return odd;
  const entries = Object.entries(value);
  const place = at % (entries.length + 2);
  if (place === entries.length) return Object.fromEntries([...entries, [key, odd]]);
  if (place > entries.length) return Object.fromEntries(entries.slice(1));
  return Object.fromEntries(entries.map(([name, known], i) => [name, i === place ? odd : known]));
}

/** Malformed or nearly malformed JSON. */
function corrupted(text: string, at: number, way: number): string | Uint8Array {
  const place = at % Math.max(text.length, 1);
  const ways: readonly (() => string | Uint8Array)[] = [
    () => text.slice(0, place),
    () => '',
    () => `${text.slice(0, -1)},}`,
    () => text.replace('{', '{"name":"Twice",'),
    () => `${text}${text}`,
    () => `\ufeff${text}`,
    () => text.replaceAll('"', "'"),
    () => `/* hello */ ${text}`,
    () => text.replace(/\d+/, '1e1000'),
    () => text.replace(/\d+/, '1.00000000000000000001'),
    () =>
      Buffer.concat([
        Buffer.from(text.slice(0, place)),
        Buffer.from([0xff, 0xc0, 0xaf]),
        Buffer.from(text.slice(place)),
      ]),
    () => `${' '.repeat(5_000)}${text}${'\n'.repeat(5_000)}`,
  ];
  return (ways[way] as (typeof ways)[number])();
}

/** A valid value, which mostly names an existing resource. */
function allowedBy(document: OpenApi, schema: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref)
    return allowedBy(document, document.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema);
  if (schema.allOf) return allowedBy(document, schema.allOf[0]);
  const value = plainValueOf(document, schema);
  return schema.nullable ? fc.option(value, { freq: 4 }) : value;
}

function plainValueOf(document: OpenApi, schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer': {
      const { minimum = 0, maximum = 100 } = schema;
      return fc.oneof(
        { weight: 12, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, 20) }) },
        fc.constantFrom(minimum, maximum, maximum - 1),
      );
    }
    case 'array':
      return fc.array(allowedBy(document, schema.items as Schema), { minLength: 1, maxLength: 4 });
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(
        ([name, of]) => [name, allowedBy(document, of)] as const,
      );
      const requiredKeys = [...(schema.required ?? [])];
      return fc.record(Object.fromEntries(fields), requiredKeys.length > 0 ? { requiredKeys } : { requiredKeys: [] });
    }
    default:
      if (schema.format === 'uri') return fc.constantFrom('http://127.0.0.1:9/hook', 'https://[::1]:9/hook?x=1');
      return schema.format === 'date-time' ? instant : textOf(schema);
  }
}

const instant = fc
  .tuple(
    fc.date({ min: new Date(0), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true }),
    fc.constantFrom('Z', 'z', '+00:00', '-05:30', '.123456Z'),
  )
  .map(([date, end]) => `${date.toISOString().slice(0, 19)}${end}`);

function textOf({ minLength = 0, maxLength = 100 }: Schema): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...NAMES) },
    { weight: 5, arbitrary: fc.tuple(fc.constantFrom(...NAMES), fc.nat(10_000)).map(([name, n]) => `${name} ${n}`) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength, maxLength: 12 }) },
    fc.constantFrom('x'.repeat(maxLength), '🐶'.repeat(maxLength), `  ${'y'.repeat(Math.max(minLength, 1))}  `),
  );
}
