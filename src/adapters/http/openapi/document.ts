import { isRepeatable, type Operation, type QueryParameter } from '../operation.ts';
import { isServed } from '../protocol/lifecycle.ts';
import { JSON_TYPE, MERGE_PATCH_TYPE } from '../protocol/negotiation.ts';
import { category, id, order, pet } from '../schemas.ts';
import { API_VERSION, type DocumentSettings, linkBase } from '../settings.ts';
import { commonErrors, errorResponses } from './error-answers.ts';
import { commonHeaders, headerComponents, headers, lifecycleHeaderObjects } from './headers.ts';
import { lifecycleMarks } from './marks.ts';
import { type Json, mediaType, schemaComponents, schemaObject } from './schema-objects.ts';
import { securityOf, securitySchemes } from './security.ts';

/** The OpenAPI 3.0.3 document of the operations, made from the data that they run on. */
export function openApiDocument(operations: readonly Operation[], settings: DocumentSettings): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations.filter((candidate) => isServed(candidate, settings))) {
    paths[operation.path] ??= {};
    (paths[operation.path] as Record<string, unknown>)[operation.method] = operationObject(operation, settings);
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
        'A POST or PATCH with an `Idempotency-Key` can be repeated without harm.',
      ].join('\n\n'),
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: linkBase(settings) || '/', description: 'This service.' }],
    tags: [
      { name: 'Pets', description: 'The catalogue: pets and their categories.' },
      { name: 'Store', description: 'Orders for pets, and what is in stock of them.' },
    ],
    paths,
    components: {
      schemas: schemaComponents(),
      securitySchemes: securitySchemes(settings.credentials),
      responses: commonErrors(settings),
      headers: headerComponents(settings),
    },
  };
}

function operationObject(operation: Operation, settings: DocumentSettings): Json {
  const { operationId, tag, scope, summary, description, body, method } = operation;
  const content = body && mediaType(body.schema);
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...lifecycleMarks(operation),
    security: securityOf(operation, settings.credentials),
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
    responses: { ...successResponses(operation, settings), ...errorResponses(operation, settings) },
  };
}

/** The identifiers that the examples of the schemas have. */
const EXAMPLE_IDS: Readonly<Record<string, number>> = {
  petId: pet.example.id,
  categoryId: category.example.id,
  orderId: order.example.id,
};

function parameterObjects(operation: Operation): Json[] {
  const { path, query = {}, method, conditional, success, paged } = operation;
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
  const inHeader = [
    ...(method === 'get' && success === 200
      ? [tagHeader('If-None-Match', 'Answer with 304 if one of these entity tags is still the current one.')]
      : []),
    ...(method !== 'get' && conditional
      ? [
          {
            ...tagHeader('If-Match', 'Change only what still has one of these entity tags.'),
            required: conditional === 'required',
            example: '*',
          },
        ]
      : []),
    ...(isRepeatable(operation)
      ? [
          {
            name: 'Idempotency-Key',
            description:
              'A text of your own, new for every new request. Whoever repeats the request with it within 24 hours gets the answer of the first one, and nothing is done again.',
            schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
            example: '0e7b2c4c-6f0c-4a53-9d3e-1f6f0b6f7a11',
          },
        ]
      : []),
    ...(paged
      ? [
          {
            name: 'Prefer',
            description: '`return=total-count` asks for `X-Total-Count`.',
            schema: { type: 'string' },
            example: 'return=total-count',
          },
        ]
      : []),
  ].map((parameter) => ({ in: 'header', required: false, ...parameter }));
  return [...inPath, ...inQuery, ...inHeader];
}

/** A header with entity tags (RFC 9110, section 13.1). */
function tagHeader(name: string, description: string) {
  const schema = { type: 'string', pattern: '^(\\*|(W/)?"[!#-~]*"(, ?(W/)?"[!#-~]*")*)$' };
  return { name, description, schema, example: '"Uv5bT9K1M_XAKh09E8RBrxAq_is"' };
}

function successResponses(operation: Operation, settings: DocumentSettings): Json {
  const { success, answer, paged, method } = operation;
  const common = { ...commonHeaders(settings), ...lifecycleHeaderObjects(operation) };
  const isTagged = success === 200 || (success === 201 && answer.schema?.type === 'object');
  const links = paged && headers('Link', 'X-Total-Count', 'Preference-Applied');
  const own = {
    ...common,
    ...(isTagged && headers('ETag')),
    ...(success === 201 && headers('Location')),
    ...(isRepeatable(operation) && headers('Idempotent-Replayed')),
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
      304: {
        description: 'It is still what If-None-Match names.',
        headers: { ...common, ...headers('ETag'), ...links },
      },
    }),
  };
}
