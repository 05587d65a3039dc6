import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';

/** Who comes without an address: over a socket of the file system, or over a connection that is gone already. */
const NOWHERE = 'unknown';

const seen = new WeakMap<Socket, string>();

/**
 * Who is at the other end of a request: an IPv4 address, or the /56 of an IPv6 address. A customer is given a /64 at least and
 * commonly a /56 or a /48 (RFC 6177), and chooses freely in there: counted by /56, the owner of a /48 counts as 256 clients, and not
 * as 65,536, which would fill the table of a rate limiter.
 *
 * Each proxy adds the address that it was called from at the right end of `X-Forwarded-For`, so that with `trustedProxies` of
 * them the last that many entries are theirs, and all before is whatever the client wrote. The entry of the outermost is
 * the client. Where that says nothing, the nearest one inside that does; the connection itself at the end. All this holds
 * only where nobody gets here past the proxies.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustedProxies: number): string {
  if (trustedProxies > 0) {
    // Node joins the lines of a field in their order.
    const forwarded = headers['x-forwarded-for'];
    const address = forwarded === undefined ? undefined : outermost(String(forwarded), trustedProxies);
    if (address !== undefined) return address;
  }
  return peerAddress(socket);
}

/** The same for a connection: who is at its other end, be it a proxy. */
export function peerAddress(socket: Socket): string {
  const known = seen.get(socket);
  if (known !== undefined) return known;
  const address = canonical(socket.remoteAddress ?? '');
  if (address === undefined) return NOWHERE;
  seen.set(socket, address);
  return address;
}

/** The leftmost address among the last so many entries. An entry without one is still an entry: it may not make room for another. */
function outermost(forwarded: string, entries: number): string | undefined {
  let address: string | undefined;
  let end = forwarded.length;
  for (let entry = 0; entry < entries && end >= 0; entry++) {
    const comma = forwarded.lastIndexOf(',', end - 1);
    address = canonical(withoutPort(forwarded.slice(comma + 1, end).trim())) ?? address;
    end = comma;
  }
  return address;
}

/** `1.2.3.4:80` and `[::1]:80` are addresses with ports; `::1:80` is an address. */
function withoutPort(text: string): string {
  const [, inBrackets, beforeColon] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(text) ?? [];
  return inBrackets ?? beforeColon ?? text;
}

/** One spelling for every address, and for all of a /56; `undefined` for what is no address. */
function canonical(text: string): string | undefined {
  const version = isIP(text);
  if (version === 4) return text;
  if (version === 0) return undefined;
  const groups = groupsOf(text);
  const [, , , , , sixth, high = 0, low = 0] = groups;
  if (sixth === 0xffff && groups.findIndex((group) => group !== 0) === 5) {
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  const [first = 0, second = 0, third = 0, fourth = 0] = groups;
  const network = [first, second, third, fourth & 0xff00].map((group) => group.toString(16));
  // RFC 5952, section 4.2: the four zeros behind the network, and those at its end, are the longest row of them.
  while (network.at(-1) === '0') network.pop();
  return `${network.join(':')}::/56`;
}

/** The eight numbers of a valid IPv6 address. Its zone (`%eth0`) says by which door somebody came, not who. */
function groupsOf(text: string): number[] {
  const [address = ''] = text.split('%');
  const [before = [], after] = address.split('::').map((part) => part.split(':').flatMap(groupsIn));
  if (!after) return before;
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

/** What stands between two colons: a number, two written as an IPv4 address, or nothing. */
function groupsIn(part: string): number[] {
  if (part === '') return [];
  if (!part.includes('.')) return [Number.parseInt(part, 16)];
  const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}
