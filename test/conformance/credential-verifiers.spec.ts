import { JwtVerifier } from '../../src/adapters/jwt/jwt-verifier.ts';
import { ALGORITHMS } from '../../src/adapters/jwt/settings.ts';
import { credentialSuite, type OpenedVerifier } from '../../src/conformance/credential-suite.ts';
import { FixedClock } from '../../src/conformance/fixed-clock.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { encoded, makeKey, TokenIssuer } from '../support/token-issuer.ts';
import { openApiKeyVerifier } from './api-key-verifier-under-test.ts';

describe('The API key verifier', () =>
  credentialSuite({ open: () => openApiKeyVerifier() }, { describe, it, beforeEach, afterEach }));

describe('The token verifier', () =>
  credentialSuite({ open: openTokenVerifier }, { describe, it, beforeEach, afterEach }));

async function openTokenVerifier(): Promise<OpenedVerifier> {
  const clock = new FixedClock();
  const issuer = await TokenIssuer.open(() => clock.now());
  const { name, audience, url } = issuer;
  const settings = { issuer: name, audience, algorithms: ALGORITHMS, clockTolerance: 0, maxCacheAge: 600 };
  const stranger = await makeKey('ES256', 'stranger');
  let holders = 0;
  return {
    verifier: new JwtVerifier({ ...settings, keys: { url } }, clock, new RecordingLog()),
    clock,
    async issue({ scopes, until }) {
      holders += 1;
      const exp = (until ?? clock.now() + 3_600_000) / 1000;
      return issuer.sign({ claims: { sub: `holder ${holders}`, scope: scopes.join(' '), exp } });
    },
    neverIssued: () => issuer.sign({ by: stranger }),
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
}
