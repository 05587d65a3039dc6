import assert from 'node:assert/strict';
import {
  CredentialRefused,
  type CredentialVerifier,
  VerifierUnavailable,
} from '../application/ports/credential-verifier.ts';
import { StorageUnavailable } from '../application/ports/unit-of-work.ts';
import { SCOPES, type Scope } from '../domain/scope.ts';
import { assertInstance, assertWhole, failureOf } from './assertions.ts';
import { type Gaps, itUnless, openedForEach, type TestFunctions } from './test-functions.ts';

/** A verifier for one check, and the means to issue credentials that it knows. */
export interface OpenedVerifier {
  readonly verifier: CredentialVerifier;
  /** The clock of the verifier, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly clock: { now(): number; set(now: number): void };
  /** Issues a credential, each time to another holder. `until` is in milliseconds, and a multiple of 1000. */
  issue(request: { readonly scopes: readonly Scope[]; readonly until?: number }): Promise<string>;
  /** A well-formed credential that was never issued. */
  neverIssued(): Promise<string>;
  /** The credential with another secret part. */
  forged(credential: string): string;
  /** Credentials of this kind that cannot be parsed. */
  readonly malformed: readonly string[];
  /** Credentials of other kinds. */
  readonly foreign: readonly string[];
  /** Withdraws a credential, and advances the clock until the verifier must know. */
  withdraw?(credential: string): Promise<void>;
  /** Makes the identity provider or the storage of the credentials unavailable. */
  breakDown?(): void;
  /** Releases everything. Is called once. */
  dispose(): Promise<void>;
}

/**
 * What a verifier may be unable to do:
 *
 * - `withdraw`: learn that a credential was withdrawn before it expired.
 * - `breakDown`: be unable to decide, because it verifies credentials by itself.
 */
export const VERIFIER_CAPABILITIES = ['withdraw', 'breakDown'] as const;

export type VerifierCapability = (typeof VERIFIER_CAPABILITIES)[number];

/** A credential verifier as the kit opens it. */
export interface CredentialVerifierUnderTest {
  open(): Promise<OpenedVerifier>;
  readonly gaps?: Gaps<VerifierCapability>;
}

