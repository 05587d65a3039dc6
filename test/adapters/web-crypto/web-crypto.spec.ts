import { expect } from 'chai';
import { NodeDigest } from '../../../src/adapters/node-crypto/node-digest.ts';
import { NodeSecrets } from '../../../src/adapters/node-crypto/node-secrets.ts';
import { WebDigest } from '../../../src/adapters/web-crypto/web-digest.ts';
import { WebSecrets } from '../../../src/adapters/web-crypto/web-secrets.ts';

const TEXTS = ['', 'a', 'Größe \u{1f436}', 'x'.repeat(63), 'x'.repeat(64), 'x'.repeat(100_000)];

describe('The digests without Node', () => {
  const [web, node] = [new WebDigest(), new NodeDigest()];

  for (const text of TEXTS) {
    it(`are those of Node for a text of ${text.length} units`, () => {
      expect(web.sha1(text)).to.equal(node.sha1(text));
      expect(web.sha1(new TextEncoder().encode(text))).to.equal(node.sha1(text));
      expect(web.sha256(text)).to.equal(node.sha256(text));
    });
  }
});

describe('The secrets without Node', () => {
  const [web, node] = [new WebSecrets(), new NodeSecrets()];

  it('are 256 random bits each, in the characters of those of Node', () => {
    const made = Array.from({ length: 100 }, () => web.make());

    expect(new Set(made).size).to.equal(100);
    for (const secret of made) expect(secret).to.match(/^[\w-]{43}$/);
  });

  it('have the digests of Node', () => {
    for (const text of TEXTS) expect(web.digest(text)).to.equal(node.digest(text));
  });

  it('are the same only if every character is', () => {
    const digest = web.digest('a secret');

    expect(web.same(digest, web.digest('a secret'))).to.equal(true);
    for (const other of [web.digest('another'), digest.slice(0, -1), `${digest}a`, `a${digest.slice(1)}`, '']) {
      expect(web.same(digest, other), other).to.equal(false);
      expect(web.same(other, digest), other).to.equal(false);
    }
  });
});
