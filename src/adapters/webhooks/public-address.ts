import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.process>;

/** Public by their range, but served by the host of a virtual machine to that machine only. */
const METADATA = ipaddr.parse('168.63.129.16').toString();

/** The only range of IPv6 addresses that is assigned to the public internet (RFC 4291, section 2.4). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');
/** The addresses of IPv4 hosts behind a NAT64 gateway: the last 32 bits are the IPv4 address (RFC 6052). */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');

/**
 * Whether an address belongs to a host on the public internet: not to this machine, a private or shared network, a link, a group, or
 * a range that is reserved. An address that embeds an IPv4 address is judged by that one; a text that is no address is not public.
 */
export function isPublicAddress(text: string): boolean {
  return ipaddr.isValid(text) && isPublic(ipaddr.process(text));
}

function isPublic(address: Address): boolean {
  if (address.kind() === 'ipv4') return address.range() === 'unicast' && address.toString() !== METADATA;
  if (address.match(NAT64)) return isPublic(ipaddr.fromByteArray(address.toByteArray().slice(-4)));
  return address.range() === 'unicast' && address.match(GLOBAL_UNICAST);
}
