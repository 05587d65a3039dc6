import { expect } from 'chai';

export { latch, yieldToEventLoop } from '../../src/conformance/scheduling.ts';

/** The error of a promise that is rejected; a promise that resolves fails the test. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const answer = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in answer) return answer.error;
  return expect.fail(`It did not fail, but resolved to ${JSON.stringify(answer.value)}.`);
}
