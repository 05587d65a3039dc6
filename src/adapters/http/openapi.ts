import { type ErrorCode, ERRORS } from './error-catalogue.ts';
import { error, problem } from './error-schemas.ts';
import { toPointer } from './http-error.ts';
import { isServed } from './lifecycle.ts';
import { JSON_TYPE, MERGE_PATCH_TYPE, PROBLEM_TYPE } from './negotiation.ts';
import type { Operation, QueryParameter } from './operation.ts';
import { lifecycleMarks } from './openapi-marks.ts';
import { category, id, namedSchemas, order, pet } from './schemas.ts';
import { API_VERSION } from './settings.ts';
import type { Schema } from './validation.ts';

/** What of the settings shows in the document. */
export interface DocumentSettings {
  readonly basePath: string;
  /** Whether it has the operations that may still change. */
  readonly unstable: boolean;
}

type Json = { readonly [key: string]: unknown };

/** The OpenAPI 3.0.3 document of the operations, made from the data that they run on. */
export function openApiDocument(operations: readonly Operation[], settings: DocumentSettings): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations.filter((candidate) => isServed(candidate, settings))) {
    paths[operation.path] ??= {};
    (paths[operation.path] as Record<string, unknown>)[operation.method] = operationObject(operation);
  }
  return {
    openapi: '3.0.3',
    info: {
      title: 'Petstore',
      version: API_VERSION,
      description: [
        'A catalogue of pets and categories, orders for pets, and stock per pet. Stock never oversells and always adds up.',
        'Every answer carries `X-Request-Id` (yours, if you sent one of up to 128 visible ASCII characters) and `API-Version`.',
        'Every error is an `Error`, or a `Problem` (RFC 9457) for whoever accepts `application/problem+json`; `/errors/{code}` explains each code.',
        'Lists are paged by cursor: follow the link with `rel="next"`.',
      ].join('\n\n'),
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: settings.basePath || '/', description: 'This service.' }],
    // Nobody is asked who they are.
    security: [],
    tags: [
      { name: 'Pets', description: 'The catalogue: pets and their categories.' },
      { name: 'Store', description: 'Orders for pets, and what is in stock of them.' },
    ],
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(namedSchemas).map(([name, schema]) => [name, schemaObject(schema, schema)]),
      ),
      responses: Object.fromEntries(
        COMMON.map(({ name, codes }) => [name, errorResponse(codes)]),
      ),
      headers: headerObjects,
    },
  };
}

/** The error answers that are the same for every operation that can give them. */
const COMMON = [
  { name: 'NotAcceptable', codes: ['not_acceptable'] },
  { name: 'RequestTimeout', codes: ['request_timeout'] },
  { name: 'PreconditionFailed', codes: ['precondition_failed'] },
  { name: 'PayloadTooLarge', codes: ['payload_too_large'] },
  { name: 'UriTooLong', codes: ['uri_too_long'] },
  { name: 'ValidationFailed', codes: ['validation_failed'] },
  { name: 'HeadersTooLarge', codes: ['headers_too_large'] },
  { name: 'InternalError', codes: ['internal_error'] },
  { name: 'Unavailable', codes: ['unavailable'] },
] as const satisfies readonly { name: string; codes: readonly ErrorCode[] }[];

/** Every code that an operation can answer with, from its refusals and its shape. */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  const { refusals, body, deprecation, conditional, success, method, query } = operation;
  const hasParameters = operation.path.includes('{') || query !== undefined;
  const isTagged = success === 200 || conditional;
  return [
    'malformed_request',
    'unknown_parameter',
    'invalid_header',
    ...(hasParameters ? (['invalid_parameter'] as const) : []),
    ...(body ? (['malformed_json', 'payload_too_large', 'unsupported_media_type', 'validation_failed'] as const) : []),
    ...(deprecation ? (['operation_withdrawn'] as const) : []),
    ...((method === 'get' && isTagged) || conditional ? (['precondition_failed'] as const) : []),
    ...refusals,
    'not_acceptable',
    'request_timeout',
    'uri_too_long',
    'headers_too_large',
    'internal_error',
    'unavailable',
  ];
}

