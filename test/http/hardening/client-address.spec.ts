import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { expect } from 'chai';
import fc from 'fast-check';
import { clientAddress, peerAddress } from '../../../src/adapters/http/koa/client-address.ts';

const seed = 20261121;

const PROXY = '10.0.0.1';

/** A request as Node presents it, with the lines of a field joined. */
function requestFrom(remoteAddress: string | undefined, ...forwarded: string[]): IncomingMessage {
  const headers = forwarded.length > 0 ? { 'x-forwarded-for': forwarded.join(', ') } : {};
  return { headers, socket: { remoteAddress } } as unknown as IncomingMessage;
}

/** The client address for a connection from an address. */
const asSeen = (address: string) => clientAddress(requestFrom(address), 0);

/** The client address behind one proxy. */
const forwarded = (...lines: string[]) => clientAddress(requestFrom(PROXY, ...lines), 1);

const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
const ipv4 = fc.ipV4();
const ipv6 = fc.ipV6();
const addresses = fc.oneof(ipv4, ipv6);
const groups = fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 });

/** Any text that a client may send; Node reads header values as Latin-1, but nothing here may rely on that. */
const lies = fc.oneof(
  addresses,
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...',:.%[]" 0123456789abcdef\t\u00a0,') }),
  fc.constantFrom(
    '',
    ',',
    ' , ,',
    'unknown',
    '_hidden',
    '127.0.0.1',
    '::1',
    'for=1.2.3.4',
    '"1.2.3.4"',
    '１.2.3.4',
    '1.2.3',
  ),
);

