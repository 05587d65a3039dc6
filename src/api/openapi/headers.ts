import { LARGEST_ID } from '../../domain/limits.ts';
import type { Operation } from '../operation.ts';
import { API_VERSION, type ApiSettings, LONGEST_WAIT, requiresAuthentication } from '../settings.ts';
import type { Json } from './schema-objects.ts';

const SECONDS = { type: 'integer', format: 'int32', minimum: 0, maximum: LONGEST_WAIT } as const;

/**
 * The headers of the interface. `required`: every response that declares the header has it. The headers of the lifecycle are
 * present once the service knows which operation is meant.
 */
const headerObjects = {
  'X-Request-Id': {
    description: 'The id of this request, also in the log.',
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
      'Caches must revalidate the response before each use; `private` ones may serve it to the same caller only.',
    required: true,
    schema: { type: 'string', enum: ['no-cache', 'private, no-cache'] },
  },
  ETag: {
    description:
      'The entity tag: it changes exactly when the representation does. Each content coding has its own; `If-Match` and `If-None-Match` accept any of them.',
    required: true,
    schema: { type: 'string' },
  },
  PageETag: {
    description: 'The entity tag of the JSON page, as in other responses; a stream has none.',
    schema: { type: 'string' },
  },
  PageLink: {
    description: 'The links of the JSON page, as in other responses; a stream has none.',
    schema: { type: 'string' },
  },
  Location: {
    description: 'Where the created resource can be read: a path, or a URL if `PETSTORE_PUBLIC_URL` is set.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
  },
  Link: {
    description:
      'The first page (`rel="first"`) and, unless this is the last page, the next one (`rel="next"`; RFC 8288).',
    required: true,
    schema: { type: 'string' },
  },
  'Petstore-Event-Position': {
    description:
      'The last position of the event log that was safe to read: a new consumer lists the resources, and then reads the events after it.',
    required: true,
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: LARGEST_ID },
  },
  'X-Total-Count': {
    description:
      'The number of items in the whole list; only with `Prefer: return=total-count`, and only up to 100,000 items.',
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: LARGEST_ID },
  },
  'Preference-Applied': {
    description: 'The preference that the service applied (RFC 7240).',
    schema: { type: 'string' },
  },
  Stability: {
    description:
      'The stability of the operation: `beta` changes only with notice, `experimental` may change at any time.',
    schema: { type: 'string', enum: ['beta', 'experimental'] },
  },
  Deprecation: {
    description: 'When the operation was deprecated: `@` and seconds since 1970 (RFC 9745).',
    schema: { type: 'string' },
  },
  Sunset: { description: 'When the operation stops working (RFC 8594).', schema: { type: 'string' } },
  SuccessorLink: {
    description: 'The replacement, with `rel="successor-version"` (RFC 5829).',
    schema: { type: 'string' },
  },
  Accept: {
    description: 'The media types that the operation accepts (RFC 9110, section 15.5.16).',
    required: true,
    schema: { type: 'string' },
  },
  'Accept-Patch': {
    description: 'The media types that PATCH accepts (RFC 5789).',
    required: true,
    schema: { type: 'string' },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750).',
    required: true,
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored response to the first request with this Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  'RateLimit-Policy': {
    description: 'The number of requests (`q`) allowed in a window of seconds (`w`), by the name of each policy.',
    required: true,
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'The number of requests left (`r`), and the seconds until the quota is whole again (`t`).',
    required: true,
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'The number of seconds to wait before a retry.',
    required: true,
    schema: SECONDS,
  },
  RetryAfterProgress: {
    description: 'The number of seconds to wait for the response of a request in progress.',
    schema: SECONDS,
  },
  Vary: { description: 'The request headers that the response depends on.', schema: { type: 'string' } },
};

type HeaderName = keyof typeof headerObjects;

/** Components that describe a header under another name, for one use of it. */
const VARIANTS: readonly string[] = [
  'PageETag',
  'PageLink',
  'SuccessorLink',
  'RetryAfterProgress',
] satisfies HeaderName[];

/** The names of the response headers that the interface describes. */
export const RESPONSE_HEADERS: readonly string[] = Object.keys(headerObjects).filter(
  (name) => !VARIANTS.includes(name),
);

/** They are absent where authentication or rate limiting is off. */
const OF_ACCESS: { readonly [Name in HeaderName]?: (settings: ApiSettings) => boolean } = {
  'WWW-Authenticate': ({ credentials }) => requiresAuthentication(credentials),
  'RateLimit-Policy': ({ rateLimited }) => rateLimited,
  RateLimit: ({ rateLimited }) => rateLimited,
};

/** `components.headers`. */
export function headerComponents(settings: ApiSettings): Json {
  const names = (Object.keys(headerObjects) as HeaderName[]).filter((name) => OF_ACCESS[name]?.(settings) ?? true);
  return Object.fromEntries(names.map((name) => [name, headerObjects[name]]));
}

/** The headers of every response. */
export function commonHeaders({ rateLimited }: ApiSettings): Json {
  return headers(
    'X-Request-Id',
    'API-Version',
    'Cache-Control',
    ...(rateLimited ? (['RateLimit-Policy', 'RateLimit'] as const) : []),
  );
}

export function headers(...names: HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, headerReference(name)]));
}

export function headerReference(name: HeaderName): Json {
  return { $ref: `#/components/headers/${name}` };
}

/** The headers that state how stable an operation is, and until when it works. */
export function lifecycleHeaderObjects({ stability, deprecation }: Operation): Json {
  return {
    ...(stability && headers('Stability')),
    ...(deprecation && { ...headers('Deprecation', 'Sunset'), Link: headerReference('SuccessorLink') }),
  };
}
