import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Builds `dist`. This file and start.js are plain JavaScript, so that a Node that is too old to read TypeScript gets as far as the
 * sentence that says so.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What the build is made of. Folders count too: a file that is removed changes the time of its folder. */
const SOURCES = ['src', 'tsconfig.json', 'package.json', 'package-lock.json', 'test/package'];

/** Its time is the beginning of the last build that went well, so that what is changed during a build is compiled by the next. */
const STAMP = 'dist/.built';

const STEPS = [
  ['tsc', '-p', 'src'],
  ['node', 'test/package/scalar.ts'],
  ['node', 'test/package/schema-checks.ts'],
];

/** Whether `dist` is older than what it is made of. Without sources, as in a container, it never is. */
export function isStale(root = ROOT) {
  if (!existsSync(join(root, 'src'))) return false;
  const stamp = statSync(join(root, STAMP), { throwIfNoEntry: false });
  return !stamp || SOURCES.some((source) => latestIn(join(root, source)) > stamp.mtimeMs);
}

/** Returns the exit code. Whatever the tools print goes to standard error. */
export function build() {
  const begun = new Date();
  // Fails at once for a user without write permission; the compiler would print a line for every file.
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  rmSync(join(ROOT, STAMP), { force: true });
  for (const [command, ...args] of STEPS) {
    const { status, error } = spawnSync(command, args, {
      cwd: ROOT,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    });
    if (error) process.stderr.write(`petstore: ${command} cannot be run (${error.code}); run npm ci first.\n`);
    if (status !== 0) return status ?? 1;
  }
  removeOlder(join(ROOT, 'dist'), begun.getTime());
  writeFileSync(join(ROOT, STAMP), '');
  utimesSync(join(ROOT, STAMP), begun, begun);
  return 0;
}

/** Removes what this build has not written: its source is gone, and a leftover would hide an import of it. */
function removeOlder(folder, than) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) removeOlder(path, than);
    else if (statSync(path).mtimeMs < than) rmSync(path);
  }
}

function latestIn(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => latestIn(join(path, name))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = build();
