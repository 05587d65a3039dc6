import type { IncomingMessage } from 'node:http';
import type { HeaderFields } from './message.ts';

const NONE: HeaderFields = [];

const EXPOSED = [
  'API-Version',
  'Accept-Patch',
  'Allow',
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Stability',
  'Sunset',
  'WWW-Authenticate',
  'X-Request-Id',
  'X-Total-Count',
].join(', ');

const ALLOWED =
  'Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-API-Key, X-Request-Id';

/** What browsers on other origins are told (Fetch Standard, CORS protocol), by the origins that may call. */
export function crossOrigin(origins: '*' | readonly string[]): (request: IncomingMessage) => HeaderFields {
  if (origins === '*') {
    const any = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', EXPOSED];
    return ({ headers: { origin } }) => (origin === undefined ? NONE : any);
  }
  // On every answer, or a cache gives one origin what it kept for another.
  const vary = ['Vary', 'Origin'];
  return ({ headers: { origin } }) => {
    if (origin === undefined || !origins.includes(origin)) return vary;
    return ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED, ...vary];
  };
}

/** What the answer to a preflight adds. */
export function preflight(request: IncomingMessage, allow: string): HeaderFields {
  if (request.headers['access-control-request-method'] === undefined) return NONE;
  return [
    'Access-Control-Allow-Methods',
    allow,
    'Access-Control-Allow-Headers',
    ALLOWED,
    'Access-Control-Max-Age',
    '600',
  ];
}
