import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const pathOf = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const ADAPTERS = pathOf('test/conformance/adapters');

async function run(...words: string[]) {
  const child = spawn(process.execPath, words, { cwd: ADAPTERS, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (part: Buffer) => (out += part));
  child.stderr.on('data', (part: Buffer) => (err += part));
  const [code] = await once(child, 'close');
  return { code, out, err };
}

const conformance = (...words: string[]) => run(pathOf('src/petstore.ts'), 'conformance', ...words);

describe('The program that tries adapters', () => {
  it('ends with 0 for one that keeps every promise', async () => {
    const { code, out, err } = await conformance('--adapter', './whole.ts');

    expect([code, err]).to.deep.equal([0, '']);
    expect(out).to.match(/\n\d{3} checks passed, 0 failed, \d+ skipped\n$/);
  });

  it('ends with 1 for one that breaks a promise, and says which', async () => {
    const { code, out } = await conformance('--adapter', 'broken.ts', '--only', 'rates', '--json');

    expect(code).to.equal(1);
    const { suites, totals } = JSON.parse(out);
    expect(totals).to.include({ broken: 5, gap: 5 });
    const broken = suites[0].findings.filter(({ outcome }: { outcome: string }) => outcome === 'broken');
    expect(broken[1]).to.include({ name: 'counts nothing', promise: 'petstore-service/ports/rate-limiter' });
  });

  for (const [what, ...words] of [
    ['exports nothing that can be tried', 'empty.ts'],
    ['exports nothing of the kind', 'broken.ts', '--only', 'storage'],
    ['declares a gap that there is not', 'untold.ts'],
    ['is not there', './nowhere.ts'],
  ]) {
    it(`ends with 2 and one line for a module that ${what}`, async () => {
      const { code, out, err } = await conformance('--adapter', ...words);

      expect([code, out]).to.deep.equal([2, '']);
      expect(err)
        .to.match(/^petstore: [^\n]+\n$/)
        .and.to.include(words[0]);
    });
  }

  it('runs under node:test as well, with a skip for each gap', async () => {
    const { code, out } = await run('--test-reporter=tap', pathOf('test/conformance/adapters/node-test.ts'));

    expect(code, out).to.equal(1);
    expect(out).to.match(/^\s+not ok \d+ - counts nothing$/m);
    expect(out).to.match(/^\s+ok \d+ - is deleted when it has ended # SKIP It goes by the time of the world\.$/m);
    expect(out)
      .to.match(/^# pass 9$/m)
      .and.to.match(/^# fail 5$/m)
      .and.to.match(/^# skipped 5$/m);
  });
});
