import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The address of a connection that has none: a socket of the file system, or a connection that was lost already. */
const UNKNOWN = 'unknown';

const known = new WeakMap<Socket, string>();

/**
 * The address of a client: an IPv4 address, or the /56 of an IPv6 address. A customer gets at least a /64, and commonly a /56 or a
 * /48 (RFC 6177), and chooses freely in it: by /56, the owner of a /48 counts as 256 clients. By /64 it would be 65,536, which
 * would fill the table of a rate limiter.
 *
 * Each proxy appends the address that called it to `X-Forwarded-For`. With `trustedProxies` of them, that many of the last
 * entries are theirs, and the client may have written all others. The entry of the outermost proxy is the client. If it contains no
 * address, the nearest inner entry counts, and in the end the connection itself. This is secure only if clients cannot bypass the
 * proxies.
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

/** The address at the other end of a connection, which may be a proxy. */
export function peerAddress(socket: Socket): string {
  const before = known.get(socket);
  if (before !== undefined) return before;
  const address = canonical(socket.remoteAddress ?? '');
  if (address === undefined) return UNKNOWN;
  known.set(socket, address);
  return address;
}

/** The leftmost address among that many last entries. An entry without an address still counts as one. */
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

/** One spelling for every address, and for all of a /56; `undefined` for any other text. Node is stricter than ipaddr.js. */
function canonical(text: string): string | undefined {
  const version = isIP(text);
  if (version === 4) return text;
  if (version === 0) return undefined;
  const [withoutZone = ''] = text.split('%');
  const address = ipaddr.IPv6.parse(withoutZone);
  // ipaddr.js also reads the deprecated form `::1.2.3.4` (RFC 4291, section 2.5.5.1) as a mapped address.
  if (address.isIPv4MappedAddress() && /:ffff:/i.test(text)) return address.toIPv4Address().toString();
  const [first = 0, second = 0, third = 0, fourth = 0] = address.parts;
  const network = new ipaddr.IPv6([first, second, third, fourth & 0xff00, 0, 0, 0, 0]);
  return `${network.toRFC5952String()}/56`;
}
