import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

/*
 * Makes the package that others install: `npm run package`, which puts it into `dist`, or into the folder that it is given. It is
 * put together beside the checkout, because what develops it is no part of it, and `private` stays here so that nobody
 * publishes a checkout.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What of the checkout's `package.json` the package has too, in this order. */
const KEPT = [
  'name',
  'version',
  'description',
  'license',
  'type',
  'engines',
  'exports',
  'bin',
  'files',
  'dependencies',
] as const;

export const run = promisify(execFile);

/** Runs npm in a folder, and gives what it printed. */
export async function npm(folder: string, ...words: readonly string[]): Promise<string> {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
  const { stdout } = await run('npm', [...words, ...quiet], { cwd: folder, shell: process.platform === 'win32' });
  return stdout;
}

/** Builds the package into `folder`. Gives the path of the archive. */
export async function pack(folder: string): Promise<string> {
  const stage = await temporaryFolder();
  try {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [tsc, '-p', 'src', '--outDir', `${stage}/dist`], { cwd: ROOT });
    await cp(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'));
    await cp(fileURLToPath(new URL('README.md', import.meta.url)), join(stage, 'README.md'));
    await cp(join(ROOT, 'docs'), join(stage, 'docs'), {
      recursive: true,
      filter: (path) => !/[\\/](?:node_modules|package-lock\.json)$/.test(path),
    });
    await cutLinks(join(stage, 'docs'));
    const whole = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
    const kept = Object.fromEntries(KEPT.map((name) => [name, whole[name]]));
    await writeFile(join(stage, 'package.json'), `${JSON.stringify(kept, null, 2)}\n`);
    await mkdir(folder, { recursive: true });
    const said = JSON.parse(await npm(stage, 'pack', '--json', '--pack-destination', resolve(folder))) as unknown;
    const [{ filename }] = Object.values(said as object) as [{ filename: string }];
    return join(resolve(folder), filename);
  } finally {
    await removeFolder(stage);
  }
}

/** Pages lead to tests and sources, which stay here: what they lead to by is a text in the package. */
async function cutLinks(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.md')) continue;
    const text = await readFile(join(folder, name), 'utf8');
    await writeFile(join(folder, name), text.replaceAll(/\[([^\]]+)\]\((?:\.\.\/)+(?:test|src)\/[^)]*\)/g, '$1'));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${await pack(process.argv[2] ?? join(ROOT, 'dist'))}\n`);
}