function operationObject(operation: Operation): Json {
  const { operationId, tag, scope, summary, description, body, method } = operation;
  const content = body && mediaType(body.schema);
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...lifecycleMarks(operation),
    'x-required-scope': scope,
    parameters: parameterObjects(operation),
    ...(body && {
      requestBody: {
        description: body.description,
        required: true,
        content: {
          [JSON_TYPE]: content,
          ...(method === 'patch' && { [MERGE_PATCH_TYPE]: content }),
        },
      },
    }),
    responses: { ...successResponses(operation), ...errorResponses(operation) },
  };
}

/** The identifiers that the examples of the schemas have. */
const EXAMPLE_IDS: Readonly<Record<string, number>> = {
  petId: pet.example.id,
  categoryId: category.example.id,
  orderId: order.example.id,
};

function parameterObjects({ path, query = {}, method, conditional, success, paged }: Operation): Json[] {
  const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: 'The identifier.',
    schema: id,
    example: EXAMPLE_IDS[name],
  }));
  const inQuery = Object.entries(query).map(([name, { description, schema, example }]: [string, QueryParameter]) => ({
    name,
    in: 'query',
    required: false,
    description,
    ...(schema.type === 'array' && { style: 'form', explode: true }),
    schema: schemaObject(schema),
    ...(example !== undefined && { example }),
  }));
  const tags = { type: 'string', pattern: '^(\\*|(W/)?"[!#-~]*"(, ?(W/)?"[!#-~]*")*)$' };
  const inHeader = [
    ...(method === 'get' && success === 200
      ? [{ name: 'If-None-Match', description: 'Answer with 304 if one of these entity tags is still the current one.', schema: tags, example: '"Uv5bT9K1M_XAKh09E8RBrxAq_is"' }]
      : []),
    ...(method !== 'get' && conditional
      ? [{ name: 'If-Match', description: 'Change only what still has one of these entity tags.', schema: tags, example: '*' }]
      : []),
    ...(paged
      ? [{ name: 'Prefer', description: '`return=total-count` asks for `X-Total-Count`.', schema: { type: 'string' }, example: 'return=total-count' }]
      : []),
  ].map((parameter) => ({ in: 'header', required: false, ...parameter }));
  return [...inPath, ...inQuery, ...inHeader];
}

