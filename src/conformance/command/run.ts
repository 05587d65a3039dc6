import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { AdapterUnusable, type Subject } from '../suites.ts';
import { contractOf } from './explanation.ts';

/** What is to be checked, and how. */
export interface ConformanceOptions {
  /** The path of the module that exports the adapters. */
  readonly module: string;
  /** Runs only the suite of this export. */
  readonly only?: Subject | undefined;
  /** Runs only the checks whose path and name, joined by spaces, contain this text. */
  readonly grep?: string | undefined;
  /** How many milliseconds a check may take. The process is stopped when it blocks for twice that time. */
  readonly limit: number;
}

/** The options of the child process. */
export interface ChildOptions {
  readonly name: string;
  readonly file: string;
  readonly only?: Subject | undefined;
  readonly limit: number;
}

/** The result of one check. */
export interface Finding {
  /** The headings of the check, from the outermost. */
  readonly path: readonly string[];
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed, in one or more lines. */
  readonly reason?: string;
  /** The module that contains the contract that it checks. */
  readonly contract: string;
}

/** An event of Node's test runner, for its reporters; the one of a check has its finding. */
export interface ConformanceEvent {
  readonly type: string;
  readonly data: object;
  readonly finding?: Finding;
}

/** The events as a report for people, by a reporter of Node. */
export async function* reportOf(events: AsyncIterable<ConformanceEvent>): AsyncGenerator<string> {
  for await (const text of Readable.from(events).compose(new spec())) yield String(text);
}

/** The exit code of the child process when there is nothing to check. */
export const NOTHING_TO_CHECK = 2;

/** The child process prints its process id after this text, before it does anything else. */
export const PROCESS_LINE = 'the process of the checks: ';

const CHILD = fileURLToPath(import.meta.url).replace(/run(\.[jt]s)$/, 'child$1');

type Data = Readonly<{
  name?: string;
  nesting?: number;
  file?: string;
  message?: string;
  skip?: string | boolean;
  details?: { type?: string; error?: Error & { failureType?: string; exitCode?: number; signal?: string } };
}>;

/**
 * Runs the suites with Node's test runner in a process of its own, so that an adapter can neither block nor end this one.
 * Yields the runner's events. What stops the process early is a failed check. @throws {AdapterUnusable}
 */
export async function* conformanceEvents(options: ConformanceOptions): AsyncGenerator<ConformanceEvent> {
  const { module, only, grep, limit } = options;
  const child: ChildOptions = { name: module, file: resolve(module), only, limit };
  let pid: number | undefined;
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    // SIGTERM, which Node's runner sends, may have a handler: a process that is blocked would not end.
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  };
  let timer: NodeJS.Timeout | undefined;
  const expectProgress = () => {
    clearTimeout(timer);
    timer = setTimeout(stop, 2 * limit);
  };
  // Node runs no tests in a process that is itself a file of tests.
  delete process.env['NODE_TEST_CONTEXT'];
  expectProgress();
  const events = run({
    files: [CHILD],
    isolation: 'process',
    argv: [JSON.stringify(child)],
    ...(grep !== undefined && { testNamePatterns: grep.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') }),
  });

  const running: string[] = [];
  const reported: string[] = [];
  let checks = 0;
  /** What came before the first check: the reason for which there is none, or what the adapter printed. */
  const early: ConformanceEvent[] = [];
  let ending: Data['details'];
  try {
    for await (const { type, data: given } of events as AsyncIterable<{ type: string; data: object }>) {
      expectProgress();
      const data = given as Data;
      const { name = '', nesting = 0 } = data;
      if (name === CHILD) {
        if (type === 'test:fail') ending = data.details;
        continue;
      }
      if (type === 'test:stdout' && data.message?.startsWith(PROCESS_LINE)) {
        pid = Number(data.message.slice(PROCESS_LINE.length));
        continue;
      }
      if (type === 'test:dequeue') running.splice(nesting, Infinity, name);
      if (type === 'test:complete') running.splice(nesting);
      if (type === 'test:start') reported.splice(nesting, Infinity, name);
      if (type === 'test:summary' || type === 'test:diagnostic') continue;
      const finding = findingOf(type, data, reported);
      if (finding) checks += 1;
      // Without the file of the child process, which has no check in it.
      const { file: _, ...reportedData } = data;
      early.push(finding ? { type, data: reportedData, finding } : { type, data: reportedData });
      if (checks > 0) yield* early.splice(0);
    }
  } finally {
    clearTimeout(timer);
  }
  const manner = isStopped
    ? `blocked its process for ${(2 * limit) / 1000} s, and was stopped`
    : `ended its process${ending?.error?.signal ? ` (${ending.error.signal})` : ` (exit code ${ending?.error?.exitCode ?? 0})`}`;
  if (running.length > 0) {
    yield failureDuring(running, `The adapter ${manner}. The checks after this one did not run.`);
  } else if (checks === 0) {
    throw new AdapterUnusable(unusable(options, ending, early, manner));
  } else if (ending?.error && ending.error.failureType !== 'subtestsFailed') {
    yield failureDuring(['the end of the checks'], `The adapter ${manner}.`);
  }
}

function unusable(
  { module, grep }: ConformanceOptions,
  ending: Data['details'],
  early: readonly ConformanceEvent[],
  manner: string,
): string {
  const printed = early.filter(({ type }) => type === 'test:stderr').map(({ data }) => (data as Data).message);
  if (ending?.error?.exitCode === NOTHING_TO_CHECK) return printed.join('').trim().split('\n').at(-1) ?? '';
  if (grep !== undefined && !ending) return `No check of ${module} has ${JSON.stringify(grep)} in its name.`;
  return `${module} could not be checked: the module ${manner} while it was loaded.`;
}

function findingOf(type: string, { name = '', nesting = 0, skip, details }: Data, reported: readonly string[]) {
  if (type !== 'test:pass' && type !== 'test:fail') return undefined;
  const { error, type: kind } = details ?? {};
  // A suite fails by itself when it cannot be registered; otherwise its checks say what failed.
  if (kind === 'suite' && (type === 'test:pass' || error?.failureType === 'subtestsFailed')) return undefined;
  const path = reported.slice(0, nesting);
  const outcome = type === 'test:fail' ? 'failed' : skip ? 'skipped' : 'passed';
  const cause = error?.cause instanceof Error ? error.cause : error;
  // The report lists failed checks apart from their headings.
  if (cause && type === 'test:fail') {
    // The deserialised error is read-only.
    Object.defineProperty(cause, 'stack', { value: `in: ${path.join(' › ')}\n${cause.stack}` });
  }
  return { path, name, outcome, ...(cause && { reason: cause.message }), contract: contractIn(path) } as const;
}

function failureDuring(running: readonly string[], reason: string): ConformanceEvent {
  const [path, name = ''] = [running.slice(0, -1), running.at(-1)];
  // The form in which Node's runner reports what a test threw: reporters show the cause.
  const cause = Object.assign(new Error(reason), { stack: `in: ${path.join(' › ')}\n${reason}` });
  const error = Object.assign(new Error(reason, { cause }), { failureType: 'testCodeFailure' });
  const data = {
    name,
    nesting: path.length,
    testNumber: 1,
    details: { duration_ms: 0, error },
  };
  return { type: 'test:fail', data, finding: { path, name, outcome: 'failed', reason, contract: contractIn(path) } };
}

/** The heading after that of the suite names the port; a suite of one port is named like it. */
function contractIn([suite = '', port]: readonly string[]): string {
  return contractOf(/^[A-Z]/.test(suite) ? suite : (port ?? 'Storage'));
}
