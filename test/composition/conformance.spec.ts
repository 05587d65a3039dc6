import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Finding } from '../../src/adapters/cli/conformance-command.ts';

const pathOf = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const ADAPTERS = pathOf('test/conformance/adapters');

async function run(words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, words, {
    cwd: ADAPTERS,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out, err };
}

const conformance = (...words: string[]) => run([pathOf('src/petstore.ts'), 'conformance', ...words]);

/** The findings for an adapter that does this to its process in a `look`. */
async function findingsWith(fault: string, ...words: string[]) {
  const command = [pathOf('src/petstore.ts'), 'conformance', './faulty.ts', '--json', '--timeout', '2', ...words];
  const { code, out, err } = await run(command, { FAULT: fault });
  if (out === '') return { code, err, findings: [], failed: [] };
  const { findings } = JSON.parse(out) as { findings: readonly Finding[] };
  return { code, err, findings, failed: findings.filter(({ outcome }) => outcome === 'failed') };
}

describe('petstore conformance', () => {
  it('exits with 0 for an adapter that keeps every contract', async () => {
    const { code, out, err } = await conformance('./whole.ts');

    expect([code, err]).to.deep.equal([0, '']);
    expect(out)
      .to.include('✔ 200 concurrent orders sell the 50 units on hand, and no more')
      .and.to.match(/\n\d{3} checks passed, 0 failed, \d+ skipped\n$/);
  });

  it('exits with 1 for one that breaks a contract, and prints what failed, how, and where the contract is', async () => {
    const { code, out } = await conformance('./broken.ts');

    expect(code).to.equal(1);
    expect(out)
      .to.match(/✖ counts nothing .*\n +in: RateLimiter › a look\n +Expected values to be strictly deep-equal:/)
      .and.to.include('﹣ is deleted when it has ended – It goes by the time of the world.')
      .and.to.match(/petstore-service\/ports\/rate-limiter\n\n9 checks passed, 5 failed, 5 skipped\n$/);
    expect(out).to.not.match(/^test at|node:internal/m);
  });

  it('prints complete JSON, also through a pipe', async () => {
    const { code, out } = await conformance('./whole.ts', '--json');

    expect(out.length).to.be.above(65_536);
    const { findings, totals } = JSON.parse(out) as { findings: readonly Finding[]; totals: object };
    expect(code).to.equal(0);
    const skipped = findings.filter(({ outcome }) => outcome === 'skipped').length;
    expect(totals).to.deep.equal({ passed: findings.length - skipped, failed: 0, skipped });
    expect(skipped).to.be.below(30);
    expect(findings).to.deep.include({
      path: ['a storage', 'Storage', 'while it is open and after,'],
      name: 'responds to a check',
      outcome: 'passed',
      contract: 'petstore-service/ports/storage',
    });
  });

  it('runs one check alone', async () => {
    const { code, out } = await conformance('./broken.ts', '--json', '--grep', 'a look counts nothing');

    expect(code).to.equal(1);
    const { findings, totals } = JSON.parse(out) as { findings: readonly Finding[]; totals: object };
    expect(totals).to.deep.equal({ passed: 0, failed: 1, skipped: 0 });
    expect(findings[0]).to.include({ name: 'counts nothing', contract: 'petstore-service/ports/rate-limiter' });
  });

  it('also runs inside of a test of node:test', async () => {
    const command = [pathOf('src/petstore.ts'), 'conformance', './broken.ts', '--grep', 'is the smallest quota'];
    const { code, out } = await run(command, { NODE_TEST_CONTEXT: 'child-v8' });

    expect(code).to.equal(0);
    expect(out).to.include('1 check passed, 0 failed, 0 skipped');
  });

  for (const fault of ['microtasks', 'loop']) {
    it(`stops an adapter that blocks its process (${fault}), and reports it with the checks before it`, async () => {
      const { code, findings, failed } = await findingsWith(fault);

      expect(code).to.equal(1);
      expect(failed.map(({ name, reason }) => [name, reason])).to.deep.equal([
        [
          'has a remainder in every result, in the order of the policies',
          'The adapter blocked its process for 4 s, and was stopped. The checks after this one did not run.',
        ],
      ]);
      expect(findings[0]).to.include({ outcome: 'passed' });
    });
  }

  it('reports a check that does not end, and runs those after it', async () => {
    const { code, findings, failed } = await findingsWith('never', '--grep', 'a share');

    expect(code).to.equal(1);
    expect(failed[0]).to.include({ name: 'is not reduced by the requests of others' });
    expect(failed[0]?.reason).to.match(/timed out after 2000ms/);
    expect(findings.at(-1)).to.include({ name: 'of a caller is not affected by any number of addresses' });
  });

  it('reports an adapter that ends its process', async () => {
    const { code, failed } = await findingsWith('exit');

    expect(code).to.equal(1);
    expect(failed.map(({ name, reason }) => [name, reason])).to.deep.equal([
      [
        'has a remainder in every result, in the order of the policies',
        'The adapter ended its process (exit code 0). The checks after this one did not run.',
      ],
    ]);
  });

  for (const fault of ['rejection', 'late rejection']) {
    it(`reports a ${fault} that is not handled, and continues`, async () => {
      const { code, findings, failed } = await findingsWith(fault, '--grep', 'a look');

      expect(code).to.equal(1);
      expect(findings.map(({ name }) => name)).to.deep.equal([
        'counts nothing',
        'returns the remainder after the last request, and whether another one would be allowed',
      ]);
      expect(failed[0]?.reason).to.include('It was dropped.');
    });
  }

  it('prints the causes of an error', async () => {
    const { failed } = await findingsWith('causes', '--grep', 'counts nothing');

    expect(failed[0]?.reason).to.equal(
      "Error: The counter does not respond.\ncaused by TypeError: The socket is closed.\ncaused by 'ECONNRESET'",
    );
  });

  for (const [what, ...words] of [
    ['exports nothing that can be checked', './empty.ts'],
    ['exports nothing of the kind', './broken.ts', '--only', 'storage'],
    ['declares an unknown gap', './untold.ts'],
    ['does not exist', './nowhere.ts'],
    ['has no check of that name', './broken.ts', '--grep', 'flies'],
  ] as const) {
    it(`exits with 2 and one line for a module that ${what}`, async () => {
      const { code, out, err } = await conformance(...words);

      expect([code, out]).to.deep.equal([2, '']);
      expect(err)
        .to.match(/^petstore: [^\n]+\.?\n$/)
        .and.to.include(words[0]);
    });
  }

  for (const [fault, reason] of [
    ['exit while loading', 'ended its process (exit code 0)'],
    ['loop while loading', 'blocked its process for 4 s, and was stopped'],
  ] as const) {
    it(`exits with 2 and one line for a module that does this: ${fault}`, async () => {
      const { code, err } = await findingsWith(fault);

      expect(code).to.equal(2);
      expect(err)
        .to.match(/^petstore: [^\n]+\n$/)
        .and.to.include(reason);
    });
  }
});

