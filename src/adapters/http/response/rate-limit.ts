import { LONGEST_WAIT } from '../../../api/settings.ts';
import type { Allowance, RatePolicy, Remainder } from '../../../application/ports/rate-limiter.ts';

/*
 * The fields of draft-ietf-httpapi-ratelimit-headers-10 (the same in -11): lists of strings with parameters, written as
 * Structured Fields (RFC 9651).
 */

/** `RateLimit-Policy`: the quota of every policy (`q`, requests) and its window (`w`, seconds). The same for every response. */
export function policyHeader(policies: readonly RatePolicy[]): string {
  return policies.map(({ name, quota, window }) => `${stringItem(name)};q=${quota};w=${window}`).join(', ');
}

/**
 * `RateLimit`: the remainder of every policy (`r`, requests), and the seconds until the whole quota is available again (`t`). `t` is
 * absent if the whole quota is available, because no window has begun.
 */
export function remainderHeader(remainders: readonly Remainder[]): string {
  let header = '';
  for (const { policy, left, reset } of remainders) {
    if (header !== '') header += ', ';
    header += `${quotedName(policy)};r=${left}`;
    if (reset > 0) header += `;t=${reset}`;
  }
  return header;
}

const names = new WeakMap<RatePolicy, string>();

/** Policies are few, and every response contains them. */
function quotedName(policy: RatePolicy): string {
  let name = names.get(policy);
  if (name === undefined) names.set(policy, (name = stringItem(policy.name)));
  return name;
}

/** `Retry-After` for a request that was refused: the seconds until no policy is exhausted, at least 1. */
export function retryAfter({ remainders }: Allowance): number {
  const resets = remainders.filter(({ left }) => left === 0).map(({ reset }) => reset);
  return Math.min(LONGEST_WAIT, Math.max(1, ...resets));
}

/** RFC 9651, section 4.1.6. Names are printable ASCII. */
function stringItem(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
