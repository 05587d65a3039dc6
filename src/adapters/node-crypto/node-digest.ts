import { hash } from 'node:crypto';
import { Digest } from '../../api/digest.ts';

export class NodeDigest extends Digest {
  sha1(content: string | Uint8Array): string {
    return hash('sha1', content, 'base64url');
  }

  sha256(text: string): string {
    return hash('sha256', text, 'base64url');
  }
}
