import type { Operation } from '../operation.ts';
import { API_VERSION, asksWho, type DocumentSettings } from '../settings.ts';
import type { Json } from './schema-objects.ts';

/** What the headers of the interface are. `required`: wherever it is declared, it comes. The marks of an operation come once it is known which one is meant. */
const headerObjects = {
  'X-Request-Id': {
    description: 'Names this request, in the log as well.',
    required: true,
    schema: { type: 'string' },
  },
  'API-Version': {
    description: 'The version of the interface.',
    required: true,
    schema: { type: 'string', enum: [API_VERSION] },
  },
  'Cache-Control': {
    description:
      'A cache asks each time whether the response still holds; `private`: it serves it to the same caller only.',
    required: true,
    schema: { type: 'string', enum: ['no-cache', 'private, no-cache'] },
  },
  ETag: {
    description:
      'Changes exactly when the representation does. Each content coding has its own; `If-Match` and `If-None-Match` accept any of them.',
    required: true,
    schema: { type: 'string' },
  },
  Location: {
    description: 'Where what was created can be read: a path, or a URL if the service knows its own.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
  },
  Link: {
    description: 'The first page, and the next one if there is one (RFC 8288).',
    required: true,
    schema: { type: 'string' },
  },
  'X-Total-Count': {
    description: 'How many rows the whole list has; only with `Prefer: return=total-count`.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Preference-Applied': { description: 'RFC 7240.', schema: { type: 'string' } },
  Stability: {
    description: 'How much this operation may still change.',
    schema: { type: 'string', enum: ['beta', 'experimental'] },
  },
  Deprecation: {
    description: 'Since when it is deprecated: `@` and seconds since 1970 (RFC 9745).',
    schema: { type: 'string' },
  },
  Sunset: { description: 'From when on it is withdrawn (RFC 8594).', schema: { type: 'string' } },
  SuccessorLink: {
    description: 'What replaces it, with `rel="successor-version"` (RFC 5829).',
    schema: { type: 'string' },
  },
  Accept: {
    description: 'The media types that can be sent (RFC 9110, section 15.5.16).',
    required: true,
    schema: { type: 'string' },
  },
  'Accept-Patch': {
    description: 'The media types that PATCH takes (RFC 5789).',
    required: true,
    schema: { type: 'string' },
  },
  'WWW-Authenticate': {
    description: 'How to say who you are (RFC 6750).',
    required: true,
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: 'This is the answer that the first request with this Idempotency-Key got.',
    schema: { type: 'string', enum: ['true'] },
  },
  'RateLimit-Policy': {
    description: 'How many requests (`q`) you may send in how many seconds (`w`), by the name of each policy.',
    required: true,
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'How many of them are left to you (`r`), and in how many seconds all are there again (`t`).',
    required: true,
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'After how many seconds to try again.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  RetryAfterProgress: {
    description: 'After how many seconds to ask again for the answer of a request that is under way.',
    schema: { type: 'integer', minimum: 0 },
  },
  Vary: { description: 'The form of an error depends on Accept.', schema: { type: 'string' } },
};

type HeaderName = keyof typeof headerObjects;

/** Where nobody is asked who they are, or how often they called, they do not come. */
const OF_ACCESS: { readonly [Name in HeaderName]?: (settings: DocumentSettings) => boolean } = {
  'WWW-Authenticate': ({ credentials }) => asksWho(credentials),
  'RateLimit-Policy': ({ rateLimited }) => rateLimited,
  RateLimit: ({ rateLimited }) => rateLimited,
};

/** `components.headers`. */
export function headerComponents(settings: DocumentSettings): Json {
  const names = (Object.keys(headerObjects) as HeaderName[]).filter((name) => OF_ACCESS[name]?.(settings) ?? true);
  return Object.fromEntries(names.map((name) => [name, headerObjects[name]]));
}

/** What every answer has. */
export function commonHeaders({ rateLimited }: DocumentSettings): Json {
  return headers(
    'X-Request-Id',
    'API-Version',
    'Cache-Control',
    ...(rateLimited ? (['RateLimit-Policy', 'RateLimit'] as const) : []),
  );
}

export function headers(...names: HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The headers that tell how stable an operation is, and until when it works. */
export function lifecycleHeaderObjects({ stability, deprecation }: Operation): Json {
  return {
    ...(stability && headers('Stability')),
    ...(deprecation && { ...headers('Deprecation', 'Sunset'), Link: { $ref: '#/components/headers/SuccessorLink' } }),
  };
}
