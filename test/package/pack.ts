import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export const run = promisify(execFile);

/** Runs npm in a folder, without the scripts of what it installs. Returns what it printed. */
export function npm(folder: string, ...words: readonly string[]): Promise<string> {
  return npmIn(folder, ...words, '--ignore-scripts');
}

/** Makes the archive that users install, as `npm run package` in the checkout makes it. Returns its path. */
export async function pack(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  // What the build prints comes first.
  const printed = await npmIn(
    ROOT,
    'pack',
    '--ignore-scripts=false',
    '--silent',
    '--pack-destination',
    resolve(folder),
  );
  return join(resolve(folder), printed.trim().split('\n').at(-1) ?? '');
}

async function npmIn(folder: string, ...words: readonly string[]): Promise<string> {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const { stdout } = await run('npm', [...words, ...quiet], { cwd: folder, shell: process.platform === 'win32' });
  return stdout;
}
