import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

export type Compression = 'br' | 'gzip';
export type Coding = Compression | 'identity';
export type Compress = (body: string | Uint8Array, coding: Compression) => Uint8Array | Promise<Uint8Array>;

/** How a body is sent. */
export interface Encoding {
  /** `undefined`: the client accepts none that is available. */
  readonly coding: Coding | undefined;
  /** Whether another Accept-Encoding would have led to another coding. */
  readonly varies: boolean;
}

/** In bytes. Up to this size compression saves no packet. */
const WORTH_COMPRESSING = 1024;

const COMPRESSIBLE = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|yaml|javascript)\b|image\/svg\+xml\b)/;

const PLAIN: Encoding = { coding: 'identity', varies: false };

/** The coding for a body of this type and length in bytes (RFC 9110, section 12.5.3). */
export function encodingFor(
  acceptEncoding: string | readonly string[] | undefined,
  type: string,
  length: number,
): Encoding {
  const isWorthIt = length > WORTH_COMPRESSING && COMPRESSIBLE.test(type);
  if (acceptEncoding === undefined) return isWorthIt ? { coding: 'identity', varies: true } : PLAIN;
  const { compression, identity } = acceptedCodings(String(acceptEncoding));
  if (!identity) return { coding: compression, varies: true };
  return isWorthIt ? { coding: compression ?? 'identity', varies: true } : PLAIN;
}

/** Whether the client accepts at least one of the codings. */
export function acceptsAnyCoding(acceptEncoding: string | readonly string[] | undefined): boolean {
  if (acceptEncoding === undefined) return true;
  const { compression, identity } = acceptedCodings(String(acceptEncoding));
  return identity || compression !== undefined;
}

interface AcceptedCodings {
  /** The compression that the client prefers, unless it prefers none. */
  readonly compression: Compression | undefined;
  readonly identity: boolean;
}

/** What is available, in the order in which equal preferences are resolved. `x-gzip` is another name of gzip (RFC 9110, section 8.4.1.3). */
const AVAILABLE = ['br', 'gzip', 'x-gzip', 'identity'];

/** Clients send few different headers, and the same one with every request. */
const cache = new LRUCache<string, AcceptedCodings>({ max: 100 });

function acceptedCodings(header: string): AcceptedCodings {
  const cached = cache.get(header);
  if (cached) return cached;
  const accepted = new Negotiator({ headers: { 'accept-encoding': header } }).encodings(AVAILABLE, {
    preferred: AVAILABLE,
  });
  const [best] = accepted;
  const result: AcceptedCodings = {
    compression: best === 'br' ? 'br' : best === 'gzip' || best === 'x-gzip' ? 'gzip' : undefined,
    identity: accepted.includes('identity'),
  };
  cache.set(header, result);
  return result;
}
