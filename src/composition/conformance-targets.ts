import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Subject as Choice, Trial } from '../adapters/cli/conformance-command.ts';
import { AdapterUnusable, type Subject, suitesFor } from '../conformance/adapter-under-test.ts';
import { findingsOf } from '../conformance/run.ts';

const EXPORTS: Readonly<Record<Choice, Subject>> = {
  storage: 'storage',
  credentials: 'credentialVerifier',
  rates: 'rateLimiter',
};

/** The suites for the adapters that a module exports. @throws {AdapterUnusable} */
export async function trialsOf(adapter: string, only?: Choice): Promise<Trial[]> {
  const suites = suitesFor(adapter, await load(adapter), only && EXPORTS[only]);
  return suites.map((suite) => ({ name: suite.name, findings: () => findingsOf(suite) }));
}

async function load(adapter: string): Promise<object> {
  try {
    const loaded: unknown = await import(pathToFileURL(resolve(adapter)).href);
    return Object(loaded) as object;
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new AdapterUnusable(`${adapter} could not be loaded: ${reason.replace(/ imported from .*/, '')}`);
  }
}
