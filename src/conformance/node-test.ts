import { after, describe, it } from 'node:test';
import { type Check, type Suite, sectionsOf } from './check.ts';

/** Gives every check of the suite to `node:test` as a test, and every gap as a skipped one that says why. */
export function runWithNodeTest(suite: Suite): void {
  const add = (checks: readonly Check[], depth: number): void => {
    for (const section of sectionsOf(checks, depth)) {
      if (section.heading !== undefined) void describe(section.heading, () => add(section.checks, depth + 1));
      else for (const { name, gap, run } of section.checks) void it(name, { skip: gap ?? false }, run);
    }
  };
  void describe(suite.name, { timeout: 600_000 }, () => {
    after(() => suite.end());
    add(suite.checks, 0);
  });
}
