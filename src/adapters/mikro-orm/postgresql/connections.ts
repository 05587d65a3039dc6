import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { postgresqlTables } from '../tables.ts';
import type { ListeningClient, ListeningConnection } from './event-listener.ts';
import { migrations } from './migrations.ts';
import type { PostgresqlPool } from './postgresql-pool.ts';
import { serverTimeouts } from './time-limit.ts';

export interface PostgresqlSettings {
  /** `postgresql://user:password@host:port/database` It is never shown. */
  readonly url: string;
  /** The maximum number of connections for units of work, and for reading. */
  readonly pool: number;
  /** How long one unit of work may take, in milliseconds. */
  readonly work: number;
  /** The addresses of streaming standbys to read from, as `url`; each has connections of its own, as many. */
  readonly replicas?: readonly string[];
  /** How long reads wait for a replica that is behind, in milliseconds. */
  readonly mostBehind?: number;
}

/** How much longer than the server's own limit a response may take: the network may lose it. In milliseconds. */
const UNANSWERED_MS = 2_000;
/** A replica has less time than the primary, which serves the read in its place; in milliseconds. */
const REPLICA_MS = 2_000;
/** How MikroORM connects: one pool to write and another to read, so that no reader waits for a unit of work. */
export function connectionTo({ url, pool, work }: PostgresqlSettings) {
  const timeouts = serverTimeouts(work);
  return {
    entities: [...postgresqlTables],
    dbName: databaseIn(url),
    driverOptions: {
      connectionString: url,
      application_name: 'petstore',
      max: pool,
      connectionTimeoutMillis: timeouts.statement_timeout,
      ...timeouts,
      query_timeout: timeouts.statement_timeout + UNANSWERED_MS,
      keepAlive: true,
      // A statement is sent before the response to the previous one has arrived.
      pipeline: true,
    },
    replicas: [{ name: 'reader' }],
    preferReadReplicas: false,
    ensureDatabase: false,
    extensions: [Migrator],
    migrations: { migrationsList: migrations, snapshot: false },
    logger: () => undefined,
  };
}

/** How MikroORM connects to a replica. */
export function replicaAt(settings: PostgresqlSettings) {
  const connection = connectionTo(settings);
  const { driverOptions } = connection;
  const { statement_timeout: longest } = driverOptions;
  return {
    ...connection,
    driverOptions: {
      ...driverOptions,
      connectionTimeoutMillis: REPLICA_MS,
      statement_timeout: Math.min(longest, REPLICA_MS),
      query_timeout: Math.min(longest, REPLICA_MS) + REPLICA_MS / 4,
    },
  };
}

/** The database and host of an address, without user and password: fit to be shown. */
export function nameOf(url: string): string {
  const { host, searchParams } = new URL(url);
  return `"${databaseIn(url)}" on ${searchParams.get('host') ?? (host || 'localhost')}`;
}

export function databaseIn(url: string): string {
  const { pathname, username } = new URL(url);
  return decodeURIComponent(pathname.slice(1) || username);
}

export async function poolOf(orm: MikroORM, type: 'read' | 'write'): Promise<PostgresqlPool> {
  return orm.em.getConnection(type).getNativeClient();
}

export async function closeAll(orm: MikroORM): Promise<void> {
  const pools = [await poolOf(orm, 'read'), await poolOf(orm, 'write')];
  await orm.close(true);
  // MikroORM ends only the pools that it has used itself.
  await Promise.all(pools.filter(({ ending }) => !ending).map((pool) => pool.end()));
}

/** Opens a connection of its own that receives notifications. */
export async function listenerAt(settings: PostgresqlSettings): Promise<ListeningConnection> {
  const orm = await MikroORM.init(connectionTo({ ...settings, pool: 1 }));
  try {
    const client = (await (await poolOf(orm, 'read')).connect()) as ListeningClient;
    return {
      client,
      async close() {
        client.release(true);
        await closeAll(orm);
      },
    };
  } catch (error) {
    await closeAll(orm);
    throw error;
  }
}
