import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Checkout } from './contestants.ts';
import type { Store } from './store.ts';

/** A built checkout of another revision. */
export interface Revision extends Checkout {
  /** Its own store: the revision may not open a shop with newer tables, but this one brings an older shop up to date. */
  storeIn(folder: string): Promise<Store>;
}

/** Checks a revision out into a folder and builds it, with the packages of this checkout where its lock file is the same. */
export function checkoutOf(revision: string, root: string, folder: string): Revision {
  run('git', ['worktree', 'add', '--detach', folder, revision], root);
  const [ours, theirs] = [root, folder].map((checkout) => readFileSync(join(checkout, 'package-lock.json'), 'utf8'));
  if (ours === theirs) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  else run('npm', ['ci'], folder);
  run(process.execPath, ['test/package/build.js'], folder);
  return {
    folder,
    program: join(folder, 'dist/petstore.js'),
    storeIn: async (shops) => {
      const file = pathToFileURL(join(folder, 'test/bench/sqlite-store.ts')).href;
      const { SqliteStore } = (await import(file)) as { SqliteStore: new (folder: string) => Store };
      return new SqliteStore(shops);
    },
  };
}

/** Removes what {@link checkoutOf} made, or began to make. */
export function removeCheckout(root: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  run('git', ['worktree', 'prune'], root);
}

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
