import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MovingAddress } from './moving-address.ts';
import { copyFolder, endServer, makeFolder, PostgresPrograms } from './postgres-programs.ts';
import { postgresServer } from './postgres-server.ts';
import { yieldToEventLoop } from './promises.ts';
import { removeFolder, temporaryFolder } from './temporary.ts';

const CONFIGURATION = {
  listen_addresses: '',
  // The servers may crash here, but not the machine.
  fsync: 'off',
  shared_buffers: '32MB',
  max_connections: '100',
  wal_keep_size: '256MB',
};

type Settings = Readonly<Record<string, string>>;
type Name = 'primary' | 'standby';

/**
 * Two real clusters: a primary, which acknowledges only what its standby has as well if it is to, and the standby, which
 * follows it by streaming. They are reached by an address that leads to the primary at first, or each by its own.
 */
export class ReplicatedPostgres {
  readonly #folder: string;
  readonly #programs: PostgresPrograms;
  readonly #running = new Map<Name, ChildProcess>();
  readonly #logs: Record<Name, string> = { primary: '', standby: '' };
  #asked = 0;
  #address: MovingAddress | undefined;

  private constructor(folder: string, programs: PostgresPrograms) {
    this.#folder = folder;
    this.#programs = programs;
  }

  /** Runs both from the binaries of the tests' own server. */
  static async start(how: 'synchronous' | 'asynchronous' = 'synchronous'): Promise<ReplicatedPostgres> {
    const [row] = await postgresServer.ask<{ setting: string }>(
      await postgresServer.addressOf('postgres'),
      "select setting from pg_config where name = 'BINDIR'",
    );
    const made = new ReplicatedPostgres(await temporaryFolder(), new PostgresPrograms(row?.setting ?? ''));
    await made.#start(how);
    return made;
  }

  /** The address for services, which moves from one server to the other. */
  get url(): string {
    return `postgresql://postgres@127.0.0.1:${this.#address?.port}/postgres`;
  }

  /** The fixed address of one server. Its statements are recorded; see `receivedBy`. */
  urlOf(name: Name, database = 'postgres'): string {
    return `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(join(this.#folder, name))}&options=-clog_statement%3Dall`;
  }

  /** Resolves when the standby has replayed the whole log of the primary. */
  async catchUp(): Promise<void> {
    const [now] = await postgresServer.ask<{ lsn: string }>(
      this.urlOf('primary'),
      'select pg_current_wal_flush_lsn() as lsn',
    );
    const isThere = `select 1 where pg_last_wal_replay_lsn() >= '${now?.lsn}'`;
    while ((await postgresServer.ask(this.urlOf('standby'), isThere)).length === 0) await yieldToEventLoop();
  }

  /** The statements that services sent to one server since the previous call: the first line of each. */
  async receivedBy(name: Name): Promise<string[]> {
    const end = `that was all of ${++this.#asked}`;
    await postgresServer.ask(this.urlOf(name), `select '${end}'`);
    while (!this.#logs[name].includes(end)) await yieldToEventLoop();
    const output = this.#logs[name];
    this.#logs[name] = '';
    return Array.from(output.matchAll(/execute petstore_[0-9a-f]+: (.*)/g), ([, statement = '']) => statement);
  }

  /** Crashes the primary. */
  async losePrimary(): Promise<void> {
    await this.#end('primary');
  }

  /** Crashes the standby. */
  async loseStandby(): Promise<void> {
    await this.#end('standby');
  }

  async restartStandby(): Promise<void> {
    await this.#runStandby();
  }

  /** Stops the primary after its standby has received everything. */
  async stopPrimary(): Promise<void> {
    await this.#end('primary', 'SIGINT');
  }

  /** Starts the stopped primary as a standby, which follows the other server or none. */
  async restartPrimaryAsStandby(how: 'following' | 'lost'): Promise<void> {
    await this.#signalStandby('primary');
    await this.#run('primary', how === 'following' ? this.#following('standby') : {});
  }

  /** Promotes the standby, and resolves when it is a primary. */
  async promoteStandby(): Promise<void> {
    await postgresServer.ask(this.urlOf('standby'), 'select pg_promote()');
  }

  moveAddress(): void {
    this.#address?.move(this.#socketOf('standby'));
  }

  /** Stops everything and removes all files. */
  async remove(): Promise<void> {
    await this.#address?.close();
    for (const name of [...this.#running.keys()]) await this.#end(name);
    await removeFolder(this.#folder);
  }

  async #start(how: 'synchronous' | 'asynchronous'): Promise<void> {
    for (const name of ['', 'primary', 'standby']) await makeFolder(join(this.#folder, name));
    await this.#programs.initialize(this.#dataOf('primary'), '--no-sync');
    // A copy of a cluster that does not run needs no tool to be the beginning of a standby.
    await copyFolder(this.#dataOf('primary'), dirname(this.#dataOf('standby')));
    await this.#signalStandby('standby');
    const waitedFor = how === 'synchronous' ? 'standby' : '';
    await this.#run('primary', { synchronous_standby_names: waitedFor, synchronous_commit: 'on' });
    await this.#runStandby();
    const following = `select 1 from pg_stat_replication where state = 'streaming' and sync_state = '${how.replace('hronous', '')}'`;
    while ((await postgresServer.ask(this.urlOf('primary'), following)).length === 0) await yieldToEventLoop();
    this.#address = await MovingAddress.to(this.#socketOf('primary'));
  }

  async #signalStandby(name: Name): Promise<void> {
    await writeFile(join(this.#dataOf(name), 'standby.signal'), '');
  }

  #runStandby(): Promise<void> {
    // Replay does not wait for readers, so that the tests see which of the two is cancelled.
    return this.#run('standby', { max_standby_streaming_delay: '0', ...this.#following('primary') });
  }

  #following(name: Name): Settings {
    return { primary_conninfo: `host=${join(this.#folder, name)} user=postgres application_name=standby` };
  }

  async #run(name: Name, settings: Settings): Promise<void> {
    const all = { ...CONFIGURATION, ...settings, unix_socket_directories: join(this.#folder, name) };
    this.#logs[name] = '';
    const hear = (output: string) => {
      this.#logs[name] += output;
    };
    this.#running.set(name, await this.#programs.start(this.#dataOf(name), all, hear));
  }

  async #end(name: Name, signal: 'SIGINT' | 'SIGQUIT' = 'SIGQUIT'): Promise<void> {
    const server = this.#running.get(name);
    this.#running.delete(name);
    await endServer(server, signal);
  }

  #dataOf(name: Name): string {
    return join(this.#folder, name, 'data');
  }

  #socketOf(name: Name): string {
    return join(this.#folder, name, '.s.PGSQL.5432');
  }
}
