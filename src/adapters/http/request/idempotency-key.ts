import type { Digest } from '../../../api/digest.ts';
import { badParameter } from '../../../api/errors/api-error.ts';
import type { RequestHead } from './request-head.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * The key under which a request may be repeated (IETF draft "The Idempotency-Key HTTP Header Field"), if it has one.
 * @throws {HttpError} `invalid_header`
 */
export function idempotencyKeyOf({ headers }: RequestHead): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && KEY.test(key)) return key;
  const message = 'Idempotency-Key must be 1 to 255 visible ASCII characters.';
  throw badParameter('invalid_header', 'Idempotency-Key', message);
}

/** Equal for a retry of a request, different for any other caller, operation (its method and path) or key. */
export function requestIdOf(digest: Digest, caller: string, operation: string, key: string): string {
  return digest.sha256(JSON.stringify([caller, operation, key]));
}

/** Equal for bodies with the same JSON value, regardless of the order of keys and of white space. An operation may have no body. */
export function fingerprintOf(digest: Digest, body: unknown): string {
  return digest.sha256(body === undefined ? '' : JSON.stringify(body, inOrder));
}

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
