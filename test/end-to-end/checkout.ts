import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../package/pack.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Copies the checkout as it is in the repository, without what is built or installed. Returns the folder. */
export async function checkoutIn(folder: string): Promise<string> {
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const path of stdout.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    await cp(join(ROOT, path), join(folder, path));
  }
  return folder;
}
