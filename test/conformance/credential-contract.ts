import { credentialSuite, type OpenedVerifier } from '../../src/conformance/credential-suite.ts';
import { runWithMocha } from '../../src/conformance/mocha.ts';

/** What every verifier of credentials promises. */
export function credentialContract(name: string, open: () => Promise<OpenedVerifier>): void {
  runWithMocha(credentialSuite(name, { open }));
}
