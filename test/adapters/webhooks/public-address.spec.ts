import { expect } from 'chai';
import { isPublicAddress } from '../../../src/adapters/webhooks/public-address.ts';

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'this machine': ['127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '::1', '::'],
  'a private network': [
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    'fc00::1',
    'fd12:3456::1',
    'fec0::1',
  ],
  'a shared network (CGNAT)': ['100.64.0.1', '100.127.255.255'],
  'a link': ['169.254.1.1', 'fe80::1', 'fe80::1%eth0'],
  'the metadata of a cloud': ['169.254.169.254', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254'],
  'a group': ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
  'a reserved range': [
    '192.0.2.1',
    '198.18.0.1',
    '203.0.113.9',
    '240.0.0.1',
    '2001:db8::1',
    '2001::1',
    '5f00::1',
    '100::1',
  ],
  'an IPv4 address in an IPv6 address': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::808:808',
    '2002:7f00:1::',
    '::ffff:0:127.0.0.1',
  ],
  'no address': ['', 'localhost', 'example.com', '1.2.3.4.5', '127.0.0.1 ', '127.0.0.1\u0000'],
};

const ALLOWED = [
  '8.8.8.8',
  '93.184.216.34',
  '2606:2800:220:1:248:1893:25c8:1946',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
];

describe('A public address', () => {
  for (const [what, addresses] of Object.entries(REFUSED)) {
    it(`is none of ${what}`, () => {
      expect(addresses.filter(isPublicAddress)).to.deep.equal([]);
    });
  }

  it('is any other, also behind a NAT64 gateway', () => {
    expect(ALLOWED.filter(isPublicAddress)).to.deep.equal(ALLOWED);
  });
});
