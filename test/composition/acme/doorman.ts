import { CredentialVerifier } from '../../../src/application/ports/credential-verifier.ts';
import { adapterModule } from '../../../src/composition/adapter-module.ts';

/** Who knows the word may look at pets. */
export default adapterModule({ ports: 1 }, ({ bind }) => {
  bind(CredentialVerifier).toConstantValue({
    verify: async (credential) =>
      credential === 'sesame' ? { name: 'acme:guest', scopes: new Set(['pets:read'] as const) } : undefined,
  });
});
