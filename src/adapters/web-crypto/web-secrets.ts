import { sha256 } from '@noble/hashes/sha2.js';
import { Secrets } from '../../application/ports/secrets.ts';
import { toBase64Url } from './base64url.ts';

/** Secrets from the random numbers of Web Crypto. A secret of 256 random bits cannot be guessed, so one round of SHA-256 protects it. */
export class WebSecrets extends Secrets {
  make(): string {
    return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  }

  digest(text: string): string {
    return toBase64Url(sha256(new TextEncoder().encode(text)));
  }

  same(digest: string, other: string): boolean {
    let difference = digest.length ^ other.length;
    for (let i = 0; i < digest.length; i++) difference |= digest.charCodeAt(i) ^ other.charCodeAt(i);
    return difference === 0;
  }
}