/** `required`: wherever it is declared, it comes. The marks of an operation come once it is known which one is meant. */
const headerObjects = {
  'X-Request-Id': { description: 'Names this request, in the log as well.', required: true, schema: { type: 'string' } },
  'API-Version': { description: 'The version of the interface.', required: true, schema: { type: 'string', enum: [API_VERSION] } },
  ETag: { description: 'Changes exactly when the representation does.', required: true, schema: { type: 'string' } },
  Location: { description: 'Where what was created can be read.', required: true, schema: { type: 'string', format: 'uri-reference' } },
  Link: { description: 'The first page, and the next one if there is one (RFC 8288).', required: true, schema: { type: 'string' } },
  'X-Total-Count': {
    description: 'How many rows the whole list has; only with `Prefer: return=total-count`.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Preference-Applied': { description: 'RFC 7240.', schema: { type: 'string' } },
  Stability: { description: 'How much this operation may still change.', schema: { type: 'string', enum: ['beta', 'experimental'] } },
  Deprecation: { description: 'Since when it is deprecated: `@` and seconds since 1970 (RFC 9745).', schema: { type: 'string' } },
  Sunset: { description: 'From when on it is withdrawn (RFC 8594).', schema: { type: 'string' } },
  SuccessorLink: { description: 'What replaces it, with `rel="successor-version"` (RFC 5829).', schema: { type: 'string' } },
  Accept: { description: 'The media types that can be sent (RFC 9110, section 15.5.16).', required: true, schema: { type: 'string' } },
  'Accept-Patch': { description: 'The media types that PATCH takes (RFC 5789).', required: true, schema: { type: 'string' } },
  'Retry-After': { description: 'After how many seconds to try again.', required: true, schema: { type: 'integer', minimum: 0 } },
  Vary: { description: 'The form of an error depends on Accept.', schema: { type: 'string' } },
};

type HeaderName = keyof typeof headerObjects;

const commonHeaders = headers('X-Request-Id', 'API-Version');

function headers(...names: HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function lifecycleHeadersOf({ stability, deprecation }: Operation): Json {
  return {
    ...(stability && headers('Stability')),
    ...(deprecation && { ...headers('Deprecation', 'Sunset'), Link: { $ref: '#/components/headers/SuccessorLink' } }),
  };
}

function successResponses(operation: Operation): Json {
  const { success, answer, paged, method } = operation;
  const common = { ...commonHeaders, ...lifecycleHeadersOf(operation) };
  const isTagged = success === 200 || (success === 201 && answer.schema?.type === 'object');
  const links = paged && headers('Link', 'X-Total-Count', 'Preference-Applied');
  const own = {
    ...common,
    ...(isTagged && headers('ETag')),
    ...(success === 201 && headers('Location')),
    ...links,
  };
  return {
    [success]: {
      description: answer.description,
      headers: own,
      ...(answer.schema && { content: { [JSON_TYPE]: mediaType(answer.schema) } }),
      ...(answer.links && { links: answer.links }),
    },
    ...(method === 'get' && {
      304: { description: 'It is still what If-None-Match names.', headers: { ...common, ...headers('ETag'), ...links } },
    }),
  };
}

function errorResponses(operation: Operation): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(operation)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].map(([status, codes]) => {
    const marks = codes.every((code) => UNREAD.includes(code)) ? {} : lifecycleHeadersOf(operation);
    const asks = codes.includes('unsupported_media_type') && headers(operation.method === 'patch' ? 'Accept-Patch' : 'Accept');
    const own = { ...marks, ...asks };
    const common = COMMON.find((candidate) => candidate.codes.join() === codes.join());
    const isCommon = common && Object.keys(own).length === 0;
    const response = isCommon ? { $ref: `#/components/responses/${common.name}` } : errorResponse(codes, own);
    return [status, response];
  });
  return Object.fromEntries(responses);
}

/** What is answered to a request that was not read so far that anybody knows which operation it is for. */
const UNREAD: readonly ErrorCode[] = ['request_timeout', 'uri_too_long', 'headers_too_large'];

function errorResponse(codes: readonly ErrorCode[], own: Json = {}): Json {
  const all = { ...commonHeaders, ...own, ...headers('Vary', ...(codes.includes('unavailable') ? ['Retry-After' as const] : [])) };
  const examples = (asProblem: boolean) =>
    Object.fromEntries(codes.map((code) => [code, { summary: ERRORS[code].title, value: errorExample(code, asProblem) }]));
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join('\n\n'),
    headers: all,
    content: {
      [JSON_TYPE]: { schema: schemaObject(error), examples: examples(false) },
      [PROBLEM_TYPE]: { schema: schemaObject(problem), examples: examples(true) },
    },
  };
}

function errorExample(code: ErrorCode, asProblem: boolean): Json {
  const { status, title, meaning } = ERRORS[code];
  const facts = { code, message: meaning, status, requestId: error.example.requestId };
  return asProblem ? { type: `/errors/${code}`, title, detail: meaning, ...facts } : facts;
}

function mediaType(schema: Schema): Json {
  return { schema: schemaObject(schema), example: schema.example };
}

const names = new Map<unknown, string>(Object.entries(namedSchemas).map(([name, schema]) => [schema, name]));

/** The schema with a reference wherever one of the named ones stands; `root` is the one that is being written out. */
function schemaObject(schema: unknown, root?: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((item) => schemaObject(item));
  if (typeof schema !== 'object' || schema === null) return schema;
  const name = names.get(schema);
  if (name && schema !== root) return { $ref: `#/components/schemas${toPointer([name])}` };
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === 'example' ? value : schemaObject(value)]),
  );
}
