import { type Command, Option } from 'commander';
import type { Terminal } from './terminal.ts';

const SUBJECTS = ['storage', 'credentials', 'rates'] as const;

export type Subject = (typeof SUBJECTS)[number];

/** What became of one promise. */
export interface Finding {
  readonly port: string;
  /** What the name goes on from, from the outermost. */
  readonly path: readonly string[];
  readonly name: string;
  readonly outcome: 'kept' | 'broken' | 'gap';
  /** Why it was not tried, or in what way it is broken. It may have several lines. */
  readonly reason?: string;
  /** The module in which the promise is written down. */
  readonly promise: string;
}

/** Everything that is tried on one adapter. */
export interface Trial {
  readonly name: string;
  findings(): AsyncIterable<Finding>;
}

/** What the command needs from whoever composes it. */
export interface ConformanceTools {
  /** What is to be tried on what the module at a path exports. Rejects when there is nothing. */
  trialsOf(adapter: string, only?: Subject): Promise<readonly Trial[]>;
}

const MARKS = { kept: '✔', broken: '✖', gap: '–' } as const;

/** `petstore conformance`: whether an adapter of somebody else keeps the promises of its ports. Exits with 1 if it breaks one. */
export function addConformanceCommand(petstore: Command, { trialsOf }: ConformanceTools, terminal: Terminal): void {
  petstore
    .command('conformance')
    .description('run the conformance suite of the ports against your adapter; exits with 1 if a check fails')
    .requiredOption('--adapter <module>', 'the file that exports storage, credentialVerifier or rateLimiter')
    .addOption(new Option('--only <what>', 'run only this suite').choices(SUBJECTS))
    .option('--json', 'print JSON instead of text', false)
    .action(async ({ adapter, only, json }: { adapter: string; only?: Subject; json: boolean }) => {
      const print = (text: string) => terminal.out(`${text}\n`);
      const report = json ? undefined : new Report(print);
      const suites: { name: string; findings: Finding[] }[] = [];
      for (const { name, findings } of await trialsOf(adapter, only)) {
        const suite = { name, findings: [] as Finding[] };
        suites.push(suite);
        report?.begin(name);
        for await (const finding of findings()) {
          suite.findings.push(finding);
          report?.show(finding);
        }
      }
      const all = suites.flatMap(({ findings }) => findings);
      const totals = { kept: countOf(all, 'kept'), broken: countOf(all, 'broken'), gap: countOf(all, 'gap') };
      if (report) report.end(all, totals);
      else print(JSON.stringify({ suites, totals }, undefined, 2));
      // What an adapter has left open shall not keep the process.
      terminal.exit(totals.broken > 0 ? 1 : 0);
    });
}

function countOf(findings: readonly Finding[], outcome: Finding['outcome']): number {
  return findings.filter((finding) => finding.outcome === outcome).length;
}

/** Shows each finding as soon as it is there, under headings; in the end those again that are broken. */
class Report {
  readonly #print: (line: string) => void;
  #path: readonly string[] = [];

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  begin(name: string): void {
    this.#print(`\n${name}`);
    this.#path = [];
  }

  show({ port, path, name, outcome, reason, promise }: Finding): void {
    const same = path.findIndex((heading, depth) => heading !== this.#path[depth]);
    for (const [depth, heading] of path.entries()) {
      if (same !== -1 && depth >= same) this.#print(`${indent(depth + 1)}${heading}`);
    }
    this.#path = path;
    const margin = indent(path.length + 1);
    const why = outcome === 'gap' ? `: ${reason}` : '';
    this.#print(`${margin}${MARKS[outcome]} ${name}${why}`);
    if (outcome !== 'broken') return;
    for (const line of `${reason}`.trim().split('\n')) this.#print(`${margin}    ${line}`.trimEnd());
    this.#print(`${margin}    Contract: ${port}, in ${promise}`);
  }

  end(all: readonly Finding[], { kept, broken, gap }: Readonly<Record<Finding['outcome'], number>>): void {
    if (broken > 0) this.#print('\nFailed:');
    for (const { path, name, outcome } of all) {
      if (outcome === 'broken') this.#print(`  ${MARKS.broken} ${[...path, name].join(' ')}`);
    }
    this.#print(`\n${kept} checks passed, ${broken} failed, ${gap} skipped`);
  }
}

function indent(depth: number): string {
  return '  '.repeat(depth);
}
