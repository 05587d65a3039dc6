import { expect } from 'chai';
import { ALGORITHMS } from '../../src/adapters/jwt/settings.ts';
import { SCOPES } from '../../src/domain/scope.ts';
import { makeKey } from '../support/token-issuer.ts';
import { tokenVerifier } from './token-verifier.ts';

const NOT_SIGNED = 'unknown: The token is not signed by the trusted issuer.';
const NO_SUCH_ALGORITHM = 'unknown: The signature algorithm of the token ("alg") is not accepted.';

describe('The verifier of tokens', () => {
  const setup = tokenVerifier();

  const sign = (claims: Record<string, unknown>, header?: Record<string, unknown>) =>
    setup.issuer.sign({ claims, ...(header && { header }) });
  const now = () => setup.clock.now() / 1000;

  describe('accepts a token', () => {
    for (const alg of ALGORITHMS) {
      it(`that is signed with ${alg}, if that is allowed`, async () => {
        const key = await makeKey(alg, alg);
        setup.issuer.keys = [key];
        const token = await setup.issuer.sign();

        setup.set({ algorithms: ALGORITHMS.filter((other) => other !== alg) });
        expect(await setup.refusalOf(token)).to.equal(NO_SUCH_ALGORITHM);

        setup.set({ algorithms: [alg] });
        expect(await setup.holderOf(token)).to.equal('jwt:alice');
        const another = await sign({ sub: 'bob' });
        expect(
          await setup.refusalOf(`${token.slice(0, token.lastIndexOf('.'))}${another.slice(another.lastIndexOf('.'))}`),
        ).to.equal(NOT_SIGNED);
      });
    }

    it('whose audience is a list, if this service is in it', async () => {
      expect(await setup.holderOf(await sign({ aud: ['books', 'petstore'] }))).to.equal('jwt:alice');
    });

    it('of the types JWT and at+jwt, however they are written, or of none', async () => {
      for (const typ of ['JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt', undefined]) {
        expect(await setup.holderOf(await sign({}, { typ })), typ).to.equal('jwt:alice');
      }
      for (const typ of ['logout+jwt', 'dpop+jwt', 'secevent+jwt', '', 7, null, ['JWT']]) {
        expect(await setup.refusalOf(await sign({}, { typ })), String(typ))
          .to.include('malformed: ')
          .and.include('"typ"');
      }
    });
  });

  describe('refuses a token', () => {
    it('of another issuer', async () => {
      for (const iss of [
        'https://login.example/',
        'https://LOGIN.example',
        'https://evil.example',
        ['https://login.example'],
        null,
        7,
        '',
      ]) {
        expect(await setup.refusalOf(await sign({ iss }))).to.equal(
          'unknown: The claim "iss" of the token does not have the expected value.',
        );
      }
    });

    it('for another audience', async () => {
      for (const aud of [
        'books',
        'petstore2',
        'Petstore',
        '',
        [],
        ['books'],
        [['petstore']],
        { petstore: 1 },
        null,
        7,
      ]) {
        expect(await setup.refusalOf(await sign({ aud }))).to.equal(
          'unknown: The claim "aud" of the token does not have the expected value.',
        );
      }
    });

    for (const claim of ['iss', 'aud', 'exp', 'sub']) {
      it(`without ${claim}`, async () => {
        expect(await setup.refusalOf(await sign({ [claim]: undefined }))).to.equal(
          `malformed: The token has no claim "${claim}".`,
        );
      });
    }

    it('whose times are not numbers', async () => {
      for (const claim of ['exp', 'nbf']) {
        for (const value of ['4102444800', null, true, [4_102_444_800], {}]) {
          expect(await setup.refusalOf(await sign({ [claim]: value }))).to.equal(
            `malformed: The claim "${claim}" of the token must be a number.`,
          );
        }
      }
    });

    it('whose subject cannot be a name', async () => {
      for (const sub of ['', 'a\0b', 'a\nb', 'a\u001bb', 'a\ud800b', 7, null, ['alice'], {}]) {
        expect(await setup.refusalOf(await sign({ sub })), JSON.stringify(sub)).to.match(
          /^malformed: The claim "sub" /,
        );
      }
    });
  });

  describe('names the caller', () => {
    it('after the subject', async () => {
      for (const sub of ['alice', 'auth0|5f7c8ec7c33c6c004bbafe82', 'jürgen@example', '🐕', 's'.repeat(296)]) {
        expect(await setup.holderOf(await sign({ sub }))).to.equal(`jwt:${sub}`);
      }
    });

    it('with a unique name of up to 300 characters, if the subject is longer', async () => {
      const long = [
        's'.repeat(297),
        's'.repeat(298),
        `${'s'.repeat(297)}t`,
        '🐕'.repeat(150),
        `${'s'.repeat(99)}${'🐕'.repeat(150)}`,
      ];

      const names = await Promise.all(long.map(async (sub) => (await setup.holderOf(await sign({ sub }))) ?? ''));

      expect(new Set(names).size).to.equal(long.length);
      for (const name of names) {
        expect(name).to.have.lengthOf.at.most(300);
        expect(name.isWellFormed()).to.equal(true);
        expect(name).to.match(/^jwt#[\w-]{43}:/u);
        const pretender = await sign({ sub: name.slice('jwt:'.length) });
        expect(await setup.holderOf(pretender)).to.not.equal(name);
      }
    });
  });

  describe('grants scopes', () => {
    const scopesOf = async (claims: Record<string, unknown>) => [
      ...((await setup.verifier.verify(await sign({ scope: undefined, ...claims })))?.scopes ?? []),
    ];

    it('from scope, separated by spaces', async () => {
      expect(await scopesOf({ scope: 'pets:read store:write' })).to.deep.equal(['pets:read', 'store:write']);
      expect(await scopesOf({ scope: SCOPES.join(' ') })).to.deep.equal(SCOPES);
    });

    it('from scp, as a list or as a text', async () => {
      expect(await scopesOf({ scp: ['pets:read', 'store:write'] })).to.deep.equal(['pets:read', 'store:write']);
      expect(await scopesOf({ scp: 'pets:read store:write' })).to.deep.equal(['pets:read', 'store:write']);
    });

    it('that it knows, and ignores the others', async () => {
      expect(await scopesOf({ scope: 'openid profile pets:read email' })).to.deep.equal(['pets:read']);
      for (const scope of [
        undefined,
        '',
        ' ',
        'Admin',
        'pets:read,admin',
        'administrator',
        'pets:*',
        null,
        7,
        { admin: true },
        [['admin']],
        '__proto__',
      ]) {
        expect(await scopesOf({ scope }), JSON.stringify(scope)).to.deep.equal([]);
        expect(await scopesOf({ scp: scope }), JSON.stringify(scope)).to.deep.equal([]);
      }
    });
  });

  describe('checks the times of a token', () => {
    for (const clockTolerance of [0, 30]) {
      it(`to the second, with a tolerance of ${clockTolerance} s`, async () => {
        setup.set({ clockTolerance, maxCacheAge: 86_400 });
        const begin = now() + 100;
        const [used, end] = [await sign({ nbf: begin, exp: begin + 50 }), begin + 50];
        const fresh = (subject: number) => sign({ nbf: begin, exp: end, sub: String(subject) });
        const at = async (instant: number) => {
          setup.clock.set(instant * 1000);
          return [used, await fresh(instant)];
        };

        for (const token of await at(begin - clockTolerance - 0.001)) {
          expect(await setup.refusalOf(token)).to.equal('unknown: The token is not valid yet (claim "nbf").');
        }
        for (const token of await at(begin - clockTolerance)) expect(await setup.holderOf(token)).to.match(/^jwt:/);
        for (const token of await at(end - 1)) expect(await setup.holderOf(token)).to.match(/^jwt:/);
        for (const token of await at(end + clockTolerance - 0.001))
          expect(await setup.holderOf(token)).to.match(/^jwt:/);
        for (const token of await at(end + clockTolerance)) {
          expect(await setup.refusalOf(token)).to.equal('expired: The token has expired (claim "exp").');
        }
      });
    }

    it('also when the clock is set back after it was valid', async () => {
      const token = await sign({ nbf: now(), exp: now() + 3_600 });
      expect(await setup.holderOf(token)).to.equal('jwt:alice');

      setup.wait(-0.001);

      expect(await setup.refusalOf(token)).to.include('"nbf"');
    });
  });

  // A cached caller is the same object; a newly verified one is not.
  describe('caches a valid token', () => {
    it('so that its signature is not verified for every request', async () => {
      const token = await sign({ exp: now() + 3_600 });
      const first = await setup.verifier.verify(token);

      setup.wait(59.999);

      expect(await setup.verifier.verify(token)).to.equal(first);
    });

    it('for a minute at most', async () => {
      const token = await sign({ exp: now() + 3_600 });
      const first = await setup.verifier.verify(token);

      setup.wait(60);

      const again = await setup.verifier.verify(token);
      expect(again).to.deep.equal(first);
      expect(again).to.not.equal(first);
      expect(await setup.verifier.verify(token)).to.equal(again);
    });

    it('together with a thousand others, and evicts the least recently used', async () => {
      const tokens = await Promise.all(Array.from({ length: 1_001 }, (_, i) => sign({ sub: `holder ${i}` })));
      const first: unknown[] = [];
      for (const token of tokens) first.push(await setup.verifier.verify(token));

      expect(await setup.verifier.verify(tokens[1] ?? '')).to.equal(first[1]);
      expect(await setup.verifier.verify(tokens[1_000] ?? '')).to.equal(first[1_000]);
      expect(await setup.verifier.verify(tokens[0] ?? '')).to.not.equal(first[0]);
      expect(await setup.verifier.verify(tokens[2] ?? '')).to.not.equal(first[2]);
      expect(await setup.verifier.verify(tokens[1] ?? '')).to.equal(first[1]);
    });
  });
});
