import { expect } from 'chai';

/** What the promise is rejected with; a promise that resolves fails the test. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const answer = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in answer) return answer.error;
  return expect.fail(`It did not fail, but resolved to ${JSON.stringify(answer.value)}.`);
}

/** Lets everything else that is ready have its turn, `turns` times. */
export async function pass(turns = 1): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** A door that is closed until it is opened. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
