import Database from 'better-sqlite3';
import type { PostgresqlCluster } from './postgresql/cluster.ts';
import { openShop } from './shop.ts';

/*
 * A store for `query-shapes.ts`, filled by SQL. Half of the pets are in category 1, 20 in category 2 and none in category 3;
 * 20 are pending and a third is sold. The last hundredth has names with M and a quantity of 1, and the last ten names with Z.
 * Half of the orders and movements are of pet 1; 40 orders are open. Ship dates rise with the identifiers, except that a
 * tenth has none, and that those of the last hundredth are before all others.
 */

const FIRST_SHIP_DATE = Date.UTC(2026, 0, 1);

/** Scattered, and the same each time. */
const hash = (modulus: number) => `((i * 7919) % 1000003 % ${modulus})`;

/** `upTo`: a query for the numbers `i` from 1. */
function statements(rows: number, upTo: (last: number) => string): string[] {
  const categories = rows / 10;
  const late = `i > ${rows * 0.99}`;
  const name = (of: number) =>
    `case when i > ${of - 10} then 'Zoe ' when i > ${of * 0.99} then 'Mew ' else 'Pet ' end || `;
  return [
    `insert into categories (id, name, name_key)
      select i, name, upper(name) from
        (select i, ${name(categories)} (${hash(1_000_003)} * 1000003 + i) as name from ${upTo(categories)}) as category`,
    `insert into pets (id, name, name_key, category_id, quantity, reserved, held, status)
      select i, name, upper(name), category, quantity, 0, held,
        case when quantity = 0 then 'sold' when held = 1 then 'pending' else 'available' end
      from (
        select i, ${name(rows)} ${hash(1_000_003)} as name,
          case when i % ${rows / 20} = 1 then 2 when i % 2 = 1 then 1 else 4 + i % 50 end as category,
          case when i % ${rows / 20} = 0 then 9 when i % 3 = 0 then 0 when ${late} then 1 else 3 + ${hash(97)} end as quantity,
          case when i % ${rows / 20} = 0 then 1 else 0 end as held
        from ${upTo(rows)}
      ) as pet`,
    `insert into orders (id, pet_id, quantity, ship_date, complete)
      select i, case when i % 2 = 1 then 1 else 2 + ${hash(rows - 2)} end, 1,
        case when i % 10 = 0 then null
          when ${late} then ${FIRST_SHIP_DATE} - (${rows} - i) * 60000
          else ${FIRST_SHIP_DATE} + i * 60000 end,
        case when i % ${rows / 40} > 1 then 1 else 0 end
      from ${upTo(rows)}`,
    `insert into movements (pet_id, kind, quantity, reserved, at)
      select case when i % 2 = 1 then 1 else i end, 'counted', 0, 0, i from ${upTo(rows)}`,
  ];
}

/** Makes a store with so many pets, orders and movements in a new file. Returns its address. */
export async function makeSqliteShapes(file: string, rows: number): Promise<string> {
  const url = `sqlite:${file}`;
  await openShop(url);
  const database = new Database(file);
  database.pragma('synchronous = off');
  database.pragma('journal_mode = off');
  database.pragma('cache_size = -400000');
  const indexes = database.prepare(
    "select name, sql from sqlite_schema where type = 'index' and sql is not null and tbl_name in ('pets', 'orders', 'movements')",
  );
  const all = indexes.all() as { readonly name: string; readonly sql: string }[];
  // Sorting once is faster than inserting into each.
  for (const { name } of all) database.exec(`drop index "${name}"`);
  const upTo = (last: number) =>
    `(with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${last}) select i from numbers)`;
  for (const statement of statements(rows, upTo)) database.exec(statement);
  for (const { sql } of all) database.exec(sql);
  database.pragma('journal_mode = wal');
  database.close();
  return url;
}

/** The same in a new database of a cluster. */
export async function makePostgresqlShapes(cluster: PostgresqlCluster, rows: number): Promise<string> {
  const name = `shapes_${rows}`;
  await cluster.with('postgres', (client) => client.query(`create database ${name}`));
  const url = cluster.addressOf(name);
  await openShop(url);
  await cluster.with(name, async (client) => {
    const upTo = (last: number) =>
      `(select i from generate_series(1, cast(${last} as bigint)) as number (i)) as numbers`;
    for (const statement of statements(rows, upTo)) await client.query(statement);
    await client.query('vacuum (freeze, analyze)');
  });
  return url;
}
