import type { Suite } from './check.ts';
import { type CredentialVerifierUnderTest, credentialSuite, VERIFIER_CAPABILITIES } from './credential-suite.ts';
import { LIMITER_CAPABILITIES, type RateLimiterUnderTest, rateLimiterSuite } from './rate-limiter-suite.ts';
import { STORAGE_CAPABILITIES, type StorageUnderTest } from './storage/storage-under-test.ts';
import { storageSuite } from './storage-suite.ts';

/** What a module exports whose adapters shall be tried: one of these or more. */
export interface AdapterUnderTest {
  readonly storage?: StorageUnderTest;
  readonly credentialVerifier?: CredentialVerifierUnderTest;
  readonly rateLimiter?: RateLimiterUnderTest;
}

export type Subject = keyof AdapterUnderTest;

const SUBJECTS = {
  storage: { capabilities: STORAGE_CAPABILITIES, suite: storageSuite },
  credentialVerifier: {
    capabilities: VERIFIER_CAPABILITIES,
    suite: (name: string, given: CredentialVerifierUnderTest) =>
      credentialSuite(`${name} as a credential verifier:`, given),
  },
  rateLimiter: { capabilities: LIMITER_CAPABILITIES, suite: rateLimiterSuite },
} as const;

/** What a module exports cannot be tried. The message says in one line what it has to be. */
export class AdapterUnusable extends Error {
  override readonly name = 'AdapterUnusable';
}

/**
 * The suites for what a module exports, whatever that is; only for one export if `only` says so. `name` is how people
 * shall call it.
 *
 * @throws {AdapterUnusable}
 */
export function suitesFor(name: string, exported: object, only?: Subject): Suite[] {
  const wanted = Object.keys(SUBJECTS).filter((subject) => only === undefined || subject === only) as Subject[];
  const suites = wanted.flatMap((subject) => {
    const given: unknown = Reflect.get(exported, subject);
    if (given === undefined) return [];
    mustBeUsable(name, subject, given);
    // What `open` gives is tried by the checks.
    return [SUBJECTS[subject].suite(name, given as never)];
  });
  if (suites.length === 0)
    throw new AdapterUnusable(`${name} exports no ${listed(wanted)}; there is nothing to check.`);
  return suites;
}

function mustBeUsable(name: string, subject: Subject, given: unknown): void {
  if (typeof given !== 'object' || given === null || typeof Reflect.get(given, 'open') !== 'function') {
    throw new AdapterUnusable(
      `${name} exports a ${subject} without a function "open"; it must have the form { open, gaps }.`,
    );
  }
  const { capabilities } = SUBJECTS[subject];
  const gaps: unknown = Reflect.get(given, 'gaps') ?? {};
  for (const [gap, reason] of Object.entries(gaps as object)) {
    if (!capabilities.some((capability) => capability === gap)) {
      const known = listed(capabilities);
      throw new AdapterUnusable(
        `${name} declares ${JSON.stringify(gap)} as a gap of its ${subject}; the possible gaps are ${known}.`,
      );
    }
    if (typeof reason !== 'string' || reason.trim() === '') {
      throw new AdapterUnusable(`${name} states no reason for the gap ${JSON.stringify(gap)} of its ${subject}.`);
    }
  }
}

function listed(words: readonly string[]): string {
  return words.join(', ').replace(/, (?=[^,]+$)/, ' or ');
}
