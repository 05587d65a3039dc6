import { type Check, type Suite, sectionsOf } from './check.ts';

/** What mocha gives to every file of tests. */
interface Mocha {
  describe(name: string, body: (this: { timeout(ms: number): unknown }) => void): unknown;
  it(name: string, body?: () => Promise<void>): unknown;
  after(body: () => Promise<void>): unknown;
}

/** Gives every check of the suite to mocha as a test, and every gap as a pending one that says why. */
export function runWithMocha(suite: Suite, mocha: Mocha = globalThis as unknown as Mocha): void {
  const { describe, it, after } = mocha;
  const add = (checks: readonly Check[], depth: number): void => {
    for (const section of sectionsOf(checks, depth)) {
      if (section.heading !== undefined) {
        describe(section.heading, () => add(section.checks, depth + 1));
        continue;
      }
      for (const { name, gap, run } of section.checks) {
        if (gap === undefined) it(name, run);
        else it(`${name} – ${gap}`);
      }
    }
  };
  describe(suite.name, function () {
    this.timeout(300_000);
    after(() => suite.end());
    add(suite.checks, 0);
  });
}
