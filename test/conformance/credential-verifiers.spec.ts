import { InMemoryReader } from '../../src/adapters/in-memory/reader.ts';
import { JwtVerifier } from '../../src/adapters/jwt/jwt-verifier.ts';
import { ALGORITHMS } from '../../src/adapters/jwt/settings.ts';
import { NodeSecrets } from '../../src/adapters/node-crypto/node-secrets.ts';
import { ApiKeyVerifier } from '../../src/application/api-key-verifier.ts';
import { KeyDesk } from '../../src/application/key-desk.ts';
import { StorageUnavailable } from '../../src/application/ports/unit-of-work.ts';
import { Shop } from '../application/shop.ts';
import { FixedClock } from '../support/fixed-clock.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { encoded, makeKey, TokenIssuer } from '../support/token-issuer.ts';
import { credentialContract } from './credential-contract.ts';

class FragileReader extends InMemoryReader {
  isBroken = false;

  override async apiKey(id: number) {
    if (this.isBroken) throw new StorageUnavailable('broken');
    return super.apiKey(id);
  }
}

credentialContract('The API key verifier', async () => {
  const { work, store, clock } = new Shop();
  const secrets = new NodeSecrets();
  const reader = new FragileReader(store);
  const desk = new KeyDesk(work, reader, clock, secrets);
  return {
    verifier: new ApiKeyVerifier(reader, clock, secrets),
    clock,
    give: async ({ scopes, until }) => (await desk.issue({ name: 'Till', scopes, expiresAt: until })).secret,
    neverWas: async () => `petstore_4711_${secrets.make()}`,
    forged: (credential) => credential.replace(/_[\w-]{43}$/, `_${secrets.make()}`),
    malformed: [
      'petstore_',
      'petstore_1',
      'petstore_1_',
      'petstore__abcdefghijkl',
      `petstore_0_${secrets.make()}`,
      `petstore_01_${secrets.make()}`,
      `petstore_-1_${secrets.make()}`,
      `petstore_1e3_${secrets.make()}`,
      `petstore_9007199254740993_${secrets.make()}`,
      `petstore_1_${secrets.make()}\0`,
      `petstore_1_${secrets.make()}\n`,
      `petstore_1_${secrets.make()}=`,
      `petstore_1_${'a'.repeat(201)}`,
    ],
    foreign: ['', 'petstore', 'Petstore_1_abcdefghijkl', ' petstore_1_a', `${encoded('{"alg":"ES256"}')}.e30.AAAA`],
    async withdraw(credential) {
      await desk.revoke(Number(credential.split('_')[1]));
    },
    breakDown() {
      reader.isBroken = true;
    },
    dispose: async () => undefined,
  };
});

credentialContract('The token verifier', async () => {
  const clock = new FixedClock();
  const issuer = await TokenIssuer.open(() => clock.now());
  const { name, audience, url } = issuer;
  const settings = { issuer: name, audience, algorithms: ALGORITHMS, clockTolerance: 0, maxCacheAge: 600 };
  const stranger = await makeKey('ES256', 'stranger');
  let holders = 0;
  return {
    verifier: new JwtVerifier({ ...settings, keys: { url } }, clock, new RecordingLog()),
    clock,
    async give({ scopes, until }) {
      holders += 1;
      const exp = (until ?? clock.now() + 3_600_000) / 1000;
      return issuer.sign({ claims: { sub: `holder ${holders}`, scope: scopes.join(' '), exp } });
    },
    neverWas: () => issuer.sign({ by: stranger }),
    forged: (credential) =>
      credential.replace(/\.([\w-])([\w-]+)$/, (_, first, rest) => `.${first === 'A' ? 'B' : 'A'}${rest}`),
    malformed: [
      `${encoded('{"alg":"ES256","typ":"logout+jwt"}')}.e30.AAAA`,
      `${encoded('{}')}.e30.AAAA`,
      `${encoded('{"alg":"ES256","alg":"none"}')}.e30.AAAA`,
      `${encoded('{"alg":"ES256"}')}.${'e'.repeat(8192)}.AAAA`,
    ],
    foreign: [
      '',
      'petstore_1_abcdefghijkl',
      'a'.repeat(10_000),
      'a.b',
      'a.b.c',
      'a.b.c.d.e',
      `${encoded('[]')}.e30.AAAA`,
      `${encoded('{"alg":')}.e30.AAAA`,
      `${encoded('{"alg":"ES256"}')}.e30`,
      `${encoded('{"alg":"ES256"}')}.e30.AA=`,
      `${encoded('{"alg":"ES256"}')}.e30.AA\0`,
    ],
    async withdraw() {
      issuer.keys = [await makeKey('ES256', 'second')];
      clock.set(clock.now() + settings.maxCacheAge * 1000);
    },
    breakDown() {
      issuer.answer = (_, response) => response.writeHead(503).end();
    },
    dispose: () => issuer.close(),
  };
});
