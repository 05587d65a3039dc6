import { MikroORM } from '@mikro-orm/sqlite';
import { SqliteReadSession } from '../../src/adapters/mikro-orm/sqlite/sqlite-sessions.ts';
import { connectionTo } from '../../src/adapters/mikro-orm/sqlite/storage.ts';
import { statement } from '../../src/adapters/mikro-orm/statement.ts';
import { sqliteTables } from '../../src/adapters/mikro-orm/tables.ts';
import { openSqliteStore, statementsOn } from '../support/sqlite-store.ts';

/*
 * What one read of a pet by its identifier costs, by each way that MikroORM offers and by a compiled statement: the figures of
 * docs/adr/0013-mikro-orm-on-the-request-path.md. Run by `node test/bench/statements.ts`.
 */

const PETS = 10_000;
const ROUNDS = 7;
const READS = 4_000;

const PET = statement((db, { id }: { id: number }) =>
  db.selectFrom('pets').select(['id', 'name', 'categoryId', 'status']).where('id', '=', id),
);

const store = await openSqliteStore();
store.other.exec(`insert into categories (id, name, name_key) values (1, 'Dogs', 'DOGS');
  with recursive n(i) as (select 1 union all select i + 1 from n where i < ${PETS})
    insert into pets (id, name, name_key, category_id, quantity, reserved, held, status)
    select i, 'Pet ' || i, 'PET ' || i, 1, 5, 0, 0, 'available' from n`);
const orm = await MikroORM.init(connectionTo(store.file));
const { em } = orm;
const [, Pet] = sqliteTables;
const db = em.getKysely({ columnNamingStrategy: 'property' });
const session = new SqliteReadSession(statementsOn(store.other));
const query = (id: number) => db.selectFrom('pets').select(['id', 'name', 'categoryId', 'status']).where('id', '=', id);

const WAYS: Readonly<Record<string, (id: number) => unknown>> = {
  'compiled statement': (id) => session.one(PET, { id }),
  'Kysely, compiling alone': (id) => query(id).compile(),
  'Kysely, executed by MikroORM': (id) => query(id).executeTakeFirst(),
  'em.execute of a text': (id) => em.execute('select id, name, category_id, status from pets where id = ?', [id]),
  'em.fork().findOne': (id) => em.fork().findOne(Pet, { id }),
};

for (const [way, read] of Object.entries(WAYS)) {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    for (let i = 0; i < READS; i++) await read(1 + ((i * 7919) % PETS));
    rounds.push(((performance.now() - begun) * 1_000) / READS);
  }
  // The first round is for what is compiled on the way.
  const [least, most] = [Math.min(...rounds.slice(1)), Math.max(...rounds.slice(1))];
  console.log(`${way.padEnd(30)} ${least.toFixed(1).padStart(7)} to ${most.toFixed(1)} µs`);
}
await orm.close(true);
await store.dispose();
