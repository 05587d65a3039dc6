import Database from 'better-sqlite3';
import { openShop } from './shop.ts';

/*
 * A store for `query-shapes.ts`, filled by SQL. Half of the pets are in category 1, 20 in category 2 and none in category 3;
 * 20 are pending and a third is sold. The last hundredth has names with M and a quantity of 1, and the last ten names with Z.
 * Half of the orders and movements are of pet 1; 40 orders are open. Ship dates rise with the identifiers, except that a
 * tenth has none, and that those of the last hundredth are before all others.
 */

const upTo = (rows: number) =>
  `(with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${rows}) select i from numbers)`;
/** Scattered, and the same each time. */
const hash = (modulus: number) => `((i * 7919) % 1000003 % ${modulus})`;

function statements(rows: number): string[] {
  const categories = rows / 10;
  const late = `i > ${rows * 0.99}`;
  const name = (of: number) =>
    `case when i > ${of - 10} then 'Zoe ' when i > ${of * 0.99} then 'Mew ' else 'Pet ' end || `;
  return [
    `insert into categories (id, name, name_key)
      select i, text, upper(text) from (select i, ${name(categories)} (${hash(1_000_003)} * 1000003 + i) as text from ${upTo(categories)})`,
    `insert into pets (id, name, name_key, category_id, quantity, reserved, held, status)
      select i, text, upper(text), category, quantity, 0, held,
        case when quantity = 0 then 'sold' when held then 'pending' else 'available' end
      from (
        select i, ${name(rows)} ${hash(1_000_003)} as text,
          case when i % ${rows / 20} = 1 then 2 when i % 2 then 1 else 4 + i % 50 end as category,
          case when i % ${rows / 20} = 0 then 9 when i % 3 = 0 then 0 when ${late} then 1 else 3 + ${hash(97)} end as quantity,
          i % ${rows / 20} = 0 as held
        from ${upTo(rows)}
      )`,
    `insert into orders (id, pet_id, quantity, ship_date, complete)
      select i, case when i % 2 then 1 else 2 + ${hash(rows - 2)} end, 1,
        case when i % 10 = 0 then null
          when ${late} then ${Date.UTC(2026, 0, 1)} - (${rows} - i) * 60000
          else ${Date.UTC(2026, 0, 1)} + i * 60000 end,
        i % ${rows / 40} > 1
      from ${upTo(rows)}`,
    `insert into movements (pet_id, kind, quantity, reserved, at)
      select case when i % 2 then 1 else i end, 'counted', 0, 0, i from ${upTo(rows)}`,
  ];
}

/** Makes a store with so many pets, orders and movements in a new file. */
export async function makeShapesStore(file: string, rows: number): Promise<void> {
  await openShop(`sqlite:${file}`);
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
  for (const statement of statements(rows)) database.exec(statement);
  for (const { sql } of all) database.exec(sql);
  database.pragma('journal_mode = wal');
  database.close();
}
