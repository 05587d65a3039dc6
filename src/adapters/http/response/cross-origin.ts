import { RESPONSE_HEADERS } from '../../../api/openapi/headers.ts';
import { isAllowedHost } from '../request/host.ts';
import type { HttpSettings } from '../settings.ts';
import type { HeaderFields } from './message.ts';

const NONE: HeaderFields = [];

/** Every header that the interface describes, and those that only some responses outside of it have. */
const EXPOSED = [...RESPONSE_HEADERS, 'Allow', 'Petstore-Fault'].sort().join(', ');

const ALLOWED = [
  'Accept',
  'Authorization',
  'Cache-Control',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Pragma',
  'Prefer',
  'X-API-Key',
  'X-Request-Id',
  'X-Requested-With',
  'baggage',
  'traceparent',
  'tracestate',
];

const ORIGIN = /^https?:\/\/([^\s/?#@]+)$/;

type Origins = Pick<HttpSettings, 'corsOrigins'>;

/** The headers for browsers on other origins (Fetch Standard, CORS protocol), by the origin of the request. */
export function crossOrigin({ corsOrigins }: Origins): (origin: string | undefined) => HeaderFields {
  if (corsOrigins === '*') {
    // Without Origin too: a cache may serve the response to a browser later.
    const any = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', EXPOSED];
    return () => any;
  }
  // On every response, so that a cache does not serve one origin the response for another.
  const vary = ['Vary', 'Origin'];
  return (origin) => {
    if (origin === undefined || !isAllowed(origin, corsOrigins)) return vary;
    return ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED, ...vary];
  };
}

function isAllowed(origin: string, origins: HttpSettings['corsOrigins']): boolean {
  if (origins === '*') return true;
  return origins === 'loopback' ? isAllowedHost(ORIGIN.exec(origin)?.[1] ?? '', []) : origins.includes(origin);
}

interface Preflight {
  readonly origin?: string | undefined;
  readonly 'access-control-request-method'?: string | undefined;
}

/** The additional headers of the response to a preflight; none for an origin that is not allowed. `methods` are those of the path. */
export function preflight({
  corsOrigins,
  corsHeaders,
}: Origins & Pick<HttpSettings, 'corsHeaders'>): (headers: Preflight, methods: string) => HeaderFields {
  const allowed = [...ALLOWED, ...corsHeaders].join(', ');
  return ({ origin, 'access-control-request-method': method }, methods) => {
    if (method === undefined || origin === undefined || !isAllowed(origin, corsOrigins)) return NONE;
    return [
      'Access-Control-Allow-Methods',
      methods,
      'Access-Control-Allow-Headers',
      allowed,
      'Access-Control-Max-Age',
      '600',
    ];
  };
}
