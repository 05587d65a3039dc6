import type { TestBody, TestFunctions } from '../../src/conformance/test-functions.ts';

/** A check of a suite, which can be run by itself. */
export interface CollectedCheck {
  /** Its headings and its name, joined by spaces. */
  readonly title: string;
  readonly path: readonly string[];
  readonly isSkipped: boolean;
  /** Runs the hooks around it, and the check. */
  run(): Promise<void>;
}

/** What a suite registers, as a list: the smallest runner that a suite can have. */
export function checksOf(register: (test: TestFunctions) => void): CollectedCheck[] {
  const checks: CollectedCheck[] = [];
  let path: readonly string[] = [];
  let hooks: { readonly before: readonly TestBody[]; readonly after: readonly TestBody[] } = { before: [], after: [] };

  const add = (name: string, isSkipped: boolean, body: TestBody) => {
    const title = [...path, name].join(' ');
    const { before, after } = hooks;
    const run = async () => {
      try {
        for (const hook of before) await hook();
        await body();
      } finally {
        for (const hook of after) await hook();
      }
    };
    checks.push({ title, path, isSkipped, run });
  };
  register({
    describe(name, body) {
      const outer = { path, hooks };
      path = [...path, name];
      body();
      ({ path, hooks } = outer);
    },
    it: Object.assign((name: string, body: TestBody) => add(name, false, body), {
      skip: (name: string, body: TestBody) => add(name, true, body),
    }),
    beforeEach(body) {
      hooks = { ...hooks, before: [...hooks.before, body] };
    },
    afterEach(body) {
      hooks = { ...hooks, after: [body, ...hooks.after] };
    },
  });
  return checks;
}
