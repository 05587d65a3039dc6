import { badParameter } from '../../../api/errors/api-error.ts';
import type { RequestHead } from './request-head.ts';

/** The tag of the uncompressed form: digests in base64url have no dot. */
function withoutCoding(tag: string): string {
  return tag.replace(/\.(?:br|gzip)"$/, '"');
}

/** Empty elements do not count (RFC 9110, section 5.6.1.2). */
const TAG_LIST = /^[\s,]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,[\s,]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*[\s,]*$/;
const TAG = /(W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * Does the header allow a change of a representation with this tag? Strong comparison (RFC 9110, section 13.1.1), with the
 * tag of any coding.
 */
export function ifMatch(header: string, tag: string): boolean {
  return header.trim() === '*' || tagsIn('If-Match', header).some((given) => withoutCoding(given) === tag);
}

/** Does the client already have it, in any coding (RFC 9110, section 13.1.2)? Weak comparison. */
export function ifNoneMatch(header: string, tag: string): boolean {
  const isTag = (given: string) => withoutCoding(given.replace(/^W\//, '')) === tag;
  return header.trim() === '*' || tagsIn('If-None-Match', header).some(isTag);
}

/**
 * What `If-Match` and `If-None-Match` say about the representation that a request is going to change (RFC 9110, section 13.1);
 * `undefined` if it has neither. The function that it returns is pure. @throws {ApiError} `invalid_header`
 */
export function tagCondition({ headers }: RequestHead): ((tag: string) => boolean) | undefined {
  const { 'if-match': expected, 'if-none-match': unwanted } = headers;
  if (expected === undefined && unwanted === undefined) return undefined;
  if (expected !== undefined) tagsIn('If-Match', expected);
  if (unwanted !== undefined) tagsIn('If-None-Match', unwanted);
  return (tag) =>
    (expected === undefined || ifMatch(expected, tag)) && (unwanted === undefined || !ifNoneMatch(unwanted, tag));
}

/** @throws {ApiError} `invalid_header` if the header holds something else than `*` or a list of entity tags */
export function tagsIn(name: string, header: string): string[] {
  if (header.trim() === '*') return [];
  if (!TAG_LIST.test(header)) {
    const message = `${name} must be * or entity tags in double quotes, separated by commas.`;
    throw badParameter('invalid_header', name, message);
  }
  return header.match(TAG) ?? [];
}
