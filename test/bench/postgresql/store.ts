import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { CATEGORIES, categoryRow, openShop, petRow } from '../shop.ts';
import type { Store } from '../store.ts';
import type { PostgresqlCluster } from './cluster.ts';

/** The number of pets that one statement writes. */
const PORTION = 10_000;

const ADD_CATEGORIES =
  'insert into categories (id, name, name_key) select * from unnest($1::bigint[], $2::text[], $3::text[])';
const ADD_PETS = `insert into pets (id, name, name_key, category_id, quantity, reserved, held, status)
  select id, name, name_key, category_id, quantity, 0, held, status
  from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::smallint[], $7::text[])
    as pet (id, name, name_key, category_id, quantity, held, status)`;
const ADD_MOVEMENTS = `insert into movements (pet_id, kind, quantity, reserved, at)
  select pet_id, kind, quantity, 0, $4 from unnest($1::bigint[], $2::text[], $3::bigint[]) as movement (pet_id, kind, quantity)`;

/** Databases of a cluster. */
export class PostgresqlStore implements Store {
  readonly name = 'postgresql';
  readonly floor = fileURLToPath(new URL('floor.ts', import.meta.url));
  readonly environment: Readonly<Record<string, string>>;
  readonly #cluster: PostgresqlCluster;

  /** `pool` is the maximum number of connections of each contestant, for each kind of work. */
  constructor(cluster: PostgresqlCluster, pool: number) {
    this.#cluster = cluster;
    this.environment = { PETSTORE_POSTGRES_POOL: String(pool) };
  }

  get pid(): number {
    return this.#cluster.pid;
  }

  async makeShop(who: string, pets: number): Promise<string> {
    const url = await this.#make(who, '');
    await openShop(url);
    await this.#cluster.with(databaseIn(url), async (client) => {
      await client.query('begin');
      await fill(client, pets);
      await client.query('commit');
      // Autovacuum would otherwise run in the middle of the rounds.
      await client.query('vacuum (freeze, analyze)');
    });
    return url;
  }

  copyShop(url: string, who: string): Promise<string> {
    return this.#make(who, `template ${databaseIn(url)}`);
  }

  async removeShop(url: string): Promise<void> {
    await this.#administer(`drop database ${databaseIn(url)}`);
  }

  async #make(who: string, how: string): Promise<string> {
    const database = who.replaceAll('-', '_');
    await this.#administer(`create database ${database} ${how}`);
    await this.#administer('checkpoint');
    return this.#cluster.addressOf(database);
  }

  async #administer(sql: string): Promise<void> {
    await this.#cluster.with('postgres', (client) => client.query(sql));
  }
}

function databaseIn(url: string): string {
  return new URL(url).pathname.slice(1);
}

async function fill(client: pg.Client, pets: number): Promise<void> {
  const categories = numbers(1, CATEGORIES).map(categoryRow);
  await client.query(ADD_CATEGORIES, columns(categories, ['id', 'name', 'nameKey']));
  const at = Date.now();
  for (let first = 1; first <= pets; first += PORTION) {
    const rows = numbers(first, Math.min(pets, first + PORTION - 1)).map(petRow);
    const names = ['id', 'name', 'nameKey', 'categoryId', 'quantity', 'held', 'status'] as const;
    await client.query(ADD_PETS, columns(rows, names));
    const movements = rows.flatMap(({ id, opened, counted }) => [
      { id, kind: 'opened', quantity: opened },
      ...(counted > 0 ? [{ id, kind: 'counted', quantity: counted }] : []),
    ]);
    await client.query(ADD_MOVEMENTS, [...columns(movements, ['id', 'kind', 'quantity']), at]);
  }
  await client.query("select setval('categories_id_seq', $1), setval('pets_id_seq', $2)", [CATEGORIES, pets]);
}

function numbers(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function columns<Row>(rows: readonly Row[], names: readonly (keyof Row)[]): Row[keyof Row][][] {
  return names.map((name) => rows.map((row) => row[name]));
}