/** The contract of the port `CredentialVerifier`. */
export function credentialSuite({ open, gaps }: CredentialVerifierUnderTest, test: TestFunctions): void {
  const { describe, it } = test;
  const itWithdraws = itUnless(gaps?.withdraw, test);
  const itFails = itUnless(gaps?.breakDown, test);
  describe('CredentialVerifier', () => {
    const under = openedForEach(open, test);

    it('identifies the holder of a credential, always by the same name', async () => {
      const credential = await under.issue({ scopes: ['pets:read'] });

      const first = await under.verifier.verify(credential);
      const again = await under.verifier.verify(credential);

      assert.match(first?.name ?? '', /^[a-z]+:.+$/);
      assert.deepEqual(again, first);
    });

    it('distinguishes holders', async () => {
      const callers = await Promise.all(
        [1, 2, 3].map(async () => under.verifier.verify(await under.issue({ scopes: ['pets:read'] }))),
      );

      assert.equal(new Set(callers.map((caller) => caller?.name)).size, 3);
    });

    it('returns the scopes that were granted, and no others', async () => {
      for (const scopes of [...SCOPES.map((scope) => [scope]), ['pets:read', 'store:write'] as const, SCOPES]) {
        const caller = await under.verifier.verify(await under.issue({ scopes }));

        assert.deepEqual([...(caller?.scopes ?? [])].sort(), [...scopes].sort());
      }
    });

    it('returns no name that contains a secret', async () => {
      const credential = await under.issue({ scopes: ['admin'] });

      const { name = '' } = (await under.verifier.verify(credential)) ?? {};

      assertWhole(name.length, 1, 300);
      assert.ok(!name.includes(credential.slice(-40)), name);
    });

    it('returns undefined for credentials of another kind', async () => {
      for (const credential of under.foreign) {
        assert.equal(await under.verifier.verify(credential), undefined, credential);
      }
    });

    it('refuses a credential that cannot be parsed as malformed', async () => {
      assert.ok(under.malformed.length > 1);
      for (const credential of under.malformed) {
        assert.equal((await refusalOf(under, credential)).reason, 'malformed', credential);
      }
    });

    it('refuses an unknown credential and a wrong secret in the same way', async () => {
      const neverIssued = await refusalOf(under, await under.neverIssued());
      const credential = await under.issue({ scopes: ['admin'] });

      for (const known of [false, true]) {
        const forged = await refusalOf(under, under.forged(credential));
        assert.deepEqual([forged.reason, forged.message], ['unknown', neverIssued.message], `known: ${known}`);
        await under.verifier.verify(credential);
      }
    });

    it('refuses an expired credential from that instant on, also when it was accepted before', async () => {
      const until = under.clock.now() + 30_000;
      const [used, unused] = [
        await under.issue({ scopes: ['admin'], until }),
        await under.issue({ scopes: ['admin'], until }),
      ];
      under.clock.set(until - 1);
      assert.ok(await under.verifier.verify(used));

      under.clock.set(until);

      for (const credential of [used, unused]) assert.equal((await refusalOf(under, credential)).reason, 'expired');
    });

    itWithdraws('reveals only to its holder that a credential has expired or was withdrawn', async () => {
      const until = under.clock.now() + 30_000;
      const [expired, withdrawn] = [
        await under.issue({ scopes: ['admin'], until }),
        await under.issue({ scopes: ['admin'] }),
      ];
      await withdraw(under, withdrawn);
      under.clock.set(Math.max(under.clock.now(), until));
      const { message } = await refusalOf(under, await under.neverIssued());

      for (const credential of [expired, withdrawn]) {
        assert.equal((await refusalOf(under, under.forged(credential))).message, message);
      }
    });

    itWithdraws('refuses a withdrawn credential, also when it was accepted before', async () => {
      const credential = await under.issue({ scopes: ['admin'], until: under.clock.now() + 86_400_000 });
      assert.ok(await under.verifier.verify(credential));

      await withdraw(under, credential);

      const { reason } = await refusalOf(under, credential);
      assert.ok(reason === 'revoked' || reason === 'unknown', reason);
    });

    it('repeats no part of a credential that it refuses', async () => {
      const credential = await under.issue({ scopes: ['admin'] });
      const refused = [await under.neverIssued(), under.forged(credential), ...under.malformed];

      for (const each of refused) {
        const { message } = await refusalOf(under, each);
        for (const part of each.split(/[._]/).filter(({ length }) => length > 8))
          assert.ok(!message.includes(part), message);
      }
    });

    itFails('throws VerifierUnavailable, and refuses nothing, when it cannot decide', async () => {
      const credential = await under.issue({ scopes: ['admin'] });
      assert.ok(
        under.breakDown,
        'there is no `breakDown`; if the adapter cannot support it, declare the gap "breakDown"',
      );
      under.breakDown();

      for (const each of [credential, under.forged(credential), await under.neverIssued()]) {
        const failure = await failureOf(under.verifier.verify(each));
        assert.equal(
          failure instanceof StorageUnavailable || failure instanceof VerifierUnavailable,
          true,
          String(failure),
        );
      }
      assert.equal(await under.verifier.verify(under.foreign[0] ?? ''), undefined);
    });

    it('verifies concurrent credentials independently', async () => {
      const [one, two] = [await under.issue({ scopes: ['pets:read'] }), await under.issue({ scopes: ['store:read'] })];
      const forged = under.forged(one);

      const results = await Promise.allSettled(
        Array.from({ length: 60 }, (_, i) => under.verifier.verify([one, two, forged][i % 3] ?? '')),
      );

      results.forEach((each, i) => {
        assert.equal(each.status, i % 3 === 2 ? 'rejected' : 'fulfilled');
        if (each.status !== 'fulfilled') return;
        assert.deepEqual([...(each.value?.scopes ?? [])], [i % 3 === 0 ? 'pets:read' : 'store:read']);
      });
    });
  });
}

/** The refusal of a credential. Its message must be a sentence for the holder. */
async function refusalOf({ verifier }: OpenedVerifier, credential: string): Promise<CredentialRefused> {
  const failure = await failureOf(verifier.verify(credential));
  assertInstance(failure, CredentialRefused);
  assert.match(failure.message, /^[A-Z][ -~]+\.$/);
  return failure;
}

async function withdraw(under: OpenedVerifier, credential: string): Promise<void> {
  assert.ok(under.withdraw, 'there is no `withdraw`; if the adapter cannot support it, declare the gap "withdraw"');
  await under.withdraw(credential);
}
