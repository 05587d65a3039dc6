import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { EVENT_STREAM_TYPE, JSON_TYPE, PROBLEM_TYPE } from '../../../api/media-types.ts';

/** An element of an Accept header, in lower case. Parameters other than `q` are ignored. */
interface Range {
  readonly type: string;
  readonly quality: number;
}

/** Which forms of a response the Accept header accepts (RFC 9110, section 12.5.1). */
export interface Acceptance {
  readonly json: boolean;
  readonly problem: boolean;
  /** Whether the client prefers `text/event-stream` to JSON, where there is one. */
  readonly stream: boolean;
}

const ANYTHING: Acceptance = { json: true, problem: false, stream: false };

/**
 * A client that names `application/problem+json` with at least the quality of `application/json` gets errors as RFC 9457 defines
 * them, and plain JSON otherwise. (negotiator returns an order without qualities, which cannot express this rule, and
 * `application/json;charset=utf-8` does not accept `application/json` for it.)
 */
export function acceptance(header: string | undefined): Acceptance {
  if (header === undefined || header === '*/*' || header === JSON_TYPE) return ANYTHING;
  const ranges = rangesIn(header);
  const named = ranges.find(({ type }) => type === PROBLEM_TYPE)?.quality ?? 0;
  const json = qualityOf(JSON_TYPE, ranges);
  return {
    json: json > 0 || named > 0,
    problem: named > 0 && named >= (isNamed(JSON_TYPE, ranges) ? json : 0),
    stream: prefersStream(ranges, json),
  };
}

/** A client that names `text/event-stream` and accepts JSON as one of any types wants the stream. */
function prefersStream(ranges: readonly Range[], json: number): boolean {
  const stream = qualityOf(EVENT_STREAM_TYPE, ranges);
  if (stream === 0) return false;
  return stream > json || (stream === json && isNamed(EVENT_STREAM_TYPE, ranges) && !isNamed(JSON_TYPE, ranges));
}

/** The quality of a type, by the most specific range that covers it, from 0 to 1. */
export function wants(header: string | undefined, type: string): number {
  return header === undefined ? 1 : qualityOf(type, rangesIn(header));
}

function qualityOf(type: string, ranges: readonly Range[]): number {
  const family = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const wanted of [type, family, '*/*']) {
    const range = ranges.find((candidate) => candidate.type === wanted);
    if (range) return range.quality;
  }
  return 0;
}

function isNamed(type: string, ranges: readonly Range[]): boolean {
  return ranges.some((range) => range.type === type);
}

function rangesIn(header: string): Range[] {
  return header.split(',').map(toRange);
}

function toRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  const quality = given === undefined ? 1 : Number(given.slice(2));
  return { type, quality: Number.isFinite(quality) ? quality : 0 };
}

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

/** Each content coding of a representation has its own strong tag (RFC 9110, section 8.8.3.3); `tag` is the uncompressed one's. */
export function tagOfCoding(tag: string, coding: Coding): string {
  return coding === 'identity' ? tag : `${tag.slice(0, -1)}.${coding}"`;
}
