import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';

const HOLDER = fileURLToPath(new URL('hold-file.ts', import.meta.url));

/** Another process holds the write lock of a SQLite file until the returned function is called. */
export async function holdFile(file: string): Promise<() => Promise<void>> {
  const holder = spawn(process.execPath, [HOLDER, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = once(holder, 'exit');
  const held = await Promise.race([once(holder.stdout, 'data').then(() => true), gone.then(() => false)]);
  if (!held) throw new Error('The file could not be locked.');
  return async () => {
    holder.stdin.end();
    await gone;
  };
}

/** Another transaction locks all pets of a store in PostgreSQL until the returned function is called. */
export async function holdRows(databaseUrl: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('begin; select 1 from pets for update');
  return () => holder.end();
}

/**
 * A process can write no file beyond the present size of the largest of some files, until the returned function is called. To
 * SQLite that is a full disk.
 */
export async function leaveNoRoom(pid: number, files: readonly string[]): Promise<() => Promise<void>> {
  const limit = async (...rest: string[]) =>
    (await promisify(execFile)('prlimit', ['--pid', String(pid), ...rest])).stdout.trim();
  const before = await limit('--fsize', '--output', 'SOFT', '--noheadings', '--raw');
  const most = Math.max(...files.map((file) => statSync(file).size));
  await limit(`--fsize=${most}:`);
  return async () => void (await limit(`--fsize=${before}:`));
}
