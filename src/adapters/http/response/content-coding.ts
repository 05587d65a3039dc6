import { type Range, rangesIn } from './negotiation.ts';

/*
 * Content codings (RFC 9110, section 8.4.1). Accept-Encoding is read by the parser that reads Accept:
 * a negotiation library would be a second parser for the same grammar.
 */

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

/** Clients send few different headers, each of them with every request. */
const known = new Map<string, AcceptedCodings>();
const MAX_KNOWN = 100;

function acceptedCodings(header: string): AcceptedCodings {
  let accepted = known.get(header);
  if (accepted) return accepted;
  const ranges = rangesIn(header);
  const br = qualityOf('br', ranges) ?? 0;
  const gzipped = Math.max(qualityOf('gzip', ranges) ?? 0, ranges.find(({ type }) => type === 'x-gzip')?.quality ?? 0);
  const best = Math.max(br, gzipped);
  // Identity is acceptable, but not preferred, unless the header says otherwise.
  const isPlainPreferred = (ranges.find(({ type }) => type === 'identity')?.quality ?? 0) > best;
  accepted = {
    compression: best === 0 || isPlainPreferred ? undefined : br === best ? 'br' : 'gzip',
    identity: qualityOf('identity', ranges) !== 0,
  };
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(header, accepted);
  return accepted;
}

function qualityOf(coding: Coding, ranges: readonly Range[]): number | undefined {
  return (ranges.find(({ type }) => type === coding) ?? ranges.find(({ type }) => type === '*'))?.quality;
}
