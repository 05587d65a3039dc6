import { sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { Digest } from '../../api/digest.ts';
import { toBase64Url } from './base64url.ts';

const UTF8 = new TextEncoder();

/** Digests without Node. Web Crypto returns promises only, so a library computes them. */
export class WebDigest extends Digest {
  sha1(content: string | Uint8Array): string {
    return toBase64Url(sha1(typeof content === 'string' ? UTF8.encode(content) : content));
  }

  sha256(text: string): string {
    return toBase64Url(sha256(UTF8.encode(text)));
  }
}
