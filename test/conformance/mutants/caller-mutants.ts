import { type Counting, FlexibleRateLimiter } from '../../../src/adapters/rate-limiting/flexible-rate-limiter.ts';
import { CredentialRefused, CredentialVerifier } from '../../../src/application/ports/credential-verifier.ts';
import type { RateLimiter } from '../../../src/application/ports/rate-limiter.ts';
import type { CredentialVerifierUnderTest } from '../../../src/conformance/credential-suite.ts';
import type { RateLimiterUnderTest } from '../../../src/conformance/rate-limiter-under-test.ts';
import { openApiKeyVerifier } from '../api-key-verifier-under-test.ts';
import { altered } from './mutant-storage.ts';

type Verify = CredentialVerifier['verify'];

function verifying(alter: (verify: Verify) => Verify): CredentialVerifierUnderTest {
  return {
    open: () =>
      openApiKeyVerifier(
        (own) =>
          new (class extends CredentialVerifier {
            override verify = alter((credential) => own.verify(credential));
          })(),
      ),
  };
}

/** Faults in credential verifiers. */
export const VERIFIER_MUTANTS: Readonly<Record<string, { caughtBy: string; verifier: CredentialVerifierUnderTest }>> = {
  'a verifier with one name for all holders': {
    caughtBy: 'CredentialVerifier distinguishes holders',
    verifier: verifying((verify) => async (credential) => {
      const caller = await verify(credential);
      return caller && { ...caller, name: 'key:1' };
    }),
  },
  'a verifier that adds a scope': {
    caughtBy: 'CredentialVerifier returns the scopes that were granted, and no others',
    verifier: verifying((verify) => async (credential) => {
      const caller = await verify(credential);
      return caller && { ...caller, scopes: new Set([...caller.scopes, 'admin'] as const) };
    }),
  },
  'a verifier with a cache that never expires': {
    caughtBy: 'CredentialVerifier refuses a withdrawn credential, also when it was accepted before',
    verifier: verifying((verify) => {
      const known = new Map<string, ReturnType<Verify>>();
      return (credential) => {
        const answer = known.get(credential) ?? verify(credential);
        known.set(credential, answer);
        return answer;
      };
    }),
  },
  'a verifier that refuses credentials while it cannot decide': {
    caughtBy: 'CredentialVerifier throws VerifierUnavailable, and refuses nothing, when it cannot decide',
    verifier: verifying(
      (verify) => (credential) =>
        verify(credential).catch((error: unknown) => {
          throw error instanceof CredentialRefused ? error : new CredentialRefused('unknown', 'It opens nothing.');
        }),
    ),
  },
  'a verifier that repeats the credential in its refusal': {
    caughtBy: 'CredentialVerifier repeats no part of a credential that it refuses',
    verifier: verifying(
      (verify) => (credential) =>
        verify(credential).catch((error: unknown) => {
          throw new CredentialRefused('unknown', `Nobody holds ${encodeURIComponent(credential)}. ${String(error)}`);
        }),
    ),
  },
};

function limiting(
  alter: (limiter: RateLimiter) => Partial<RateLimiter>,
  counting: Counting = {},
): RateLimiterUnderTest {
  return {
    gaps: { advance: 'It goes by the time of the world.' },
    async open() {
      const limiter = new FlexibleRateLimiter({ perMinute: 50, burst: 20 }, counting);
      return { limiter: altered<RateLimiter>(limiter, alter(limiter)), dispose: async () => undefined };
    },
  };
}

/** Faults in rate limiters. */
export const LIMITER_MUTANTS: Readonly<Record<string, { caughtBy: string; limiter: RateLimiterUnderTest }>> = {
  'a limiter that checks first and counts later': {
    caughtBy: 'RateLimiter a share is granted once to any number of concurrent requests',
    limiter: limiting((limiter) => ({
      async take(...client) {
        const { allowed } = await limiter.look(...client);
        return { ...(await limiter.take(...client)), allowed };
      },
    })),
  },
  'a limiter whose looks count': {
    caughtBy: 'RateLimiter a look counts nothing',
    limiter: limiting((limiter) => ({ look: (...client) => limiter.take(...client) })),
  },
  'a limiter that compares callers regardless of case': {
    caughtBy: 'RateLimiter a share exists separately for callers with any name',
    limiter: limiting((limiter) => ({ take: (client, kind) => limiter.take(client.toLowerCase(), kind) })),
  },
  'a limiter that counts callers and addresses together': {
    caughtBy: 'RateLimiter a share of a caller is separate from that of an address with the same name',
    limiter: limiting((limiter) => ({
      take: (client) => limiter.take(client, 'caller'),
      look: (client) => limiter.look(client, 'caller'),
    })),
  },
  'a limiter whose callers and addresses share one table': {
    caughtBy: 'RateLimiter a share of a caller is not affected by any number of addresses',
    limiter: limiting(
      (limiter) => ({
        take: (client, kind) => limiter.take(`${kind} ${client}`, 'caller'),
        look: (client, kind) => limiter.look(`${kind} ${client}`, 'caller'),
      }),
      { maxClients: 100 },
    ),
  },
};
