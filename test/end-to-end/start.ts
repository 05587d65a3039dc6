import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { freshFolder } from '../support/temporary.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STAMP = join(ROOT, 'dist/.built');

/** A user who may write nothing here. */
const NOBODY = 65_534;

describe('npm start', function () {
  this.timeout(120_000);

  const folder = freshFolder();

  async function npm(args: readonly string[], as: { readonly uid?: number; readonly gid?: number } = {}) {
    const home = join(folder(), 'home');
    mkdirSync(home, { recursive: true });
    for (const path of [folder(), home]) chmodSync(path, 0o777);
    const child = spawn('npm', args, {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], HOME: home, DATABASE_URL: `sqlite:${join(home, 'data', 'store.db')}` },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...as,
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (part: Buffer) => (out += part));
    child.stderr.on('data', (part: Buffer) => (err += part));
    const [code] = await once(child, 'close');
    return { code, out, err };
  }

  it('prints nothing but the secret on standard output, when a key is created', async () => {
    const { code, out, err } = await npm(['start', '--silent', '--', 'keys', 'create', '--name=One', '--scope=admin']);

    expect(code, err).to.equal(0);
    expect(out).to.match(/^petstore_1_[\w-]{43}\n$/);
    expect(err).to.match(/^Key 1, "One", [^\n]+\n$/);
  });

  it('compiles nothing that is up to date, and then needs no right to write', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const before = statSync(STAMP).mtimeMs;

    const { code, out, err } = await npm(['start', '--silent', '--', '--version'], { uid: NOBODY, gid: NOBODY });

    expect(code, err).to.equal(0);
    expect(out).to.match(/^\d+\.\d+\.\d+\n$/);
    expect(statSync(STAMP).mtimeMs).to.equal(before);
  });
});
