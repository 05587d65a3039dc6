/**
 * What a suite needs of a test runner: these functions of mocha, `node:test` or vitest as they are. A check may take
 * longer than the usual limits of runners: allow it a minute.
 */
export interface TestFunctions {
  describe(name: string, body: () => void): unknown;
  readonly it: RegisterCheck & { skip: RegisterCheck };
  beforeEach(body: TestBody): unknown;
  afterEach(body: TestBody): unknown;
}

export type TestBody = () => void | Promise<void>;
export type RegisterCheck = (name: string, body: TestBody) => unknown;

/** For each capability that an adapter lacks, the reason, in one sentence. The checks that need it are skipped. */
export type Gaps<Capability extends string> = Readonly<Partial<Record<Capability, string>>>;

/** `it`; or, where the adapter declares a gap, what skips a check and shows the reason. */
export function itUnless(gap: string | undefined, { it }: TestFunctions): RegisterCheck {
  return gap === undefined ? it : (name, body) => it.skip(`${name} – ${gap}`, body);
}

/** Opens an instance before each check, and disposes of it afterwards. Returns a stand-in for the one that is open. */
export function openedForEach<Opened extends { dispose(): Promise<void> }>(
  open: () => Promise<Opened>,
  { beforeEach, afterEach }: TestFunctions,
): Opened {
  let current: Opened | undefined;
  beforeEach(async () => {
    current = await open();
  });
  afterEach(async () => {
    const opened = current;
    current = undefined;
    await opened?.dispose();
  });
  return new Proxy({} as Opened, {
    get(_, name) {
      if (!current) throw new Error('Nothing is open: this suite was used outside of its checks.');
      const member: unknown = Reflect.get(current, name);
      return typeof member === 'function' ? member.bind(current) : member;
    },
  });
}
