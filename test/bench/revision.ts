import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Checkout } from './contestants.ts';
import type { PostgresqlCluster } from './postgresql/cluster.ts';
import type { Store } from './store.ts';

/** A built checkout of another revision. */
export interface Revision extends Checkout {
  /** Its own stores: the revision may not open a shop with newer tables, but this one brings an older shop up to date. */
  sqliteStore(folder: string): Promise<Store>;
  postgresqlStore(cluster: PostgresqlCluster, pool: number): Promise<Store>;
}

/** Checks a revision out into a folder and builds it, with the packages of this checkout where its lock file is the same. */
export function checkoutOf(revision: string, root: string, folder: string): Revision {
  run('git', ['worktree', 'add', '--detach', folder, revision], root);
  const [ours, theirs] = [root, folder].map((checkout) => readFileSync(join(checkout, 'package-lock.json'), 'utf8'));
  if (ours === theirs) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  else run('npm', ['ci'], folder);
  run(process.execPath, ['test/package/build.js'], folder);
  const load = async <Module>(file: string): Promise<Module> =>
    import(pathToFileURL(join(folder, 'test/bench', file)).href);
  return {
    folder,
    program: join(folder, 'dist/petstore.js'),
    sqliteStore: async (shops) => {
      const { SqliteStore } = await load<{ SqliteStore: new (folder: string) => Store }>('sqlite-store.ts');
      return new SqliteStore(shops);
    },
    postgresqlStore: async (cluster, pool) => {
      type Stores = { PostgresqlStore: new (cluster: PostgresqlCluster, pool: number) => Store };
      const { PostgresqlStore } = await load<Stores>('postgresql/store.ts');
      return new PostgresqlStore(cluster, pool);
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
