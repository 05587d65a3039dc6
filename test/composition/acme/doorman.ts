import { ContainerModule } from 'inversify';
import { CredentialVerifier } from '../../../src/application/ports/credential-verifier.ts';

/** Who knows the word may look at pets. */
export default new ContainerModule(({ bind }) => {
  bind(CredentialVerifier).toConstantValue({
    verify: async (credential) =>
      credential === 'sesame' ? { name: 'acme:guest', scopes: new Set(['pets:read'] as const) } : undefined,
  });
});
