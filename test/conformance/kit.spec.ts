import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { type Check, promiseOf, type Suite } from '../../src/conformance/check.ts';
import { credentialSuite } from '../../src/conformance/credential-suite.ts';
import { rateLimiterSuite } from '../../src/conformance/rate-limiter-suite.ts';
import { type Finding, findingOf, findingsOf } from '../../src/conformance/run.ts';
import { storageSuite } from '../../src/conformance/storage-suite.ts';
import { LIMITER_FAULTS, VERIFIER_FAULTS } from './mutants/caller-mutants.ts';
import { LIST_FAULTS } from './mutants/list-mutants.ts';
import { inMemory } from './mutants/mutant-storage.ts';
import { REOPENING_FAULTS, reopenable } from './mutants/reopening-mutants.ts';
import { SIZE_AND_EVENT_FAULTS } from './mutants/size-and-event-mutants.ts';
import { UNIT_FAULTS } from './mutants/unit-mutants.ts';
import { VALUE_FAULTS } from './mutants/value-mutants.ts';

const titleOf = ({ path, name }: Pick<Check, 'path' | 'name'>) => [...path, name].join(' ');

/** Runs the one check of a suite that has this title, and expects it to find something broken. */
async function mustCatch({ checks }: Suite, title: string, patience?: number): Promise<void> {
  const check = checks.find((one) => titleOf(one) === title);
  if (!check) expect.fail(`There is no check ${JSON.stringify(title)}.`);

  const { path, name, outcome, reason } = await findingOf(check, patience);

  expect([titleOf({ path, name }), outcome]).to.deep.equal([title, 'broken']);
  // The fault itself, and not something that the faulty adapter trips over.
  expect(reason).to.not.match(/^(Type|Reference|Syntax|Range)Error/);
}

describe('The conformance kit', () => {
  it('finds nothing broken in an adapter without a fault, and says why it left something out', async () => {
    const findings: Finding[] = [];
    for await (const finding of findingsOf(storageSuite('The in-memory adapter', inMemory()))) findings.push(finding);

    expect(findings.filter(({ outcome }) => outcome === 'broken')).to.deep.equal([]);
    const gaps = findings.filter(({ outcome }) => outcome === 'gap');
    expect(new Set(gaps.map(({ reason }) => reason))).to.deep.equal(new Set(['What it keeps goes when it is closed.']));
    expect(findings.length - gaps.length).to.be.above(400);
  });

  it('finds nothing broken in one that may be opened once more', async () => {
    const again = storageSuite('It', reopenable()).checks.filter(({ path }) =>
      path.includes('when it is opened again,'),
    );

    expect(again).to.have.length.above(3);
    for (const check of again) expect(await findingOf(check)).to.include({ outcome: 'kept' });
  });

  it('has a name for each check that no other has, and a module in which its promise is written', () => {
    const { checks } = storageSuite('It', inMemory());

    expect(new Set(checks.map(titleOf))).to.have.property('size', checks.length);
    const modules = [...new Set(checks.map(promiseOf))];
    expect(modules).to.have.length.above(8);
    // That is where the package has them.
    for (const name of modules) {
      expect(existsSync(name.replace('petstore-service/ports', 'src/application/ports').concat('.ts')), name).to.equal(
        true,
      );
    }
  });

  const faults = Object.entries({
    ...UNIT_FAULTS,
    ...VALUE_FAULTS,
    ...LIST_FAULTS,
    ...REOPENING_FAULTS,
    ...SIZE_AND_EVENT_FAULTS,
  });

  it('is tried on all the faults that there are', () => {
    expect(faults).to.have.length.above(30);
  });

  for (const [what, { caughtBy, storage, patience }] of faults) {
    it(`catches ${what}`, () => mustCatch(storageSuite('It', storage), caughtBy, patience));
  }

  for (const [what, { caughtBy, verifier }] of Object.entries(VERIFIER_FAULTS)) {
    it(`catches ${what}`, () => mustCatch(credentialSuite('It', verifier), caughtBy));
  }

  for (const [what, { caughtBy, limiter }] of Object.entries(LIMITER_FAULTS)) {
    it(`catches ${what}`, () => mustCatch(rateLimiterSuite('It', limiter), caughtBy));
  }
});
