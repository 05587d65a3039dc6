import { hash } from 'node:crypto';
import { badParameter } from '../http-error.ts';

/**
 * A strong entity tag (RFC 9110, section 8.8.3): a digest of the representation itself, so that it changes exactly when
 * the representation does, on every storage and every node.
 */
export function entityTag(representation: string | Buffer): string {
  return `"${hash('sha1', representation, 'base64url')}"`;
}

/** Empty elements do not count (RFC 9110, section 5.6.1.2). */
const TAG_LIST = /^[\s,]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,[\s,]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*[\s,]*$/;
const TAG = /(W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** Does the header allow a change of a representation with this tag? Strong comparison (RFC 9110, section 13.1.1). */
export function ifMatch(header: string, tag: string): boolean {
  return header.trim() === '*' || tagsIn('If-Match', header).includes(tag);
}

/** Does the client already have it, whoever asks (RFC 9110, section 13.1.2)? Weak comparison. */
export function ifNoneMatch(header: string, tag: string): boolean {
  return header.trim() === '*' || tagsIn('If-None-Match', header).some((given) => given.replace(/^W\//, '') === tag);
}

/** @throws {HttpError} the header holds something else than `*` or a list of entity tags */
export function tagsIn(name: string, header: string): string[] {
  if (header.trim() === '*') return [];
  if (!TAG_LIST.test(header)) {
    const message = `${name} must be * or entity tags in double quotes, separated by commas.`;
    throw badParameter('invalid_header', name, message);
  }
  return header.match(TAG) ?? [];
}