describe('The address of a client', () => {
  describe('without a proxy', () => {
    it('is that of its connection, whatever its headers say', () => {
      fc.assert(
        fc.property(addresses, fc.array(lies, { minLength: 1 }), (address, claimed) => {
          expect(clientAddress(requestFrom(address, ...claimed), 0)).to.equal(asSeen(address));
        }),
        { seed },
      );
      expect(clientAddress(requestFrom('192.0.2.7', '203.0.113.9'), 0)).to.equal('192.0.2.7');
    });

    it('is remembered for as long as its connection, even when that is gone', () => {
      const request = requestFrom('192.0.2.7');
      expect(clientAddress(request, 0)).to.equal('192.0.2.7');

      Object.assign(request.socket, { remoteAddress: undefined });

      expect(clientAddress(request, 0)).to.equal('192.0.2.7');
      expect(peerAddress(request.socket)).to.equal('192.0.2.7');
    });

    it('is unknown while there is none', () => {
      const request = requestFrom(undefined);
      expect(clientAddress(request, 0)).to.equal('unknown');

      Object.assign(request.socket, { remoteAddress: '192.0.2.7' });

      expect(clientAddress(request, 0)).to.equal('192.0.2.7');
    });
  });

  describe('behind proxies', () => {
    it('is the one that the outermost proxy reports', () => {
      expect(forwarded('203.0.113.9')).to.equal('203.0.113.9');
      expect(clientAddress(requestFrom(PROXY, '203.0.113.9, 10.0.0.3, 10.0.0.2'), 3)).to.equal('203.0.113.9');
      expect(clientAddress(requestFrom(undefined, '203.0.113.9'), 1)).to.equal('203.0.113.9');
    });

    it('is never the one that the client reports', () => {
      const proxies = fc.integer({ min: 1, max: 4 });
      fc.assert(
        fc.property(fc.array(lies), addresses, proxies, (claimed, client, count) => {
          const added = [client, '10.0.0.4', '10.0.0.3', '10.0.0.2'].slice(0, count);

          expect(clientAddress(requestFrom(PROXY, ...claimed, ...added), count)).to.equal(asSeen(client));
        }),
        { seed, numRuns: 1000 },
      );
    });

    it('is not the one that the client reports, also when a proxy reports none', () => {
      const nothing = fc.constantFrom('', ' ', 'unknown', '_hidden', 'unix:', '1.2.3.4.5', '999.1.1.1');
      fc.assert(
        fc.property(fc.array(lies), nothing, nothing, (claimed, outer, inner) => {
          expect(clientAddress(requestFrom(PROXY, ...claimed, outer, '10.0.0.2'), 2)).to.equal('10.0.0.2');
          expect(clientAddress(requestFrom(PROXY, ...claimed, '203.0.113.9', inner), 2)).to.equal('203.0.113.9');
          expect(clientAddress(requestFrom(PROXY, ...claimed, outer, inner), 2)).to.equal(PROXY);
        }),
        { seed, numRuns: 1000 },
      );
    });

    it('is the leftmost one, if fewer proxies have reported one', () => {
      expect(clientAddress(requestFrom(PROXY, '203.0.113.9'), 3)).to.equal('203.0.113.9');
      expect(clientAddress(requestFrom(PROXY, '203.0.113.9, 10.0.0.2'), 3)).to.equal('203.0.113.9');
      expect(clientAddress(requestFrom(PROXY, 'unknown, 10.0.0.2'), 3)).to.equal('10.0.0.2');
    });

    it('is that of the connection if no proxy has reported one', () => {
      for (const lines of [[], [''], [' '], [','], [',,,,'], ['unknown']]) {
        expect(clientAddress(requestFrom(PROXY, ...lines), 1), lines.join()).to.equal(PROXY);
        expect(clientAddress(requestFrom(PROXY, ...lines), 3), lines.join()).to.equal(PROXY);
      }
    });

    it('is found behind a thousand others, however they are spread over lines', () => {
      const claimed = Array.from({ length: 1000 }, (_, i) => `198.51.100.${i % 256}`);

      expect(forwarded(...claimed, '203.0.113.9')).to.equal('203.0.113.9');
      expect(forwarded(claimed.join(','), '203.0.113.9')).to.equal('203.0.113.9');
      expect(forwarded(`${claimed.join(' ,\t')},203.0.113.9`)).to.equal('203.0.113.9');
      expect(forwarded(','.repeat(10_000), '203.0.113.9')).to.equal('203.0.113.9');
    });

    it('may have a port, which is removed', () => {
      expect(forwarded('203.0.113.9:5678')).to.equal('203.0.113.9');
      expect(forwarded('[2001:db8::1]:80')).to.equal('2001:db8::/56');
      expect(forwarded('[2001:db8::1]')).to.equal('2001:db8::/56');
      expect(forwarded('[::ffff:203.0.113.9]:80')).to.equal('203.0.113.9');
      expect(forwarded('2001:db8:0:5::80')).to.equal('2001:db8::/56');
    });

    it('is never a text that only resembles an address', () => {
      for (const text of [
        '203.0.113.9:',
        '203.0.113.9:x',
        '203.0.113.9:80:80',
        '203.0.113.09',
        '203.0.113',
        '203.0.113.256',
        '3405803785',
        '0xcb007109',
        '[2001:db8::1',
        '2001:db8::1]',
        '[2001:db8::1]80',
        '[]',
        '[]:80',
        ':80',
        '2001:db8::1::2',
        '2001:db8::12345',
        '2001:db8',
        '::ffff:203.0.113.256',
        'fe80::1%',
        '203.0.113.9 203.0.113.8',
        '"203.0.113.9"',
        '２０３.0.113.9',
        '203。0.113.9',
        'localhost',
        '203.0.113.9\0',
      ]) {
        expect(forwarded(text), text).to.equal(PROXY);
      }
    });
  });

  describe('of version 6', () => {
    it('counts by its first 56 bits, so that a /48 counts as 256 at most', () => {
      expect(asSeen('2001:db8:1:2:3:4:5:6')).to.equal('2001:db8:1::/56');
      expect(asSeen('2001:db8:1:2::')).to.equal('2001:db8:1::/56');
      expect(asSeen('2001:db8:1:ff::')).to.equal('2001:db8:1::/56');
      expect(asSeen('2001:db8:1:1ff::')).to.equal('2001:db8:1:100::/56');
    });

    it('has one form, that of RFC 5952', () => {
      expect(asSeen('2001:0DB8:0000:0000:ABCD:0:0:1')).to.equal('2001:db8::/56');
      expect(asSeen('2001:db8::abcd:0:0:1')).to.equal('2001:db8::/56');
      expect(asSeen('2001::1:0:0:0:1')).to.equal('2001::/56');
      expect(asSeen('2001:0:0:1::5')).to.equal('2001::/56');
      expect(asSeen('0:0:0:AB00::')).to.equal('0:0:0:ab00::/56');
      expect(asSeen('1:2:3:4:5:6:7::')).to.equal('1:2:3::/56');
      expect(asSeen('::2:3:400:5:6:7:8')).to.equal('0:2:3:400::/56');
      expect(asSeen('64:ff9b::192.0.2.7')).to.equal('64:ff9b::/56');
      expect(asSeen('::1')).to.equal('::/56');
      expect(asSeen('::')).to.equal('::/56');
    });

    it('is the same for all spellings of a network, and different for other networks', () => {
      fc.assert(
        fc.property(groups, groups, (one, other) => {
          // Addresses in ::ffff:0:0/96 are IPv4.
          fc.pre(one[0] !== 0);
          const long = one.map((group) => group.toString(16).padStart(4, '0').toUpperCase()).join(':');
          const short = new URL(`http://[${long}]`).hostname.slice(1, -1);
          const fourth = (Number(one[3]) & 0xff00) | (Number(other[3]) & 0xff);
          const neighbour = [...one.slice(0, 3), fourth, ...other.slice(4)]
            .map((group) => group.toString(16))
            .join(':');
          const stranger = [...one.slice(0, 3), Number(one[3]) ^ 0x100, ...one.slice(4)]
            .map((group) => group.toString(16))
            .join(':');

          const network = asSeen(long);

          expect(asSeen(short)).to.equal(network);
          expect(asSeen(neighbour)).to.equal(network);
          expect(asSeen(stranger)).to.not.equal(network);
          expect(isIPv6(network.replace('/56', '')), network).to.equal(true);
          expect(network).to.equal(`${new URL(`http://[${network.replace('/56', '')}]`).hostname.slice(1, -1)}/56`);
        }),
        { seed },
      );
    });

    it('is of version 4 if it is mapped from there', () => {
      fc.assert(
        fc.property(octets, ([a, b, c, d]) => {
          const address = [a, b, c, d].join('.');
          const groups = [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(':');

          expect(asSeen(address)).to.equal(address);
          expect(asSeen(`::ffff:${address}`)).to.equal(address);
          expect(asSeen(`0:0:0:0:0:FFFF:${groups}`)).to.equal(address);
          expect(asSeen(`::${address}`)).to.equal('::/56');
          expect(asSeen(`1::ffff:${address}`)).to.equal('1::/56');
          expect(asSeen(`::fffe:${address}`)).to.equal('::/56');
          expect(asSeen(`::ffff:0:${address}`)).to.equal('::/56');
        }),
        { seed },
      );
    });

    it('has no zone', () => {
      expect(asSeen('fe80::1%eth0')).to.equal('fe80::/56');
      expect(asSeen('fe80::2%3')).to.equal('fe80::/56');
      expect(asSeen('::ffff:192.0.2.7%eth0')).to.equal('192.0.2.7');
      expect(forwarded('[fe80::1%eth0]:80')).to.equal('fe80::/56');
      expect(forwarded('fe80::1%eth.0:1')).to.equal('fe80::/56');
    });
  });
});
