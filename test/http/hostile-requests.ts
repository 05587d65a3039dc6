import fc from 'fast-check';
import type { OpenApi, OperationObject } from '../support/document-check.ts';

/** A request as it shall be sent, whatever it is. */
export interface HostileRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly content?: string | Uint8Array;
}

interface Schema {
  readonly $ref?: string;
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

/** Requests for every operation of the document, many of them sound and many of them not. The same seed gives the same. */
export function hostileRequests(document: OpenApi, count: number, seed: number): HostileRequest[] {
  const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => requestFor(document, method, template, operation)),
  );
  return fc.sample(fc.oneof(...operations), { numRuns: count, seed });
}

const NAMES = [
  'Rex',
  'rex',
  'Ärger',
  'A\u0308rger',
  'İstanbul',
  'ß',
  'ΣΑΣ',
  '犬',
  '🐶',
  "Robert'); drop table pets;--",
  '%',
  '_',
  'a"b\\c',
  '<b>',
];

const ODD_TEXTS = [
  '',
  ' ',
  '\t',
  '\0',
  'a\0b',
  'a\nb',
  '\u007f',
  '\u0085',
  '\ud800',
  '\udc00x',
  '\ufeff',
  '\u202e',
  'e\u0301'.repeat(60),
  '\u0301'.repeat(200),
  '👩‍👩‍👧‍👦'.repeat(20),
  'ﷺ'.repeat(100),
  'x'.repeat(101),
  'x'.repeat(10_000),
  `\${7*7}`,
  '{{7*7}}',
  '../../etc/passwd',
  'true',
  'null',
  '1',
  'constructor',
  '__proto__',
];

const ODD_NUMBERS = [
  0,
  -0,
  -1,
  1.5,
  1e-7,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  1e21,
  1e308,
  -(2 ** 63),
  1_000_000,
  1_000_001,
  1_000_000_000,
  1_000_000_001,
];

const ODD_VALUES = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    [],
    {},
    [[]],
    { id: 1 },
    ['Rex'],
    ...ODD_TEXTS,
    ...ODD_NUMBERS,
    nested(31),
    nested(40),
    nested(3_000),
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.jsonValue({ maxDepth: 3 }),
);

const ODD_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'id',
  'ID',
  'Name',
  'naem',
  '',
  ' name',
  'name ',
  'n\u0430me',
  '$ref',
  '0',
  'status\0',
  'x'.repeat(300),
];

const ODD_IDS = [
  '0',
  '-1',
  '01',
  '1.0',
  '1e0',
  '0x1',
  '+1',
  '%201',
  '1%20',
  '%31',
  '%2531',
  '1,2',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '9'.repeat(400),
  'null',
  'NaN',
  'true',
  '__proto__',
  'constructor',
  '%00',
  '%0d%0a',
  '%F0%9F%90%B6',
  '%zz',
  '%c3',
  '%EF%BC%91',
  "1'--",
  '*',
  '.',
  '..',
  ';',
  '%2f',
  '1%2f2',
];

const ODD_QUERY_VALUES = [
  '',
  ',',
  'sold,',
  ',sold',
  'sold,sold',
  'SOLD',
  '0',
  '-1',
  '1.5',
  '101',
  '1e2',
  '0x10',
  '%31',
  '+1',
  '1+',
  '%00',
  '%zz',
  '%c3',
  '%EF%BF%BF',
  '%ED%A0%80',
  'x'.repeat(2_000),
  Array(150).fill('1').join(),
  'null',
  '[]',
  '{}',
  "'or'1'='1",
  '%25',
  '_',
  '2026-02-30T00:00:00Z',
  '2026-11-21',
  '2026-11-21T09:00:00%2B01:00',
  '9999-12-31T23:59:59.999-23:59',
  'eyJ9.abc',
  'WzEsMV0.AAAAAAAAAAAAAAAA',
];

const ODD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'If-Match': '*' },
  { 'If-Match': '"nothing"' },
  { 'If-Match': 'W/"x"' },
  { 'If-Match': 'x' },
  { 'If-Match': '"' },
  { 'If-Match': '"a", , "b"' },
  { 'If-None-Match': '*' },
  { 'If-None-Match': '"a", W/"b"' },
  { 'If-None-Match': 'a' },
  { 'If-Match': '*', 'If-None-Match': '*' },
  { Accept: 'text/html' },
  { Accept: '*/*;q=0' },
  { Accept: 'application/*' },
  { Accept: ';;;,,,' },
  { Accept: 'application/problem+json' },
  { Accept: 'x'.repeat(5_000) },
  { Accept: 'application/json;q=nonsense' },
  { Prefer: 'return=total-count' },
  { Prefer: `return=total-count${' '.repeat(4_000)}x` },
  { Prefer: 'respond-async' },
  { 'X-Request-Id': '\xe9' },
  { 'X-Request-Id': 'x'.repeat(500) },
  { 'X-Request-Id': 'a b' },
  { Origin: 'null' },
  { Origin: 'http://evil.example' },
  { Range: 'bytes=0-1' },
  { 'If-Modified-Since': 'yesterday' },
  { 'X-HTTP-Method-Override': 'DELETE' },
  { 'X-Forwarded-For': '127.0.0.1' },
  { Cookie: '\xff=\xfe' },
];

const ODD_TYPES: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'Content-Type': 'text/plain' },
  { 'Content-Type': 'application/json; charset=latin1' },
  { 'Content-Type': 'application/json; charset="UTF-8"' },
  { 'Content-Type': 'APPLICATION/JSON' },
  { 'Content-Type': 'application/merge-patch+json' },
  { 'Content-Type': ';' },
  { 'Content-Type': 'application/jsonx' },
  { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
  { 'Content-Type': 'multipart/form-data' },
];

function requestFor(
  document: OpenApi,
  method: string,
  template: string,
  operation: OperationObject,
): fc.Arbitrary<HostileRequest> {
  const parameters = operation.parameters as readonly { name: string; in: string; schema: Schema }[];
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
  return id.map((given) => template.replace(/\{\w+\}/, given));
}

function queryFor(document: OpenApi, parameters: readonly { name: string; schema: Schema }[]): fc.Arbitrary<string> {
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

/** Encoded as a well-behaved client does; half a character cannot be. */
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

/** The value with one thing in it replaced, taken away or added. */
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

/** What is no JSON any more, or hardly. */
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

/** What the schema allows, and mostly what names something that is there. */
function allowedBy(document: OpenApi, schema: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref)
    return allowedBy(document, document.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema);
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

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = i % 2 ? [value] : { name: value };
  return value;
}
