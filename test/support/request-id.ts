import { requestIdOf as requestIdBy } from '../../src/adapters/http/request/idempotency-key.ts';
import { NodeDigest } from '../../src/adapters/node-crypto/node-digest.ts';

const digest = new NodeDigest();

/** The id of a request under an Idempotency-Key, as the service computes it. */
export function requestIdOf(caller: string, operation: string, key: string): string {
  return requestIdBy(digest, caller, operation, key);
}
