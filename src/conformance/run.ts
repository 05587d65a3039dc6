import { AssertionError } from 'node:assert/strict';
import { inspect } from 'node:util';
import { type Check, type Port, promiseOf, type Suite } from './check.ts';

/** What became of one check. */
export interface Finding {
  readonly port: Port;
  readonly path: readonly string[];
  readonly name: string;
  readonly outcome: 'kept' | 'broken' | 'gap';
  /** Why it was skipped, or in what way the promise is broken, in one or more lines. */
  readonly reason?: string;
  /** The module that holds the promise. */
  readonly promise: string;
}

/** Runs the checks of a suite one after the other. One that does not end within `limit` milliseconds is broken. */
export async function* findingsOf(suite: Suite, limit = 20_000): AsyncGenerator<Finding> {
  try {
    for (const check of suite.checks) yield await findingOf(check, limit);
  } finally {
    await suite.end();
  }
}

export async function findingOf(check: Check, limit = 20_000): Promise<Finding> {
  const { port, path, name, gap } = check;
  const about = { port, path, name, promise: promiseOf(check) };
  if (gap !== undefined) return { ...about, outcome: 'gap', reason: gap };
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`It did not end within ${limit} ms.`)), limit);
  try {
    await Promise.race([check.run(), late]);
    return { ...about, outcome: 'kept' };
  } catch (error) {
    return { ...about, outcome: 'broken', reason: explained(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Without what the failure was called in the program, with what was there and what should have been. */
function explained(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error);
  if (!(error instanceof AssertionError)) return `${error.name}: ${error.message}`;
  const saysAll = error.generatedMessage || error.message.includes('\n') || ['fail', '=='].includes(error.operator);
  if (saysAll) return error.message;
  return `${error.message}: expected ${brief(error.expected)}, got ${brief(error.actual)}`;
}

function brief(value: unknown): string {
  const text = inspect(value, { depth: 6, breakLength: 100, maxStringLength: 200 });
  return text.length > 2_000 ? `${text.slice(0, 2_000)} …` : text;
}
