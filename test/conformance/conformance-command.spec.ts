import { expect } from 'chai';
import type { ConformanceChoice, ConformanceEvent } from '../../src/adapters/cli/conformance-command.ts';
import { program } from '../../src/adapters/cli/program.ts';
import { reportOf } from '../../src/conformance/command/run.ts';

/** Thrown where a process would have ended. */
class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

const CONTRACT = 'petstore-service/ports/reader';
const FINDINGS = [
  { path: ['a storage', 'Reader'], name: 'reads', outcome: 'passed', contract: CONTRACT },
  { path: ['a storage', 'Reader'], name: 'counts', outcome: 'failed', reason: '1 !== 2', contract: CONTRACT },
  { path: ['a storage', 'Reader'], name: 'waits – It cannot.', outcome: 'skipped', contract: CONTRACT },
] as const;

describe('The command `petstore conformance`', () => {
  /** Runs it on an adapter of which this is found. */
  async function conformance(found: readonly (typeof FINDINGS)[number][], ...words: string[]) {
    let [out, err] = ['', ''];
    let exitCode: number | undefined;
    const asked: ConformanceChoice[] = [];
    const terminal = {
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
      exit: (code: number) => {
        throw new Exit(code);
      },
      exitCode: (code: number) => void (exitCode = code),
    };
    const run = async function* (choice: ConformanceChoice): AsyncGenerator<ConformanceEvent> {
      asked.push(choice);
      for (const finding of found) {
        const { outcome, name } = finding;
        const details = { duration_ms: 1, ...(outcome === 'failed' && { error: new Error(finding.reason) }) };
        const data = { name, nesting: 0, testNumber: 1, details, ...(outcome === 'skipped' && { skip: true }) };
        yield { type: outcome === 'failed' ? 'test:fail' : 'test:pass', data, finding };
      }
    };
    const nothing = async () => expect.fail('This is another command.');
    const others = { version: '1.2.3', serve: nothing, audit: nothing, printDocument: nothing };
    const keys = { withKeyDesk: nothing, parseDateTime: () => undefined };
    const petstore = program(
      { ...others, keys, conformance: { subjects: ['storage', 'clock'], run, reportOf } },
      terminal,
    );
    const running = petstore.parseAsync(['node', 'petstore', 'conformance', ...words]);
    const exit = await running.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (exit !== undefined && !(exit instanceof Exit)) throw exit;
    return { code: exit?.code ?? exitCode, out, err, asked };
  }

  it('prints the report of Node, and the totals, and exits with 1 when a check failed', async () => {
    const { code, out } = await conformance(FINDINGS, './under-test.js');

    expect(code).to.equal(1);
    expect(out)
      .to.match(/^✔ reads \(1ms\)$/m)
      .and.to.match(/^✖ counts \(1ms\)$/m)
      .and.to.match(/^﹣ waits – It cannot\. \(1ms\) # SKIP$/m)
      .and.to.include(`The contracts of the failed checks: ${CONTRACT}\n`)
      .and.to.match(/\n1 check passed, 1 failed, 1 skipped\n$/);
  });

  it('exits with 0 when no check failed', async () => {
    const { code, out } = await conformance([FINDINGS[0], FINDINGS[2]], './under-test.js');

    expect(code).to.equal(0);
    expect(out)
      .to.match(/\n1 check passed, 0 failed, 1 skipped\n$/)
      .and.to.not.include('contracts');
  });

  it('prints one JSON document for programs', async () => {
    const { code, out } = await conformance(FINDINGS, './under-test.js', '--json');

    expect(code).to.equal(1);
    expect(JSON.parse(out)).to.deep.equal({ findings: FINDINGS, totals: { passed: 1, failed: 1, skipped: 1 } });
  });

  it('runs the requested checks', async () => {
    expect((await conformance([], './a.js')).asked).to.deep.equal([{ module: './a.js', limit: 30_000 }]);
    const words = ['b', '--only', 'clock', '--grep', 'a name', '--timeout', '5'];
    expect((await conformance([], ...words)).asked).to.deep.equal([
      { module: 'b', only: 'clock', grep: 'a name', limit: 5_000 },
    ]);
  });

  it('has a help that lists exports, options, examples and exit codes', async () => {
    const { code, out } = await conformance([], '--help');

    expect(code).to.equal(0);
    for (const part of [
      '<module>',
      'storage, clock',
      '--only',
      '--grep',
      '--timeout',
      '--json',
      'Examples:',
      'Exit codes:',
    ]) {
      expect(out).to.include(part);
    }
  });

  for (const words of [[], ['x', '--only', 'pets'], ['x', '--timeout', '0'], ['x', '--timeout', 'soon']]) {
    it(`exits with 2 and one line for ${words.join(' ') || 'nothing'}`, async () => {
      const { code, out, err } = await conformance(FINDINGS, ...words);

      expect([code, out]).to.deep.equal([2, '']);
      expect(err).to.match(/^petstore: [^\n]+\n$/);
    });
  }
});
