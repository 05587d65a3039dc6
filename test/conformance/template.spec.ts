import { execFile } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { manifest } from '../package/entry-points.ts';
import { freshFolder } from '../support/temporary.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The exports of the package, with the sources in the place of what is built from them. */
function sourceExports(): object {
  const text = JSON.stringify(manifest().exports);
  return JSON.parse(text.replaceAll('./dist/', './src/').replaceAll('.js"', '.ts"')) as object;
}

describe('The template of a storage adapter', () => {
  const folder = freshFolder();

  it('passes its own tests when it is copied, and keeps every contract', async () => {
    const project = join(folder(), 'acme-petstore-storage');
    await cp(join(ROOT, 'docs/examples/storage-adapter'), project, { recursive: true });
    const installed = join(project, 'node_modules/petstore-service');
    await mkdir(installed, { recursive: true });
    // Instead of an installation: the sources of this checkout.
    await symlink(join(ROOT, 'src'), join(installed, 'src'), 'dir');
    await writeFile(
      join(installed, 'package.json'),
      JSON.stringify({ name: 'petstore-service', version: '1.0.0', type: 'module', exports: sourceExports() }),
    );

    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const options = ['--test', '--test-reporter=tap', 'conformance.test.js'];
    const testing = promisify(execFile)(process.execPath, options, { cwd: project, env, maxBuffer: 16 * 1024 * 1024 });

    const { stdout } = (await testing.catch((error: unknown) => error)) as { stdout: string };
    expect(stdout.match(/^ *not ok .*$/gm)).to.equal(null);
    expect(stdout)
      .to.match(/^# pass 3\d\d$/m)
      .and.to.match(/^# fail 0$/m)
      .and.to.match(/^# skipped 0$/m);
  });
});
