import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Checkout } from './contestants.ts';
import type { Store } from './store.ts';

/** A built checkout of another revision. */
export interface Revision extends Checkout {
  /** Its own store: the revision may not open a shop with newer tables, but this one brings an older shop up to date. */
  storeIn(folder: string): Promise<Store>;
  remove(): void;
}

/** Checks a revision out into a folder and builds it, with the packages of this checkout. */
export async function checkoutOf(revision: string, root: string, folder: string): Promise<Revision> {
  const run = (command: string, args: readonly string[], cwd: string) =>
    execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  run('git', ['worktree', 'add', '--detach', folder, revision], root);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  run(process.execPath, ['test/package/build.js'], folder);
  return {
    folder,
    program: join(folder, 'dist/petstore.js'),
    storeIn: async (shops) => {
      const file = pathToFileURL(join(folder, 'test/bench/sqlite-store.ts')).href;
      const { SqliteStore } = (await import(file)) as { SqliteStore: new (folder: string) => Store };
      return new SqliteStore(shops);
    },
    remove: () => run('git', ['worktree', 'remove', '--force', folder], root),
  };
}
