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

  interface Measured {
    readonly all: readonly string[];
    readonly inside: readonly string[];
  }
  let measured: { readonly order: Measured; readonly patch: Measured };

  before(async () => {
    folder = await temporaryFolder();
    const { NODE_V8_COVERAGE: _, ...env } = process.env;
    const command = ['--no-warnings', SCRIPT, `sqlite:${join(folder, 'petstore.db')}`];
    measured = JSON.parse((await promisify(execFile)(process.execPath, command, { env })).stdout);
  });
  after(() => removeFolder(folder));

  it('names only files that an order runs through', () => {
    expect(named).to.have.length.above(8);
    expect(measured.order.all).to.include.members(named);
    expect(measured.order.all).not.to.include('src/api/pets.operations.ts');
  });

  const outside = ({ inside }: Measured) => inside.filter((file) => /^src\/(?:api|adapters\/http)\//.test(file));

  it('does not return into the interface or the HTTP adapter from inside the unit of work', () => {
    expect(measured.order.inside).to.include('src/domain/inventory-item.ts');
    expect(outside(measured.order)).to.deep.equal([]);
  });

  it('returns there only for the precondition and the recorded response', () => {
    expect(outside(measured.patch)).to.deep.equal([
      'src/adapters/http/handler/operation-handler.ts',
      'src/adapters/http/request/preconditions.ts',
      'src/adapters/http/response/rendering.ts',
      'src/api/pets.operations.ts',
    ]);
  });

  it('begins with the server and ends in the storage', () => {
    expect(named[0]).to.match(/http\/koa\//);
    expect(named.some((file) => file.includes('mikro-orm'))).to.equal(true);
  });
});
