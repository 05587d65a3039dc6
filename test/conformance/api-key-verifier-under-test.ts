import { InMemoryReader } from '../../src/adapters/in-memory/reader.ts';
import { NodeSecrets } from '../../src/adapters/node-crypto/node-secrets.ts';
import { ApiKeyVerifier } from '../../src/application/api-key-verifier.ts';
import { KeyDesk } from '../../src/application/key-desk.ts';
import type { CredentialVerifier } from '../../src/application/ports/credential-verifier.ts';
import { StorageUnavailable } from '../../src/application/ports/unit-of-work.ts';
import type { OpenedVerifier } from '../../src/conformance/credential-suite.ts';
import { Shop } from '../application/shop.ts';
import { encoded } from '../support/token-issuer.ts';

class FragileReader extends InMemoryReader {
  isBroken = false;

  override async apiKey(id: number) {
    if (this.isBroken) throw new StorageUnavailable('broken');
    return super.apiKey(id);
  }
}

/** The verifier of the store's own keys, over a store in memory. `alter` puts another one in its place. */
export async function openApiKeyVerifier(
  alter: (own: CredentialVerifier) => CredentialVerifier = (own) => own,
): Promise<OpenedVerifier> {
  const { work, store, clock } = new Shop();
  const secrets = new NodeSecrets();
  const reader = new FragileReader(store);
  const desk = new KeyDesk(work, reader, clock, secrets);
  return {
    verifier: alter(new ApiKeyVerifier(reader, clock, secrets)),
    clock,
    issue: async ({ scopes, until }) => (await desk.issue({ name: 'Till', scopes, expiresAt: until })).secret,
    neverIssued: async () => `petstore_4711_${secrets.make()}`,
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
}
