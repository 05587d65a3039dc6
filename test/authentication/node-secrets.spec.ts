import { expect } from 'chai';
import { NodeSecrets } from '../../src/adapters/node-crypto/node-secrets.ts';

describe('Secrets', () => {
  const secrets = new NodeSecrets();

  it('have 256 bits, consist of letters, digits, - and _, and are different each time', () => {
    const made = Array.from({ length: 1_000 }, () => secrets.make());

    expect(new Set(made).size).to.equal(1_000);
    for (const secret of made) expect(secret).to.match(/^[\w-]{43}$/);
    // Every bit is random: every possible character occurs.
    expect(new Set(made.join('')).size).to.equal(64);
  });

  it('have the digest of SHA-256', () => {
    expect(secrets.digest('abc')).to.equal('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
    expect(secrets.digest('')).to.equal('47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU');
    expect(secrets.digest('é')).to.not.equal(secrets.digest('e\u0301'));
  });

  it('are equal only if all characters are', () => {
    const digest = secrets.digest('abc');

    expect(secrets.same(digest, secrets.digest('abc'))).to.equal(true);
    for (const other of [secrets.digest('abd'), digest.slice(1), `${digest}A`, '', digest.toLowerCase(), 'ä']) {
      expect(secrets.same(digest, other), other).to.equal(false);
      expect(secrets.same(other, digest), other).to.equal(false);
    }
  });
});
