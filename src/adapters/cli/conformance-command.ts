import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Terminal } from './terminal.ts';

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

/** An event of Node's test runner; the one that ends a check has its finding. */
export interface ConformanceEvent {
  readonly type: string;
  readonly data: object;
  readonly finding?: Finding;
}

export interface ConformanceChoice {
  readonly module: string;
  readonly only?: string;
  readonly grep?: string;
  /** How many milliseconds a check may take. */
  readonly limit: number;
}

/** What the command needs from the composition. */
export interface ConformanceTools {
  /** What a module may export, as `--only` names it. */
  readonly subjects: readonly string[];
  run(choice: ConformanceChoice): AsyncIterable<ConformanceEvent>;
  /** The events as text for people. */
  reportOf(events: AsyncIterable<ConformanceEvent>): AsyncIterable<string>;
}

const EXAMPLES = `
Examples:
  petstore conformance ./under-test.js
  petstore conformance ./under-test.js --only storage
  petstore conformance ./under-test.js --grep "no update is lost"
  petstore conformance ./under-test.js --json > findings.json

Exit codes: 0 if every check passed, 1 if one failed, 2 if there was nothing to check.`;

/** `petstore conformance`: whether an adapter keeps the contracts of its ports. */
export function addConformanceCommand(
  petstore: Command,
  { subjects, run, reportOf }: ConformanceTools,
  terminal: Terminal,
): void {
  petstore
    .command('conformance')
    .description('run the conformance suites of the ports against your adapters, in a process of their own')
    .argument('<module>', `the file that exports ${subjects.join(', ')}`)
    .addOption(new Option('--only <export>', 'check only this export').choices(subjects))
    .option('--grep <text>', 'run only the checks whose full name contains this text')
    .option('--timeout <seconds>', 'the longest time that a check may take', seconds, 30)
    .option('--json', 'print JSON instead of text', false)
    .addHelpText('after', EXAMPLES)
    .action(async (module: string, options: { only?: string; grep?: string; timeout: number; json: boolean }) => {
      const { json, timeout, ...choice } = options;
      const findings: Finding[] = [];
      const events = async function* () {
        for await (const event of run({ module, ...choice, limit: timeout * 1000 })) {
          if (event.finding) findings.push(event.finding);
          yield event;
        }
      };
      if (json) for await (const _ of events());
      else for await (const text of reportOf(events())) terminal.out(text);
      const totals = { passed: 0, failed: 0, skipped: 0 };
      for (const { outcome } of findings) totals[outcome] += 1;
      if (json) terminal.out(`${JSON.stringify({ findings, totals }, undefined, 2)}\n`);
      else terminal.out(summaryOf(findings, totals));
      terminal.exitCode(totals.failed > 0 ? 1 : 0);
    });
}

function summaryOf(
  findings: readonly Finding[],
  { passed, failed, skipped }: Record<Finding['outcome'], number>,
): string {
  const contracts = new Set(findings.flatMap(({ outcome, contract }) => (outcome === 'failed' ? [contract] : [])));
  const where = failed > 0 ? `\nThe contracts of the failed checks: ${[...contracts].join(', ')}\n` : '';
  return `${where}\n${passed} ${passed === 1 ? 'check' : 'checks'} passed, ${failed} failed, ${skipped} skipped\n`;
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1 || value > 3_600) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 3600.');
  }
  return value;
}
