import { rename, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { isKeyAddress } from '../../src/adapters/jwt/settings.ts';
import { VerifierUnavailable } from '../../src/application/ports/credential-verifier.ts';
import { failureOf, latch } from '../support/promises.ts';
import { freshFolder } from '../support/temporary.ts';
import { makeKey, type SigningKey } from '../support/token-issuer.ts';
import { tokenVerifier } from './token-verifier.ts';

const NOT_SIGNED = 'unknown: The token is not signed by the trusted issuer.';
const DAY = 86_400;

describe('The key set of an issuer', () => {
  const setup = tokenVerifier();
  let [first, second] = [] as unknown as [SigningKey, SigningKey];

  beforeEach(async () => {
    [first, second] = [setup.issuer.keys[0] as SigningKey, await makeKey('ES256', 'second')];
  });

  /** A token that is valid for a day. */
  const sign = (by: SigningKey, sub = 'alice') =>
    setup.issuer.sign({ by, claims: { sub, exp: setup.clock.now() / 1000 + DAY } });

  const isUnavailable = async (token: string) =>
    (await failureOf(setup.verifier.verify(token))) instanceof VerifierUnavailable;

  const warnings = () => setup.log.lines.map(({ level, message }) => `${level}: ${message}`);

  describe('at an address', () => {
    it('is fetched with the first token, once for all concurrent ones', async () => {
      expect(setup.issuer.asked).to.equal(0);
      await setup.verifier.verify('petstore_1_abc');
      expect(setup.issuer.asked).to.equal(0);

      const tokens = await Promise.all(['alice', 'bob', 'carol'].map((sub) => sign(first, sub)));
      const holders = await Promise.all(tokens.map((token) => setup.holderOf(token)));

      expect(holders).to.deep.equal(['jwt:alice', 'jwt:bob', 'jwt:carol']);
      expect(setup.issuer.asked).to.equal(1);
    });

    it('is fetched again at its maximum age', async () => {
      setup.set({ maxCacheAge: 300 });
      const token = await sign(first);
      await setup.holderOf(token);

      setup.wait(299.999);
      await setup.holderOf(token);
      expect(setup.issuer.asked).to.equal(1);

      setup.wait(0.001);
      await setup.holderOf(token);
      expect(setup.issuer.asked).to.equal(2);
    });

    it('is fetched again when the clock was set back', async () => {
      const token = await sign(first);
      await setup.holderOf(token);
      setup.issuer.keys = [second];

      setup.wait(-DAY);

      expect(await setup.refusalOf(token)).to.equal(NOT_SIGNED);
    });

    it('may get a new key at any time', async () => {
      await setup.holderOf(await sign(first));
      setup.issuer.keys = [first, second];
      setup.wait(10);

      expect(await setup.holderOf(await sign(second))).to.equal('jwt:alice');
      expect(await setup.holderOf(await sign(first))).to.equal('jwt:alice');
      expect(setup.issuer.asked).to.equal(2);
    });

    it('is fetched for an unknown key at intervals only', async () => {
      const stranger = await makeKey('ES256', 'stranger');
      await setup.holderOf(await sign(first));
      const guess = async () => {
        for (let i = 0; i < 5; i++) expect(await setup.refusalOf(await sign(stranger, String(i)))).to.equal(NOT_SIGNED);
        return setup.issuer.asked;
      };

      expect(await guess()).to.equal(1);
      setup.wait(9.999);
      expect(await guess()).to.equal(1);
      setup.wait(0.001);
      expect(await guess()).to.equal(2);
      expect(await guess()).to.equal(2);
    });

    it('invalidates tokens when their key is withdrawn, also cached ones', async () => {
      setup.set({ maxCacheAge: 60 });
      const [used, unused] = [await sign(first), await sign(first, 'bob')];
      await setup.holderOf(used);
      setup.issuer.keys = [second];

      setup.wait(59.999);
      expect(await setup.holderOf(used)).to.equal('jwt:alice');
      expect(await setup.holderOf(unused)).to.equal('jwt:bob');

      setup.wait(0.001);
      for (const token of [used, unused]) expect(await setup.refusalOf(token)).to.equal(NOT_SIGNED);
      expect(await setup.holderOf(await sign(second))).to.equal('jwt:alice');
    });

    it('invalidates tokens as soon as the withdrawal is known', async () => {
      const token = await sign(first);
      await setup.holderOf(token);
      setup.issuer.keys = [second];
      setup.wait(10);

      await setup.holderOf(await sign(second));

      expect(await setup.refusalOf(token)).to.equal(NOT_SIGNED);
    });

    it('may have keys without "kid": each suitable one is tried', async () => {
      const nameless = await Promise.all([1, 2, 3].map(() => makeKey('ES256')));
      setup.issuer.keys = [...nameless, await makeKey('ES384')];

      for (const key of nameless) expect(await setup.holderOf(await sign(key))).to.equal('jwt:alice');
      expect(await setup.refusalOf(await sign(await makeKey('ES256')))).to.equal(NOT_SIGNED);
      const expired = await setup.issuer.sign({ by: nameless[1] as SigningKey, claims: { exp: 1 } });
      expect(await setup.refusalOf(expired)).to.match(/^expired: /);
    });

    it('may replace keys without "kid" by others', async () => {
      const [old, young] = [await makeKey('ES256'), await makeKey('ES256')];
      setup.issuer.keys = [old];
      await setup.holderOf(await sign(old));
      setup.issuer.keys = [young];
      setup.wait(10);

      expect(await setup.holderOf(await sign(young))).to.equal('jwt:alice');
      expect(await setup.refusalOf(await sign(old))).to.equal(NOT_SIGNED);
    });

    it('verifies nothing with keys for another use', async () => {
      for (const published of [
        { use: 'enc' },
        { key_ops: ['sign'] },
        { alg: 'ES384' },
        { kty: 'RSA' },
        { crv: 'P-384' },
      ]) {
        setup.issuer.answer = (_, response) =>
          void response.end(JSON.stringify({ keys: [{ ...first.published, ...published }] }));
        setup.set();
        expect(await setup.refusalOf(await sign(first)), JSON.stringify(published)).to.equal(NOT_SIGNED);
      }
    });

    describe('that is unavailable', () => {
      const ANSWERS: Record<string, (response: ServerResponse) => unknown> = {
        'because it is away': (response) => response.destroy(),
        'because it fails': (response) => response.writeHead(500).end(),
        'because there is no such page': (response) => response.writeHead(404).end('{"keys":[]}'),
        'because it is a part': (response) => response.writeHead(206).end(setup.issuer.document),
        'because there is nothing': (response) => response.end(),
        'because it is no JSON': (response) => response.end('<html>Please log in</html>'),
        'because it is no set of keys': (response) => response.end('{"keys":"none"}'),
        'because it is another document': (response) => response.end('{"issuer":"https://login.example"}'),
        'because it is a list': (response) => response.end('[]'),
        'because it breaks off': (response) => {
          response.writeHead(200, { 'Content-Length': '1000' }).write('{"keys":[');
          setImmediate(() => response.destroy());
        },
        'because it does not end': (response) => {
          const pour = () => {
            while (response.write(' '.repeat(16 * 1024)));
          };
          response.on('drain', pour);
          pour();
        },
        'because a key is a secret one': (response) =>
          response.end(JSON.stringify({ keys: [{ ...first.secret, kid: 'first', alg: 'ES256' }] })),
        'because a key is broken': (response) =>
          response.end(JSON.stringify({ keys: [{ ...first.published, x: 'AAAA' }] })),
      };

      for (const [why, answer] of Object.entries(ANSWERS)) {
        it(`${why}, causes no refusal of a token`, async () => {
          setup.issuer.answer = (_, response) => void answer(response);

          expect(await isUnavailable(await sign(first))).to.equal(true);
          expect(await isUnavailable(await sign(first, 'bob'))).to.equal(true);
        });
      }

      it('because it never responds, is waited for up to the time limit', async () => {
        setup.set({}, { timeout: 20 });
        const hanging: ServerResponse[] = [];
        setup.issuer.answer = (_, response) => void hanging.push(response);
        const tokens = [await sign(first), await sign(first, 'bob')];

        const failures = await Promise.all(tokens.map((token) => failureOf(setup.verifier.verify(token))));

        expect(hanging).to.have.length(1);
        for (const failure of failures) {
          expect(failure).to.be.instanceOf(VerifierUnavailable);
          expect((failure as Error).cause).to.have.property('name', 'TimeoutError');
        }
      });

      it('because it never ends its response, is waited for up to the time limit', async () => {
        setup.set({}, { timeout: 20 });
        setup.issuer.answer = (_, response) => void response.writeHead(200).write('{');

        expect(await isUnavailable(await sign(first))).to.equal(true);
      });

      it('because it redirects, is not fetched from there', async () => {
        for (const status of [301, 302, 303, 307, 308]) {
          setup.set();
          const paths: unknown[] = [];
          setup.issuer.answer = ({ url }, response) => {
            paths.push(url);
            if (url === '/keys') response.writeHead(status, { Location: '/elsewhere' }).end(setup.issuer.document);
            else response.end(setup.issuer.document);
          };

          expect(await isUnavailable(await sign(first))).to.equal(true);
          expect(paths).to.deep.equal(['/keys']);
        }
      });

      it('is fetched again after a pause', async () => {
        const token = await sign(first);
        setup.issuer.answer = (_, response) => void response.writeHead(503).end();
        expect(await isUnavailable(token)).to.equal(true);
        setup.issuer.answer = undefined;

        setup.wait(9.999);
        expect(await isUnavailable(token)).to.equal(true);
        expect(setup.issuer.asked).to.equal(1);

        setup.wait(0.001);
        expect(await setup.holderOf(token)).to.equal('jwt:alice');
        expect(warnings()).to.deep.equal([
          'warn: the key set of the identity provider is unavailable',
          'info: the key set of the identity provider is available again',
        ]);
      });

      it('continues to work if it is known, without delay', async () => {
        setup.set({ maxCacheAge: 60 });
        const token = await sign(first);
        await setup.holderOf(token);
        setup.issuer.answer = (_, response) => void response.writeHead(503).end();
        setup.wait(60);
        expect(await setup.holderOf(token)).to.equal('jwt:alice');
        expect(setup.issuer.asked).to.equal(2);

        const { opened, open } = latch();
        setup.issuer.answer = (_, response) => {
          void opened.then(() => response.writeHead(503).end());
        };
        for (let hours = 0; hours < 3; hours++) {
          setup.wait(3_600);
          expect(await setup.holderOf(await sign(first))).to.equal('jwt:alice');
        }

        open();
        expect(await isUnavailable(await sign(second))).to.equal(true);
        expect(warnings()).to.deep.equal(['warn: the key set of the identity provider is unavailable']);
      });

      it('may include an unknown key, so that its token is not refused', async () => {
        await setup.holderOf(await sign(first));
        const token = await sign(second);
        setup.issuer.answer = (_, response) => void response.writeHead(503).end();
        setup.wait(10);

        expect(await isUnavailable(token)).to.equal(true);
        expect(await isUnavailable(token)).to.equal(true);
        expect(setup.issuer.asked).to.equal(2);
        expect(await setup.holderOf(await sign(first))).to.equal('jwt:alice');

        setup.issuer.answer = undefined;
        setup.issuer.keys = [first, second];
        setup.wait(10);
        expect(await setup.holderOf(token)).to.equal('jwt:alice');
      });
    });

    it('must be fetched over https, except from loopback', () => {
      for (const address of [
        'https://login.example/keys',
        'https://login.example:8443/a/b?c=d',
        'http://localhost:8080/keys',
        'http://127.0.0.1/keys',
        'http://127.9.9.9/keys',
        'http://[::1]:80/keys',
      ]) {
        expect(isKeyAddress(address), address).to.equal(true);
      }
      for (const address of [
        'http://login.example/keys',
        'http://localhost.example/keys',
        'http://127.0.0.1.example/keys',
        'http://10.0.0.1/keys',
        'http://0.0.0.0/keys',
        'http://[::2]/keys',
        'http://login.example@127.0.0.1/keys',
        'https://user:password@login.example/keys',
        'https://user@login.example/keys',
        'https://:password@login.example/keys',
        'file:///etc/keys.json',
        'ftp://login.example/keys',
        'data:application/json,{"keys":[]}',
        'login.example/keys',
        '/keys',
        '',
      ]) {
        expect(isKeyAddress(address), address).to.equal(false);
      }
      expect(() => setup.set({ keys: { url: 'http://login.example/keys' } })).to.throw(TypeError, 'login.example');
    });
  });

  describe('in a file', () => {
    const folder = freshFolder();
    const file = () => join(folder(), 'keys.json');

    const publish = async (...keys: readonly SigningKey[]) => {
      setup.issuer.keys = keys;
      await writeFile(file(), setup.issuer.document);
    };

    beforeEach(async () => {
      await publish(first);
      setup.set({ keys: { file: file() } });
    });

    it('is read with the first token', async () => {
      await publish(second);

      expect(await setup.holderOf(await sign(second))).to.equal('jwt:alice');
      expect(setup.issuer.asked).to.equal(0);
    });

    it('is read again after a change, within a second', async () => {
      const token = await sign(first);
      await setup.holderOf(token);

      await publish(second);
      expect(await setup.holderOf(token)).to.equal('jwt:alice');
      expect(await setup.refusalOf(await sign(second))).to.equal(NOT_SIGNED);

      setup.wait(1);
      expect(await setup.refusalOf(token)).to.equal(NOT_SIGNED);
      expect(await setup.holderOf(await sign(second))).to.equal('jwt:alice');
    });

    it('is read again when the file is replaced', async () => {
      await setup.holderOf(await sign(first));
      setup.issuer.keys = [second];
      await writeFile(join(folder(), 'new.json'), setup.issuer.document);
      await rename(join(folder(), 'new.json'), file());
      setup.wait(1);

      expect(await setup.holderOf(await sign(second))).to.equal('jwt:alice');
    });

    it('keeps cached tokens as long as the file is the same', async () => {
      const token = await sign(first);
      const caller = await setup.verifier.verify(token);
      await publish(first);
      setup.wait(2);

      expect(await setup.verifier.verify(token)).to.equal(caller);
    });

    for (const [what, spoil] of Object.entries({
      'is not there': () => rm(file()),
      'is half written': () => writeFile(file(), setup.issuer.document.slice(0, -20)),
      'is no set of keys': () => writeFile(file(), '{"kty":"EC"}'),
      'is empty': () => writeFile(file(), ''),
      'is too large': () => writeFile(file(), `${setup.issuer.document}${' '.repeat(256 * 1024)}`),
      'is a folder': () => setup.set({ keys: { file: folder() } }),
      'has no end': () => setup.set({ keys: { file: '/dev/zero' } }),
    })) {
      it(`causes no refusal of a token when the file ${what}`, async () => {
        await spoil();

        expect(await isUnavailable(await sign(first))).to.equal(true);
      });
    }

    it('continues to work while the file is missing, and is read again when it is back', async () => {
      await setup.holderOf(await sign(first));
      await rm(file());
      for (let i = 0; i < 5; i++) {
        setup.wait(61);
        expect(await setup.holderOf(await sign(first))).to.equal('jwt:alice');
      }

      await publish(second);
      setup.wait(1);

      expect(await setup.holderOf(await sign(second))).to.equal('jwt:alice');
      expect(warnings()).to.deep.equal([
        'warn: the key set of the identity provider is unavailable',
        'info: the key set of the identity provider is available again',
      ]);
    });
  });
});
