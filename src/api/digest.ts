/**
 * Digests of texts, for cursors, entity tags and the fingerprints of requests. Synchronous, because one is computed for almost
 * every response; Web Crypto is not.
 */
export abstract class Digest {
  /** SHA-1 of the bytes, or of the text in UTF-8, as base64url without padding. */
  abstract sha1(content: string | Uint8Array): string;

  /** SHA-256 of the text in UTF-8, as base64url without padding. */
  abstract sha256(text: string): string;
}
