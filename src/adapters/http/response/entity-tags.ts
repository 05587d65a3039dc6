import type { Digest } from '../../../api/digest.ts';
import type { Coding } from './content-coding.ts';

/**
 * A strong entity tag (RFC 9110, section 8.8.3): a digest of the representation itself, so that it changes exactly when
 * the representation does, on every storage and every node.
 */
export function entityTag(digest: Digest, representation: string | Uint8Array): string {
  return `"${digest.sha1(representation)}"`;
}

/** Each content coding of a representation has its own strong tag (RFC 9110, section 8.8.3.3); `tag` is the uncompressed one's. */
export function tagOfCoding(tag: string, coding: Coding): string {
  return coding === 'identity' ? tag : `${tag.slice(0, -1)}.${coding}"`;
}
