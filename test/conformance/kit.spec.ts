import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { contractOf } from '../../src/conformance/command/explanation.ts';
import { credentialSuite } from '../../src/conformance/credential-suite.ts';
import { rateLimiterSuite } from '../../src/conformance/rate-limiter-suite.ts';
import type { StorageUnderTest } from '../../src/conformance/storage/storage-under-test.ts';
import { storageSuite } from '../../src/conformance/storage-suite.ts';
import { failureOf } from '../support/promises.ts';
import { type CollectedCheck, checksOf } from './collected-checks.ts';
import { LIMITER_MUTANTS, VERIFIER_MUTANTS } from './mutants/caller-mutants.ts';
import { EVENT_LOG_MUTANTS } from './mutants/event-log-mutants.ts';
import { LIST_MUTANTS } from './mutants/list-mutants.ts';
import { executingTwice, inMemory } from './mutants/mutant-storage.ts';
import { REOPENING_MUTANTS, reopenable } from './mutants/reopening-mutants.ts';
import { SIZE_AND_EVENT_MUTANTS } from './mutants/size-and-event-mutants.ts';
import { SMALL_PORT_MUTANTS } from './mutants/small-port-mutants.ts';
import { UNIT_MUTANTS } from './mutants/unit-mutants.ts';
import { VALUE_MUTANTS } from './mutants/value-mutants.ts';
import { VISIBILITY_MUTANTS } from './mutants/visibility-mutants.ts';

/** Checks in memory end at once, except those that wait for each other without end. */
const CHECK_TIMEOUT_MS = 60_000;

const storageChecks = (target: StorageUnderTest) => checksOf((test) => storageSuite(target, test));

/** Runs the check with this title, and expects it to fail. A check that does not end in time has failed. */
async function mustCatch(checks: readonly CollectedCheck[], title: string, timeout = 20_000): Promise<void> {
  const check = checks.find((one) => one.title === title);
  if (!check) expect.fail(`There is no check ${JSON.stringify(title)}.`);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`It did not end within ${timeout} ms.`)), timeout);

  const failure = await failureOf(Promise.race([check.run(), late])).finally(() => clearTimeout(timer));

  // The fault itself, and not something that the mutant stumbles over.
  expect((failure as Error).name).to.not.match(/^(Type|Reference|Syntax|Range)Error/);
}

describe('The conformance kit', () => {
  it('has a name for each check that no other has, and a module that contains its contract', () => {
    const checks = storageChecks(inMemory());

    expect(new Set(checks.map(({ title }) => title))).to.have.property('size', checks.length);
    const modules = [...new Set(checks.map(({ path }) => contractOf(path[1] ?? '')))];
    expect(modules).to.have.length.above(8);
    // That is where the package has them.
    for (const name of modules) {
      expect(existsSync(name.replace('petstore-service/ports', 'src/application/ports').concat('.ts')), name).to.equal(
        true,
      );
    }
  });

  describe('allows an adapter without a fault that can be opened again, so that', function () {
    this.timeout(CHECK_TIMEOUT_MS);
    storageSuite(reopenable(), { describe, it, beforeEach, afterEach });
  });

  describe('allows an adapter that executes every unit of work twice, so that', function () {
    this.timeout(CHECK_TIMEOUT_MS);
    storageSuite(executingTwice(), { describe, it, beforeEach, afterEach });
  });

  const mutants = Object.entries({
    ...EVENT_LOG_MUTANTS,
    ...UNIT_MUTANTS,
    ...VALUE_MUTANTS,
    ...LIST_MUTANTS,
    ...REOPENING_MUTANTS,
    ...SIZE_AND_EVENT_MUTANTS,
    ...VISIBILITY_MUTANTS,
  });

  for (const [what, { caughtBy, storage, timeout }] of mutants) {
    it(`catches ${what}`, () => mustCatch(storageChecks(storage), caughtBy, timeout));
  }

  for (const [what, { caughtBy, verifier }] of Object.entries(VERIFIER_MUTANTS)) {
    it(`catches ${what}`, () =>
      mustCatch(
        checksOf((test) => credentialSuite(verifier, test)),
        caughtBy,
      ));
  }

  for (const [what, { caughtBy, limiter }] of Object.entries(LIMITER_MUTANTS)) {
    it(`catches ${what}`, () =>
      mustCatch(
        checksOf((test) => rateLimiterSuite(limiter, test)),
        caughtBy,
      ));
  }

  for (const [what, { caughtBy, suite }] of Object.entries(SMALL_PORT_MUTANTS)) {
    it(`catches ${what}`, () => mustCatch(checksOf(suite), caughtBy));
  }
});
