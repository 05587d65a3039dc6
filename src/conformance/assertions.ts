import assert, { AssertionError } from 'node:assert/strict';
import { inspect } from 'node:util';

type Kind<Thing> = abstract new (...facts: never[]) => Thing;

export function assertInstance<Thing>(actual: unknown, kind: Kind<Thing>, what = 'it'): asserts actual is Thing {
  if (actual instanceof kind) return;
  const was = actual instanceof Error ? `${actual.name}: ${actual.message}` : inspect(actual);
  // Without the hint, the message would ask for what seems to be there.
  const isTwin = actual instanceof Error && actual.name === kind.name;
  const hint = isTwin ? '; it comes from another copy of this package than the kit' : '';
  const message = `${what} must be a ${kind.name}, and was ${was}${hint}`;
  const failure = new AssertionError({ message, operator: 'fail', stackStartFn: assertInstance });
  throw Object.assign(failure, actual instanceof Error && { cause: actual });
}

/** `actual` is a whole number from `least` to `most`. */
export function assertWhole(actual: number, least: number, most = Number.MAX_SAFE_INTEGER): void {
  const isWhole = Number.isSafeInteger(actual) && actual >= least && actual <= most;
  assert.ok(isWhole, `${actual} must be a whole number from ${least} to ${most}`);
}

/** The reason for which the promise is rejected. Fails if it resolves. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const answer = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in answer) return answer.error;
  return assert.fail(`It did not fail, but resolved to ${inspect(answer.value)}.`);
}
