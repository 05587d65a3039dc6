/** The ports whose promises can be tried; each has a module, `petstore-service/ports/…`, that says what it promises. */
export type Port =
  | 'UnitOfWork'
  | 'CategoryRepository'
  | 'PetRepository'
  | 'OrderRepository'
  | 'Outbox'
  | 'IdempotencyStore'
  | 'ApiKeyRepository'
  | 'Reader'
  | 'Storage'
  | 'CredentialVerifier'
  | 'RateLimiter';

/** One promise of a port, as something that can be tried. It knows no test framework. */
export interface Check {
  readonly port: Port;
  /** What the name goes on from, from the outermost: `['a unit of work', 'is all or nothing, so it']`. */
  readonly path: readonly string[];
  /** Unique among those with its path. */
  readonly name: string;
  /** Why it is not to be run: the gap that the adapter declares. */
  readonly gap?: string | undefined;
  /** Opens what it needs, tries the promise and lets go of everything. Rejects with what was found to be broken. */
  run(): Promise<void>;
}

/** Checks that belong to one adapter. They are run one after the other, in any order, all of them or some. */
export interface Suite {
  readonly name: string;
  readonly checks: readonly Check[];
  /** Lets go of what checks have shared. Is called once, after the last of them. */
  end(): Promise<void>;
}

/** The module of the package in which the promise is written down. */
export function promiseOf({ port }: Check): string {
  return `petstore-service/ports/${port.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}`;
}

/** A run of checks under one heading; those without one stand directly where they are. */
export interface Section {
  readonly heading: string | undefined;
  readonly checks: readonly Check[];
}

/** The checks as they follow each other, by what their paths have at `depth`. */
export function sectionsOf(checks: readonly Check[], depth: number): Section[] {
  const sections: { heading: string | undefined; checks: Check[] }[] = [];
  for (const check of checks) {
    const heading = check.path[depth];
    const last = sections.at(-1);
    if (last && last.heading === heading) last.checks.push(check);
    else sections.push({ heading, checks: [check] });
  }
  return sections;
}
