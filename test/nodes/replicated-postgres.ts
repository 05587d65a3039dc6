import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { postgresServer } from '../support/postgres-server.ts';
import { pass } from '../support/promises.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { MovingAddress } from './moving-address.ts';

/** Root may not run a server; it does so as nobody. */
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const CONFIGURATION = {
  listen_addresses: '',
  // The servers may crash here, but not the machine.
  fsync: 'off',
  shared_buffers: '32MB',
  max_connections: '100',
  wal_keep_size: '256MB',
};

type Settings = Readonly<Record<string, string>>;

/**
 * Two real clusters: a primary, which acknowledges only what its standby has as well, and the standby, which follows it by
 * streaming. They are reached by an address that leads to the primary at first.
 */
export class ReplicatedPostgres {
  readonly #folder: string;
  readonly #binaries: string;
  readonly #running = new Map<string, ChildProcess>();
  #address: MovingAddress | undefined;

  private constructor(folder: string, binaries: string) {
    this.#folder = folder;
    this.#binaries = binaries;
    process.once('exit', () => {
      for (const server of this.#running.values()) server.kill('SIGQUIT');
    });
  }

  /** Runs them from the binaries of the tests' own server. */
  static async start(): Promise<ReplicatedPostgres> {
    const [row] = await postgresServer.ask<{ setting: string }>(
      await postgresServer.addressOf('postgres'),
      "select setting from pg_config where name = 'BINDIR'",
    );
    const made = new ReplicatedPostgres(await temporaryFolder(), row?.setting ?? '');
    await made.#start();
    return made;
  }

  /** Where the services find whichever server the address leads to. */
  get url(): string {
    return `postgresql://postgres@127.0.0.1:${this.#address?.port}/postgres`;
  }

  /** The primary is gone from one moment to the next, and does not come back. */
  async losePrimary(): Promise<void> {
    await this.#end('primary');
  }

  /** Resolves when the standby has become a primary. */
  async promoteStandby(): Promise<void> {
    await postgresServer.ask(this.#urlOf('standby'), 'select pg_promote()');
  }

  moveAddress(): void {
    this.#address?.move(this.#socketOf('standby'));
  }

  /** Leaves nothing behind. */
  async remove(): Promise<void> {
    await this.#address?.close();
    for (const name of [...this.#running.keys()]) await this.#end(name);
    await removeFolder(this.#folder);
  }

  async #start(): Promise<void> {
    for (const name of ['', 'primary', 'standby']) {
      const folder = join(this.#folder, name);
      await mkdir(folder, { recursive: true });
      if (USER.uid !== undefined) await chown(folder, USER.uid, USER.gid);
    }
    await this.#initialize();
    // A copy of a cluster that does not run needs no tool to be the beginning of a standby.
    await this.#copyToStandby();
    await this.#run('primary', { synchronous_standby_names: 'standby', synchronous_commit: 'on' });
    await this.#run('standby', {
      primary_conninfo: `host=${join(this.#folder, 'primary')} user=postgres application_name=standby`,
    });
    const following = "select 1 from pg_stat_replication where sync_state = 'sync'";
    while ((await postgresServer.ask(this.#urlOf('primary'), following)).length === 0) await pass();
    this.#address = await MovingAddress.to(this.#socketOf('primary'));
  }

  async #initialize(): Promise<void> {
    const initdb = spawn(
      join(this.#binaries, 'initdb'),
      [
        '-D',
        this.#dataOf('primary'),
        ...'-U postgres -A trust -E UTF8 --locale=C --no-sync --no-instructions'.split(' '),
      ],
      { ...USER, cwd: this.#folder, stdio: 'ignore' },
    );
    const [code] = (await once(initdb, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`initdb ended with ${code}.`);
  }

  async #copyToStandby(): Promise<void> {
    const copying = spawn('cp', ['-R', this.#dataOf('primary'), dirname(this.#dataOf('standby'))], { ...USER });
    const [code] = (await once(copying, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`The cluster could not be copied: ${code}.`);
    await writeFile(join(this.#dataOf('standby'), 'standby.signal'), '');
  }

  async #run(name: string, settings: Settings): Promise<void> {
    const all = Object.entries({ ...CONFIGURATION, ...settings, unix_socket_directories: join(this.#folder, name) });
    const server = spawn(
      join(this.#binaries, 'postgres'),
      ['-D', this.#dataOf(name), ...all.flatMap(([setting, value]) => ['-c', `${setting}=${value}`])],
      { ...USER, cwd: this.#folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.#running.set(name, server);
    await new Promise<void>((resolve, reject) => {
      let said = '';
      server.stderr.on('data', (part: Buffer) => {
        said += part.toString();
        if (/ready to accept (read-only )?connections/.test(said)) resolve();
      });
      server.once('exit', () => reject(new Error(`The ${name} ended: ${said}`)));
      server.once('error', reject);
    });
  }

  async #end(name: string): Promise<void> {
    const server = this.#running.get(name);
    this.#running.delete(name);
    if (!server || server.exitCode !== null) return;
    const gone = once(server, 'exit');
    server.kill('SIGQUIT');
    await gone;
  }

  #dataOf(name: string): string {
    return join(this.#folder, name, 'data');
  }

  #socketOf(name: string): string {
    return join(this.#folder, name, '.s.PGSQL.5432');
  }

  #urlOf(name: string): string {
    return `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(join(this.#folder, name))}`;
  }
}
