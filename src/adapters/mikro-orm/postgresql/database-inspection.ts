import { StorageRefused } from '../../../application/ports/storage.ts';
import { FIRST_MIGRATION, migrations } from './migrations.ts';
import { type PostgresqlClient, type PostgresqlPool, statementOf } from './postgresql-pool.ts';
import { ask } from './read-session.ts';

/** The oldest version that is tested, as the server reports it in `server_version_num`. */
const OLDEST = { number: 140_000, name: 'PostgreSQL 14' };

const SERVER = `select current_setting('server_version_num')::int as version, current_setting('server_version') as name,
  current_setting('server_encoding') as encoding, pg_is_in_recovery() as standby, current_schema() as schema`;
/** Tables, views and the like, without those of extensions. */
const TABLES = `select relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where nspname = current_schema() and relkind in ('r', 'p', 'v', 'm', 'f') and not exists
  (select 1 from pg_depend where classid = cast('pg_class' as regclass) and objid = pg_class.oid and deptype = 'e')`;
const MIGRATIONS = 'select name from mikro_orm_migrations order by id';

interface Server {
  readonly version: number;
  readonly name: string;
  readonly encoding: string;
  /** As text: `t` or `f`. */
  readonly standby: string;
  readonly schema: string | null;
}

/**
 * Checks, by reading only, whether the database is empty or belongs to this service, and is not newer than this program.
 * Returns whether it has tables, and whether they are up to date. @throws {StorageRefused}
 */
export async function inspectDatabase(client: PostgresqlClient, named: string): Promise<'empty' | 'old' | 'current'> {
  const [server] = (await client.query(statementOf({ sql: SERVER, values: [] }))).rows as [Server];
  if (server.version < OLDEST.number) {
    throw new StorageRefused(`The server of ${named} is version ${server.name}; it must be ${OLDEST.name} or newer.`);
  }
  if (server.encoding !== 'UTF8') {
    throw new StorageRefused(
      `The database ${named} stores text as ${server.encoding}; set DATABASE_URL to one that was created with encoding 'UTF8'.`,
    );
  }
  if (server.standby === 't') {
    throw new StorageRefused(
      `The server of ${named} is a standby, which accepts no changes; set DATABASE_URL to the primary.`,
    );
  }
  if (server.schema === null) {
    throw new StorageRefused(`The database ${named} has no schema for this user; create one, such as "public".`);
  }

  const names = await namesIn(client, TABLES);
  if (names.length === 0) return 'empty';
  const done = names.includes('mikro_orm_migrations') ? await namesIn(client, MIGRATIONS) : [];
  if (!done.includes(FIRST_MIGRATION)) {
    throw new StorageRefused(
      `The database ${named} belongs to another program; set DATABASE_URL to a database of this service or to an empty one.`,
    );
  }
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = done.find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new StorageRefused(
      `The database ${named} was written by a newer version of this service (it knows the migration ${unknown}); start that version, or set DATABASE_URL to another database.`,
    );
  }
  return done.length === migrations.length ? 'current' : 'old';
}

/** Whether Citus distributes the pets: see docs/deploying/citus.sql. */
export async function isCitus(pool: PostgresqlPool): Promise<boolean> {
  const known = await ask(pool, { sql: "select to_regclass('pg_dist_partition') as found", values: [] });
  if ((known.rows as [{ readonly found: string | null }])[0].found === null) return false;
  const sql = "select 1 from pg_dist_partition where logicalrelid = cast('pets' as regclass)";
  return (await ask(pool, { sql, values: [] })).rows.length > 0;
}

/** Whether a connection has the time limits that it was opened with. */
export async function hasTimeouts(pool: PostgresqlPool, timeouts: Readonly<Record<string, number>>): Promise<boolean> {
  const sql = 'select name, setting from pg_settings where name = any(?)';
  const { rows } = await ask(pool, { sql, values: [Object.keys(timeouts)] });
  const settings = rows as { readonly name: string; readonly setting: string }[];
  return settings.every(({ name, setting }) => Number(setting) === timeouts[name]);
}

async function namesIn(client: PostgresqlClient, sql: string): Promise<string[]> {
  const { rows } = await client.query(statementOf({ sql, values: [] }));
  return (rows as { readonly name: string }[]).map(({ name }) => name);
}
