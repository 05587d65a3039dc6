import { expect } from 'chai';
import {
  CredentialRefused,
  type CredentialVerifier,
  VerifierUnavailable,
} from '../../src/application/ports/credential-verifier.ts';
import { StorageUnavailable } from '../../src/application/ports/unit-of-work.ts';
import { SCOPES, type Scope } from '../../src/domain/scope.ts';
import type { FixedClock } from '../support/fixed-clock.ts';
import { failureOf } from '../support/promises.ts';

export interface CredentialsUnderTest {
  readonly verifier: CredentialVerifier;
  readonly clock: FixedClock;
  /** A credential, each time for another holder; `until` is in whole seconds, though in milliseconds. */
  give(wish: { readonly scopes: readonly Scope[]; readonly until?: number }): Promise<string>;
  /** One as they are given out, that was never given out. */
  neverWas(): Promise<string>;
  /** A credential with another secret part. */
  forged(credential: string): string;
  /** Each is of this kind, and cannot be read. */
  readonly malformed: readonly string[];
  /** Each is of another kind. */
  readonly foreign: readonly string[];
  /** Takes a credential back, and lets so much time go by that the verifier can know. */
  withdraw(credential: string): Promise<void>;
  /** Makes whoever vouches for credentials fail. */
  breakDown(): void;
  dispose(): Promise<void>;
}

/** What every verifier of credentials promises. */
export function credentialContract(name: string, open: () => Promise<CredentialsUnderTest>): void {
  describe(name, () => {
    let under: CredentialsUnderTest;

    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.dispose());

    const refusalOf = async (credential: string): Promise<CredentialRefused> => {
      const failure = await failureOf(under.verifier.verify(credential));
      if (!(failure instanceof CredentialRefused)) throw failure;
      expect(failure.message).to.match(/^[A-Z][ -~]+\.$/);
      return failure;
    };

    it('knows who holds a credential, always by the same name', async () => {
      const credential = await under.give({ scopes: ['pets:read'] });

      const first = await under.verifier.verify(credential);
      const again = await under.verifier.verify(credential);

      expect(first?.name).to.match(/^[a-z]+:.+$/);
      expect(again).to.deep.equal(first);
    });

    it('knows one holder from another', async () => {
      const callers = await Promise.all(
        [1, 2, 3].map(async () => under.verifier.verify(await under.give({ scopes: ['pets:read'] }))),
      );

      expect(new Set(callers.map((caller) => caller?.name)).size).to.equal(3);
    });

    it('gives the scopes that were granted, and no other', async () => {
      for (const scopes of [...SCOPES.map((scope) => [scope]), ['pets:read', 'store:write'] as const, SCOPES]) {
        const caller = await under.verifier.verify(await under.give({ scopes }));

        expect([...(caller?.scopes ?? [])]).to.have.members([...scopes]);
      }
    });

    it('gives no name that holds a secret', async () => {
      const credential = await under.give({ scopes: ['admin'] });

      const { name = '' } = (await under.verifier.verify(credential)) ?? {};

      expect(name.length).to.be.within(1, 300);
      expect(name).to.not.include(credential.slice(-40));
    });

    it('leaves to others what is not of its kind', async () => {
      for (const credential of under.foreign) {
        expect(await under.verifier.verify(credential), credential).to.equal(undefined);
      }
    });

    it('refuses what cannot be read as malformed', async () => {
      expect(under.malformed).to.have.length.above(1);
      for (const credential of under.malformed) {
        expect((await refusalOf(credential)).reason, credential).to.equal('malformed');
      }
    });

    it('refuses what never was and what has a wrong secret in the very same way', async () => {
      const neverWas = await refusalOf(await under.neverWas());
      const credential = await under.give({ scopes: ['admin'] });

      for (const known of [false, true]) {
        const forged = await refusalOf(under.forged(credential));
        expect([forged.reason, forged.message], `known: ${known}`).to.deep.equal(['unknown', neverWas.message]);
        await under.verifier.verify(credential);
      }
    });

    it('refuses what has expired, from the very instant, also when it was good a moment ago', async () => {
      const until = under.clock.now() + 30_000;
      const [used, unused] = [
        await under.give({ scopes: ['admin'], until }),
        await under.give({ scopes: ['admin'], until }),
      ];
      under.clock.set(until - 1);
      expect(await under.verifier.verify(used)).to.include.keys('name');

      under.clock.set(until);

      for (const credential of [used, unused]) expect((await refusalOf(credential)).reason).to.equal('expired');
    });

    it('tells nobody but its holder that a credential has expired or was withdrawn', async () => {
      const until = under.clock.now() + 30_000;
      const [expired, withdrawn] = [
        await under.give({ scopes: ['admin'], until }),
        await under.give({ scopes: ['admin'] }),
      ];
      await under.withdraw(withdrawn);
      under.clock.set(Math.max(under.clock.now(), until));
      const { message } = await refusalOf(await under.neverWas());

      for (const credential of [expired, withdrawn]) {
        expect((await refusalOf(under.forged(credential))).message).to.equal(message);
      }
    });

    it('refuses what was withdrawn, also when it was good a moment ago', async () => {
      const credential = await under.give({ scopes: ['admin'], until: under.clock.now() + 86_400_000 });
      expect(await under.verifier.verify(credential)).to.include.keys('name');

      await under.withdraw(credential);

      expect((await refusalOf(credential)).reason).to.be.oneOf(['revoked', 'unknown']);
    });

    it('repeats nothing of a credential that it refuses', async () => {
      const credential = await under.give({ scopes: ['admin'] });
      const refused = [await under.neverWas(), under.forged(credential), ...under.malformed];

      for (const each of refused) {
        const { message } = await refusalOf(each);
        for (const part of each.split(/[._]/).filter(({ length }) => length > 8)) expect(message).to.not.include(part);
      }
    });

    it('refuses nothing when it cannot know, and says so', async () => {
      const credential = await under.give({ scopes: ['admin'] });
      under.breakDown();

      for (const each of [credential, under.forged(credential), await under.neverWas()]) {
        const failure = await failureOf(under.verifier.verify(each));
        expect(
          failure instanceof StorageUnavailable || failure instanceof VerifierUnavailable,
          String(failure),
        ).to.equal(true);
      }
      expect(await under.verifier.verify(under.foreign[0] ?? '')).to.equal(undefined);
    });

    it('is not confused by many who ask at once', async () => {
      const [one, two] = [await under.give({ scopes: ['pets:read'] }), await under.give({ scopes: ['store:read'] })];
      const forged = under.forged(one);

      const told = await Promise.allSettled(
        Array.from({ length: 60 }, (_, i) => under.verifier.verify([one, two, forged][i % 3] ?? '')),
      );

      told.forEach((each, i) => {
        expect(each.status).to.equal(i % 3 === 2 ? 'rejected' : 'fulfilled');
        if (each.status !== 'fulfilled') return;
        expect([...(each.value?.scopes ?? [])]).to.deep.equal([i % 3 === 0 ? 'pets:read' : 'store:read']);
      });
    });
  });
}
