import { CLOCK_CAPABILITIES, type ClockUnderTest, clockSuite } from './clock-suite.ts';
import { type CredentialVerifierUnderTest, credentialSuite, VERIFIER_CAPABILITIES } from './credential-suite.ts';
import { type LogUnderTest, logSuite } from './log-suite.ts';
import { rateLimiterSuite } from './rate-limiter-suite.ts';
import { LIMITER_CAPABILITIES, type RateLimiterUnderTest } from './rate-limiter-under-test.ts';
import { type SecretsUnderTest, secretsSuite } from './secrets-suite.ts';
import { STORAGE_CAPABILITIES, type StorageUnderTest } from './storage/storage-under-test.ts';
import { storageSuite } from './storage-suite.ts';
import type { TestFunctions } from './test-functions.ts';

/** What a module exports so that `petstore conformance` can check it: one of these or more. */
export interface AdapterUnderTest {
  readonly storage?: StorageUnderTest;
  readonly credentialVerifier?: CredentialVerifierUnderTest;
  readonly rateLimiter?: RateLimiterUnderTest;
  readonly clock?: ClockUnderTest;
  readonly log?: LogUnderTest;
  readonly secrets?: SecretsUnderTest;
}

export type Subject = keyof AdapterUnderTest;

const SUITES = {
  storage: { suite: storageSuite, capabilities: STORAGE_CAPABILITIES },
  credentialVerifier: { suite: credentialSuite, capabilities: VERIFIER_CAPABILITIES },
  rateLimiter: { suite: rateLimiterSuite, capabilities: LIMITER_CAPABILITIES },
  clock: { suite: clockSuite, capabilities: CLOCK_CAPABILITIES },
  log: { suite: logSuite, capabilities: [] },
  secrets: { suite: secretsSuite, capabilities: [] },
} as const;

export const SUBJECTS = Object.keys(SUITES) as readonly Subject[];

/** What a module exports cannot be checked. The message states in one line what is expected. */
export class AdapterUnusable extends Error {
  override readonly name = 'AdapterUnusable';
}

/**
 * Registers the suite of each export of a module that is an adapter, or of the one export that `only` names. `name` is the
 * name of the module in messages. @throws {AdapterUnusable}
 */
export function registerSuites(name: string, exported: object, only: Subject | undefined, test: TestFunctions): void {
  const wanted = SUBJECTS.filter((subject) => only === undefined || subject === only);
  const found = wanted.filter((subject) => Reflect.get(exported, subject) !== undefined);
  if (found.length === 0) throw new AdapterUnusable(`${name} exports no ${listed(wanted)}; there is nothing to check.`);
  for (const subject of found) assertUsable(name, subject, Reflect.get(exported, subject));
  // What `open` returns is checked by the suite.
  for (const subject of found) SUITES[subject].suite(Reflect.get(exported, subject) as never, test);
}

function assertUsable(name: string, subject: Subject, target: unknown): void {
  if (typeof target !== 'object' || target === null || typeof Reflect.get(target, 'open') !== 'function') {
    throw new AdapterUnusable(
      `${name} exports a ${subject} without a function "open"; it must have the form { open, gaps }.`,
    );
  }
  const capabilities: readonly string[] = SUITES[subject].capabilities;
  for (const [gap, reason] of Object.entries((Reflect.get(target, 'gaps') ?? {}) as object)) {
    if (!capabilities.includes(gap)) {
      const possible = listed(capabilities) || 'none';
      throw new AdapterUnusable(
        `${name} declares ${JSON.stringify(gap)} as a gap of its ${subject}; possible gaps: ${possible}.`,
      );
    }
    if (typeof reason !== 'string' || reason.trim() === '') {
      throw new AdapterUnusable(`${name} states no reason for the gap ${JSON.stringify(gap)} of its ${subject}.`);
    }
  }
}

function listed(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(words);
}
