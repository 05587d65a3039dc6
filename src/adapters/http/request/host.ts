import ipaddr from 'ipaddr.js';
import { HttpError } from '../http-error.ts';
import type { RequestHead } from './request-head.ts';
import { isOneHost } from './request-target.ts';

/** Whether a text is an address in 127.0.0.0/8, in decimal numbers without leading zeros: the only spelling that browsers send. */
export function isLoopbackIPv4(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) && ipaddr.IPv4.parse(text).range() === 'loopback';
}

/**
 * Whether a `Host` field names this machine, or is one of the `allowed` names. A name without a port is allowed with any
 * port, a name with a port only with that one. Case makes no difference.
 *
 * A page whose name its owner redirects to this machine (DNS rebinding) is of the same origin as the service for the
 * browser, which sends the page's name in `Host`: no rule about origins applies to it, and this one does.
 */
export function isAllowedHost(host: string, allowed: readonly string[]): boolean {
  const given = host.toLowerCase();
  const name = given.replace(/:\d*$/, '');
  if (name === 'localhost' || name.endsWith('.localhost') || name === '[::1]') return true;
  if (isLoopbackIPv4(name)) return true;
  return allowed.some((entry) => [given, name].includes(entry.toLowerCase()));
}

/**
 * Returns a function that returns `forbidden_host` for a request that must not be served. A malformed `Host`, and one that is
 * missing (as only HTTP/1.0 allows, and no browser does), are left to `readTarget`.
 */
export function hostRule(allowed: 'any' | readonly string[]): (request: RequestHead) => HttpError | undefined {
  if (allowed === 'any') return () => undefined;
  // Most clients send the same one with every request.
  let last: string | undefined;
  return ({ headers: { host }, rawHeaders }) => {
    if (host === undefined || host === last) return undefined;
    if (isAllowedHost(host, allowed)) {
      last = host;
      return undefined;
    }
    if (!isOneHost(host, rawHeaders)) return undefined;
    return new HttpError(
      'forbidden_host',
      `The Host header is ${JSON.stringify(host.slice(0, 200))}; while authentication is off, it must be localhost or a loopback address, or be listed in PETSTORE_ALLOWED_HOSTS.`,
    );
  };
}
