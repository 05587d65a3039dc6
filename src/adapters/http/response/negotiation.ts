import { JSON_TYPE, PROBLEM_TYPE } from '../../../api/media-types.ts';

/** An element of an Accept header, in lower case. Parameters other than `q` are ignored. */
interface Range {
  readonly type: string;
  readonly quality: number;
}

/** Which forms of a response the Accept header accepts (RFC 9110, section 12.5.1). */
export interface Acceptance {
  readonly json: boolean;
  readonly problem: boolean;
}

const ANYTHING: Acceptance = { json: true, problem: false };

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
  return { json: json > 0 || named > 0, problem: named > 0 && named >= (isNamed(JSON_TYPE, ranges) ? json : 0) };
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
