import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Generators that others wrote. They are installed from package registries, with exact versions, into a folder that git ignores,
 * and stay there for the next run.
 */

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/clients/', import.meta.url));

/** The document as it is committed; a test compares it with what the service serves. */
export const DOCUMENT = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));

export const story = (file: string): string => fileURLToPath(new URL(`stories/${file}`, import.meta.url));

const LONGEST = 300_000;

/** Runs a program and returns what it prints. An error has everything that it printed. */
export function run(command: string, words: readonly string[], cwd: string, env: object = {}): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: LONGEST, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(command, words, options, (error, out, err) => {
      if (error)
        reject(new Error(`${command} ${words.join(' ').slice(0, 300)}\n${(out + err).slice(-8_000)}\n${error.code}`));
      else resolve(out);
    });
  });
}

/** Skips the tests of a describe, with the reason, where a command is missing; with `CI=true` they fail. */
export function needs(...commands: readonly string[]): void {
  before(`needs ${commands.join(' and ')}`, function () {
    const missing = commands.filter((command) => !isOnPath(command));
    if (missing.length === 0) return;
    const reason = `${missing.join(' and ')} not found on PATH`;
    if (process.env['CI'] === 'true') throw new Error(reason);
    console.warn(`${this.test?.parent?.title}: skipped, ${reason}.`);
    this.skip();
  });
}

function isOnPath(command: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The folder of a tool that is installed once; its name has its version. */
export async function installed(name: string, install: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(CACHE, name);
  const mark = join(folder, '.installed');
  if (existsSync(mark)) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await install(folder);
  await writeFile(mark, '');
  return folder;
}

export function npmPackages(name: string, packages: readonly string[]): Promise<string> {
  return installed(name, async (folder) => {
    await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', ['install', ...options, ...packages], folder);
  });
}

/** Python packages in an environment of their own. Returns its interpreter. */
export async function pythonPackages(name: string, packages: readonly string[]): Promise<string> {
  const folder = await installed(name, async (place) => {
    await run('python3', ['-m', 'venv', 'environment'], place);
    await run(join(place, 'environment/bin/python'), ['-m', 'pip', 'install', '--quiet', ...packages], place);
  });
  return join(folder, 'environment/bin/python');
}

/** A Go command, built from its module. Returns its path. */
export async function goCommand(name: string, module: string): Promise<string> {
  const folder = await installed(name, (place) => run('go', ['install', module], place, { GOBIN: place }));
  return join(folder, module.replace(/@.*$/, '').split('/').at(-1) as string);
}

/** Compiles TypeScript with a compiler that generated code is made for, and returns the folder of the JavaScript. */
export async function compile(
  tools: string,
  folder: string,
  options: object,
  files: readonly string[],
): Promise<string> {
  const compilerOptions = { strict: true, target: 'es2022', skipLibCheck: true, outDir: 'out', ...options };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  await run(process.execPath, [join(tools, 'node_modules/typescript/bin/tsc'), '--project', '.'], folder);
  return join(folder, 'out');
}
