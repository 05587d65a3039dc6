import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { pageText } from './pages.ts';

const SCRIPT = fileURLToPath(new URL('./order-coverage.ts', import.meta.url));

describe('The path of one order in docs/architecture.md', () => {
  const [, path = ''] = /## The path of one order\n+((?: {4}.*\n)+)/.exec(pageText('docs/architecture.md')) ?? [];
  const named = Array.from(path.matchAll(/src\/\S+\.ts/g), ([file]) => file);
  let folder: string;

  before(async () => {
    folder = await temporaryFolder();
  });
  after(() => removeFolder(folder));

  it('names only files that an order runs through', async () => {
    const { NODE_V8_COVERAGE: _, ...env } = process.env;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--no-warnings', SCRIPT, `sqlite:${join(folder, 'petstore.db')}`],
      { env },
    );
    const used = JSON.parse(stdout) as string[];

    expect(named).to.have.length.above(8);
    expect(used).to.include.members(named);
    expect(used).not.to.include('src/api/pets.operations.ts');
  });

  it('begins with the server and ends in the storage', () => {
    expect(named[0]).to.match(/http\/koa\//);
    expect(named.some((file) => file.includes('mikro-orm'))).to.equal(true);
  });
});
