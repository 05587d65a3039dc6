import { EVENT_STREAM_TYPE, JSON_TYPE, MERGE_PATCH_TYPE } from '../media-types.ts';
import { hasEntityTag, isRepeatable, isServed, type Operation, type StreamSpec } from '../operation.ts';
import { API_VERSION, type ApiSettings, linkBase } from '../settings.ts';
import { errorComponents, errorResponses } from './error-responses.ts';
import { commonHeaders, headerComponents, headerReference, headers, lifecycleHeaderObjects } from './headers.ts';
import { lifecycleExtensions, lifecyclePrefix } from './lifecycle-extensions.ts';
import { linkObjects } from './links.ts';
import { parameterComponents, parameterObjects } from './parameters.ts';
import { type Json, mediaType, schemaComponents } from './schema-objects.ts';
import { securityOf, securitySchemes } from './security.ts';

/** The OpenAPI 3.0.3 document, generated from the data of the operations. */
export function openApiDocument(operations: readonly Operation[], settings: ApiSettings): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  const served = operations.filter((candidate) => isServed(candidate, settings));
  for (const operation of served) {
    paths[operation.path] ??= {};
    (paths[operation.path] as Record<string, unknown>)[operation.method] = operationObject(operation, served, settings);
  }
  const errors = errorComponents(served, settings);
  return {
    openapi: '3.0.3',
    info: {
      title: 'Petstore',
      version: API_VERSION,
      description: [
        'A catalogue of pets and categories, orders for pets, and the stock of each pet. Orders never exceed the stock.',
        'Every response has `X-Request-Id` (the value of the request, if it has up to 128 visible ASCII characters) and `API-Version`.',
        'Every error is an `Error`, or a `Problem` (RFC 9457) for clients that request `application/problem+json`; `/errors/{code}` explains each code.',
        'Lists are paged: follow the link with `rel="next"`.',
        'Retry a POST or PATCH safely with an `Idempotency-Key`: it is executed once, and every retry gets the first response.',
      ].join('\n\n'),
      contact: { name: 'The operators of this service' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: linkBase(settings) || '/', description: 'This service.' }],
    tags: [
      { name: 'Pets', description: 'The catalogue: pets and their categories.' },
      { name: 'Store', description: 'Orders for pets, and their stock.' },
    ],
    paths,
    components: {
      schemas: schemaComponents(),
      securitySchemes: securitySchemes(settings.credentials),
      parameters: parameterComponents(served),
      responses: { ...notModifiedComponents(served, settings), ...errors.responses },
      examples: errors.examples,
      headers: headerComponents(settings),
    },
  };
}

function operationObject(operation: Operation, operations: readonly Operation[], settings: ApiSettings): Json {
  const { operationId, tag, scope, furtherScopes, summary, description, body, method } = operation;
  const content = body && mediaType(body.schema);
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...lifecycleExtensions(operation),
    security: securityOf(operation, settings.credentials),
    'x-required-scope': scope,
    ...(furtherScopes && { 'x-further-scopes': furtherScopes }),
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
    responses: { ...successResponses(operation, operations, settings), ...errorResponses(operation, settings) },
  };
}

function successResponses(operation: Operation, operations: readonly Operation[], settings: ApiSettings): Json {
  const { success, response: answer, stream, method } = operation;
  const links = linkObjects(operation, operations);
  return {
    [success]: {
      description: answer.description,
      headers: {
        ...commonHeaders(settings),
        ...lifecycleHeaderObjects(operation),
        ...(hasEntityTag(operation) && headers('ETag')),
        ...(success === 201 && headers('Location')),
        ...(isRepeatable(operation) && headers('Idempotent-Replayed')),
        ...pageHeaders(operation),
        ...(stream && { ETag: headerReference('PageETag'), Link: headerReference('PageLink') }),
      },
      ...(answer.schema && {
        content: { [JSON_TYPE]: mediaType(answer.schema), ...(stream && { [EVENT_STREAM_TYPE]: streamType(stream) }) },
      }),
      ...(links && { links }),
    },
    ...(method === 'get' && { 304: { $ref: `#/components/responses/${notModifiedName(operation)}` } }),
  };
}

/** The 304 responses of all operations that read. */
function notModifiedComponents(operations: readonly Operation[], settings: ApiSettings): Json {
  const readers = operations.filter(({ method }) => method === 'get');
  return Object.fromEntries(
    readers.map((operation) => [
      notModifiedName(operation),
      {
        description: 'The representation still has one of the entity tags in If-None-Match.',
        headers: {
          ...commonHeaders(settings),
          ...lifecycleHeaderObjects(operation),
          ...headers('ETag'),
          ...pageHeaders(operation),
        },
      },
    ]),
  );
}

function notModifiedName(operation: Operation): string {
  const kind = operation.paged ? 'Page' : operation.feed ? 'Feed' : '';
  return `${lifecyclePrefix(operation)}${kind}NotModified`;
}

/** OpenAPI 3.0 cannot describe a stream: the AsyncAPI document does. */
function streamType({ description, example }: StreamSpec): Json {
  return { schema: { type: 'string', description }, example };
}

function pageHeaders({ paged, feed }: Operation): Json {
  if (feed) return headers('Link', 'Petstore-Event-Position');
  return paged ? headers('Link', 'X-Total-Count', 'Preference-Applied') : {};
}
