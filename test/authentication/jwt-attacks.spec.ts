import { createHmac, createPublicKey } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { type CryptoKey, importJWK } from 'jose';
import { CredentialRefused } from '../../src/application/ports/credential-verifier.ts';
import { encoded, makeKey, type SigningKey, TokenIssuer } from '../support/token-issuer.ts';
import { tokenVerifier } from './token-verifier.ts';

const NOT_SIGNED = 'unknown: The token is not signed by the trusted issuer.';
const NO_SUCH_ALGORITHM = 'unknown: The signature algorithm of the token ("alg") is not accepted.';
const SAYS_TWICE = 'malformed: The token contains a duplicate member.';

describe('The verifier of tokens', () => {
  const setup = tokenVerifier();
  let thief: SigningKey;

  before(async () => {
    thief = await makeKey('ES256', 'thief');
  });

  /** A token that a key of the issuer signed, with exactly these texts as its parts. */
  const signedText = async (header: string, claims: string): Promise<string> => {
    const [key] = setup.issuer.keys;
    if (!key) throw new Error('There is no key.');
    const content = `${encoded(header)}.${encoded(claims)}`;
    const imported = (await importJWK(key.secret, key.alg)) as CryptoKey;
    const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
    const signature = await crypto.subtle.sign(algorithm, imported, Buffer.from(content));
    return `${content}.${Buffer.from(signature).toString('base64url')}`;
  };
  const claims = (others = {}) => JSON.stringify(setup.issuer.claims(others));
  const HEADER = '{"alg":"ES256","kid":"first"}';

  it('accepts a token that is signed like the ones below', async () => {
    expect(await setup.holderOf(await signedText(HEADER, claims()))).to.equal('jwt:alice');
  });

  it('refuses a token of the greatest possible nesting, and finds a duplicate member there', async () => {
    const nested = (depth: number, open: string, close: string, inside = '1') =>
      `{"a":${open.repeat(depth)}${inside}${close.repeat(depth)}}`;
    const arrays = nested(2_850, '[', ']');
    const objects = nested(950, '{"a":', '}');
    const payload = encoded(claims());

    for (const deep of [arrays, objects]) {
      expect(await setup.refusalOf(`${encoded(HEADER)}.${encoded(deep)}.AAAA`)).to.equal(NOT_SIGNED);
      const withAlg = `{"alg":"ES256","kid":"first",${deep.slice(1)}`;
      expect(await setup.refusalOf(`${encoded(withAlg)}.${payload}.AAAA`)).to.equal(NOT_SIGNED);
      expect(await setup.refusalOf(await signedText(HEADER, deep))).to.match(/^malformed: /);
    }
    const twice = nested(900, '{"a":', '}', '{"b":1,"b":2}');
    expect(await setup.refusalOf(`${encoded(HEADER)}.${encoded(twice)}.AAAA`)).to.equal(SAYS_TWICE);
    expect(await setup.holderOf(`${encoded('['.repeat(2_900) + ']'.repeat(2_900))}.${payload}.AAAA`)).to.equal(
      undefined,
    );
    expect(setup.log.lines).to.deep.equal([]);
  });

  it('refuses an unsigned token, however "none" is written', async () => {
    for (const alg of ['none', 'None', 'NONE', 'nOnE']) {
      for (const signature of ['', 'AAAA']) {
        const token = `${encoded(JSON.stringify({ alg, kid: 'first' }))}.${encoded(claims())}.${signature}`;
        expect(await setup.refusalOf(token)).to.equal(NO_SUCH_ALGORITHM);
      }
    }
  });

  it('refuses a token without its signature', async () => {
    const token = await setup.issuer.sign();

    expect(await setup.refusalOf(token.slice(0, token.lastIndexOf('.') + 1))).to.equal(NOT_SIGNED);
  });

  it('refuses every token with a changed bit', async () => {
    const token = await signedText(HEADER, claims());
    const [header = '', content = '', signature = ''] = token.split('.');
    const bytes = [header, content, signature].map((part) => Buffer.from(part, 'base64url'));

    for (const part of [1, 2]) {
      for (let i = 0; i < (bytes[part]?.length ?? 0); i += 7) {
        const changed = bytes.map((each, other) => {
          const copy = Buffer.from(each);
          if (other === part) copy[i] = (copy[i] ?? 0) ^ 1;
          return copy.toString('base64url');
        });
        expect(await setup.refusalOf(changed.join('.'))).to.match(/^(unknown|malformed): /);
      }
    }
  });

  it('refuses a shared secret in place of a key pair, also the public key itself', async () => {
    const key = await makeKey('RS256', 'rsa');
    setup.issuer.keys = [key, ...setup.issuer.keys];
    const pem = createPublicKey({ key: key.published, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const secrets = [pem, String(pem).trim(), JSON.stringify(key.published), key.published.n ?? '', ''];

    for (const [alg, hash] of [
      ['HS256', 'sha256'],
      ['HS384', 'sha384'],
      ['HS512', 'sha512'],
    ] as const) {
      for (const secret of secrets) {
        for (const kid of ['rsa', 'first', undefined]) {
          const content = `${encoded(JSON.stringify({ alg, kid }))}.${encoded(claims())}`;
          const signature = createHmac(hash, secret).update(content).digest('base64url');
          expect(await setup.refusalOf(`${content}.${signature}`)).to.equal(NO_SUCH_ALGORITHM);
        }
      }
    }
  });

  it('refuses a shared secret that the issuer publishes by mistake', async () => {
    const secret = { kty: 'oct', k: encoded('a secret that is none any more'), kid: 'first', alg: 'HS256' };
    setup.issuer.answer = (_, response) => response.end(JSON.stringify({ keys: [secret] }));
    const content = `${encoded('{"alg":"HS256","kid":"first"}')}.${encoded(claims())}`;
    const signature = createHmac('sha256', 'a secret that is none any more').update(content).digest('base64url');

    expect(await setup.refusalOf(`${content}.${signature}`)).to.equal(NO_SUCH_ALGORITHM);
  });

  it('refuses a key of the issuer for another algorithm than its own', async () => {
    const key = await makeKey('RS256', 'rsa');
    setup.issuer.keys = [key];

    for (const alg of ['RS512', 'PS256', 'ES256', 'EdDSA']) {
      const by = alg.startsWith('RS') || alg.startsWith('PS') ? key : await makeKey(alg as 'ES256', 'rsa');
      expect(await setup.refusalOf(await setup.issuer.sign({ by, header: { alg } })), alg).to.equal(NOT_SIGNED);
    }
  });

  it('refuses a key that the token contains or refers to', async () => {
    const others = await TokenIssuer.open(() => setup.clock.now());
    others.keys = [{ ...thief, kid: 'first' }];
    try {
      for (const header of [
        { jwk: thief.published },
        { jku: others.url },
        { x5u: others.url },
        { x5c: [encoded('a certificate')] },
        { jwk: thief.published, jku: others.url, kid: 'first' },
        { jku: others.url, kid: 'first' },
      ]) {
        expect(await setup.refusalOf(await setup.issuer.sign({ by: thief, header }))).to.equal(NOT_SIGNED);
      }
      expect(others.asked).to.equal(0);
    } finally {
      await others.close();
    }
  });

  it('refuses a token with an unsupported critical extension', async () => {
    for (const crit of [['exp'], ['http://example/unknown'], [], 'b64', [7], ['alg']]) {
      const token = await signedText(JSON.stringify({ alg: 'ES256', kid: 'first', crit, exp: 1 }), claims());
      expect(await setup.refusalOf(token), JSON.stringify(crit)).to.match(/^malformed: /);
    }
    const unencoded = await signedText('{"alg":"ES256","kid":"first","b64":false,"crit":["b64"]}', claims());
    expect(await setup.refusalOf(unencoded)).to.match(/^malformed: /);
  });

  it('reads no file and no other address because of a "kid"', async () => {
    for (const kid of [
      '../../../../dev/null',
      '/etc/passwd',
      'file:///dev/null',
      `${setup.issuer.url}/../other`,
      "first' or '1'='1",
      'first\0',
      '__proto__',
      'constructor',
      '',
      ' first',
      'FIRST',
      'k'.repeat(4_000),
    ]) {
      expect(await setup.refusalOf(await setup.issuer.sign({ by: thief, header: { kid } })), kid).to.equal(NOT_SIGNED);
    }
    for (const kid of [7, null, true, ['first'], { first: 1 }]) {
      const token = await signedText(JSON.stringify({ alg: 'ES256', kid }), claims());
      expect(await setup.refusalOf(token), JSON.stringify(kid)).to.match(/^(unknown|malformed): /);
    }
    expect(setup.issuer.asked).to.equal(1);
  });

  it('parses nothing that is longer than 8 KiB', async () => {
    const filled = async (length: number) => {
      const token = await setup.issuer.sign({ claims: { filler: '' } });
      // Three bytes are encoded as four characters.
      const filler = 'f'.repeat(Math.floor(((length - token.length) / 4) * 3));
      return setup.issuer.sign({ claims: { filler } });
    };
    const [fits, tooLong] = [await filled(8_192), await filled(8_196)];

    expect(fits).to.have.lengthOf.within(8_188, 8_192);
    expect(await setup.holderOf(fits)).to.equal('jwt:alice');
    const asked = setup.issuer.asked;
    expect(tooLong).to.have.lengthOf.above(8_192);
    for (const token of [tooLong, `${tooLong}${'A'.repeat(1_000_000)}`, '.'.repeat(1_000_000)]) {
      expect(await setup.refusalOf(token)).to.equal('malformed: The token exceeds the limit of 8192 bytes.');
    }
    expect(setup.issuer.asked).to.equal(asked);
  });

  it('refuses duplicate members, also in a signed token', async () => {
    const twice = claims().replace('"sub":"alice"', '"sub":"alice","sub":"bob"');
    const deep = claims().replace('"sub":', '"act":{"sub":"bob","sub":"carol"},"sub":');
    const escaped = claims().replace('"sub":"alice"', '"sub":"alice", "s\\u0075b" : "bob"');
    const marked = `\ufeff${twice}`;
    const listed = claims().replace('"sub":', '"acts":[{"a":1},{"a":1,"a":2}],"sub":');

    for (const text of [twice, deep, escaped, listed, marked]) {
      expect(await setup.refusalOf(await signedText(HEADER, text))).to.equal(SAYS_TWICE);
    }
    for (const header of [
      '{"alg":"ES256","kid":"first","kid":"first"}',
      '{"alg":"none","alg":"ES256","kid":"first"}',
    ]) {
      expect(await setup.refusalOf(await signedText(header, claims()))).to.equal(SAYS_TWICE);
    }
  });

  it('compares names of members only', async () => {
    for (const text of [
      claims({ sub: '"sub":"sub":' }),
      claims({ sub: 'a\\":"b' }),
      claims({ groups: ['sub', 'sub', ':', '{"a":1,"a":2}'], address: { sub: 'x', iss: 'y' } }),
      claims().replaceAll(':', ' : ').replaceAll(' : //', '://').replace('pets : read', 'pets:read'),
    ]) {
      expect(await setup.holderOf(await signedText(HEADER, text)), text).to.match(/^jwt:/);
    }
  });

  it('refuses invalid UTF-8, and anything but an object', async () => {
    for (const text of ['', ' ', 'null', '7', '"alice"', '[]', '{"sub":', '{"sub":"alice"}x', `${'['.repeat(2_000)}`]) {
      expect(await setup.refusalOf(await signedText(HEADER, text)), text).to.equal(
        'malformed: The token is malformed.',
      );
    }
    const content = `${encoded(HEADER)}.${Buffer.from([0x7b, 0xff, 0xfe, 0x7d]).toString('base64url')}`;
    expect(await setup.refusalOf(`${content}.AAAA`)).to.equal(NOT_SIGNED);
  });

  it('ignores or refuses any input, and never fails', async () => {
    await setup.holderOf(await setup.issuer.sign());
    const json = fc.oneof(
      fc.json(),
      fc
        .record(
          {
            alg: fc.oneof(fc.constantFrom('ES256', 'none', 'HS256', 'RS256', 'ML-DSA-44', 'toString'), fc.jsonValue()),
            kid: fc.oneof(fc.constantFrom('first', '__proto__'), fc.jsonValue()),
            typ: fc.oneof(fc.constant('JWT'), fc.jsonValue()),
            crit: fc.jsonValue(),
            b64: fc.jsonValue(),
          },
          { requiredKeys: ['alg'] },
        )
        .map((header) => JSON.stringify(header)),
    );
    const part = fc.oneof(json.map(encoded), fc.string(), fc.base64String());
    const token = fc.oneof(
      fc.array(part, { maxLength: 5 }).map((parts) => parts.join('.')),
      fc
        .tuple(json, json, fc.base64String())
        .map(([header, content, tail]) => `${encoded(header)}.${encoded(content)}.${tail.replace(/=|\+|\//g, '')}`),
      fc.string({ unit: 'binary' }),
    );

    await fc.assert(
      fc.asyncProperty(token, async (credential) => {
        const answer = await setup.verifier.verify(credential).catch((error: unknown) => error);
        expect(answer === undefined || answer instanceof CredentialRefused, String(answer)).to.equal(true);
      }),
      { numRuns: 500 },
    );
  });
});