describe('A suite of the kit', () => {
  /** The findings of every runner for the same adapter. */
  const FAILED = [
    'counts nothing',
    'is not reduced by the requests of others',
    'of a caller is not affected by any number of addresses',
    'of a caller is separate from that of an address with the same name',
    'returns the remainder after the last request, and whether another one would be allowed',
  ];

  it('runs under node:test', async () => {
    const { code, out } = await run(['--test-reporter=tap', 'with-node-test.ts']);

    expect(code, out).to.equal(1);
    const failed = Array.from(out.matchAll(/^ {8}not ok \d+ - (.*)$/gm), ([, name]) => name);
    expect(failed.sort()).to.deep.equal(FAILED);
    expect(out)
      .to.match(/^# pass 9$/m)
      .and.to.match(/^# skipped 5$/m);
  });

  it('runs under mocha', async () => {
    const mocha = pathOf('node_modules/mocha/bin/mocha.js');
    const { out } = await run([mocha, '--no-config', '--timeout', '60000', '--reporter', 'json', 'with-mocha.ts']);

    const { stats, failures } = JSON.parse(out) as { stats: object; failures: readonly { readonly title: string }[] };
    expect(failures.map(({ title }) => title).sort()).to.deep.equal(FAILED);
    expect(stats).to.include({ passes: 9, failures: 5, pending: 5 });
  });
});
