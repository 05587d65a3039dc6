/*
 * Is executed in a process of its own by Node's test runner (`run.ts` starts it): loads an adapter and registers its checks.
 * When there is nothing to check, it prints the reason as the last line of the standard error.
 */

import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { yieldToEventLoop } from '../scheduling.ts';
import { AdapterUnusable, registerSuites } from '../suites.ts';
import type { TestBody, TestFunctions } from '../test-functions.ts';
import { explanationOf, framesOf } from './explanation.ts';
import { type ChildOptions, NOTHING_TO_CHECK, PROCESS_LINE } from './run.ts';

const { name, file, only, limit } = JSON.parse(process.argv[2] ?? '') as ChildOptions;

process.stdout.write(`${PROCESS_LINE}${process.pid}\n`);

/** Rejections that nothing handled since the last check ended. */
const unhandled: unknown[] = [];
process.on('unhandledRejection', (reason) => unhandled.push(reason));

/** Lets the results of the checks so far leave this process, and finds what went wrong beside them. */
async function settle(): Promise<void> {
  await yieldToEventLoop(2);
  const [reason] = unhandled.splice(0);
  if (reason !== undefined) throw new Error('A promise was rejected and nothing handled it.', { cause: reason });
}

/** Replaces what is thrown by an error that explains it completely: only messages and stacks reach the other process. */
function explained(body: TestBody): () => Promise<void> {
  return async () => {
    try {
      await body();
    } catch (error) {
      const explanation = explanationOf(error);
      throw Object.assign(new Error(explanation), { stack: [explanation, ...framesOf(error)].join('\n') });
    }
  };
}

const register = Object.assign((title: string, body: TestBody) => it(title, { timeout: limit }, explained(body)), {
  skip: (title: string) => it.skip(title, () => undefined),
});
const test: TestFunctions = {
  describe,
  it: register,
  beforeEach: (body) => beforeEach(explained(body)),
  afterEach: (body) => afterEach(explained(body)),
};

try {
  // Let the name of a check leave this process before its body may block it.
  test.beforeEach(() => yieldToEventLoop(2));
  test.afterEach(settle);
  after(explained(settle));
  registerSuites(name, await load(), only, test);
} catch (error) {
  if (!(error instanceof AdapterUnusable)) throw error;
  process.stderr.write(`\n${error.message}`, () => process.exit(NOTHING_TO_CHECK));
}

async function load(): Promise<object> {
  try {
    const loaded: unknown = await import(pathToFileURL(file).href);
    return Object(loaded) as object;
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new AdapterUnusable(`${name} could not be loaded: ${reason.replace(/ imported from .*/, '')}`);
  }
}
