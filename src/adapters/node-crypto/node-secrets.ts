import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Secrets } from '../../application/ports/secrets.ts';

/** Secrets by Node's own cryptography. `make` returns 256 random bits, so one round of SHA-256 protects them. */
export class NodeSecrets extends Secrets {
  make(): string {
    return randomBytes(32).toString('base64url');
  }

  digest(text: string): string {
    return hash('sha256', text, 'base64url');
  }

  same(digest: string, other: string): boolean {
    const [one, two] = [Buffer.from(digest), Buffer.from(other)];
    return one.length === two.length && timingSafeEqual(one, two);
  }
}
