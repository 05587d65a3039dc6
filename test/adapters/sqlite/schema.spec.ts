import { join } from 'node:path';
import { MikroORM } from '@mikro-orm/sqlite';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { SqliteDatabase } from '../../../src/adapters/mikro-orm/sqlite/sqlite-database.ts';
import { connectionTo } from '../../../src/adapters/mikro-orm/sqlite/storage.ts';
import { failureOf } from '../../support/promises.ts';
import { openSqliteStore, type SqliteStore } from '../../support/sqlite-store.ts';
import { freshFolder } from '../../support/temporary.ts';

/** The tables, columns, keys, indexes and checks in the database's own catalogue. */
function structureOf(database: SqliteDatabase) {
  const tables = rows(
    database,
    "select name, sql from sqlite_schema where type = 'table' and name not like 'sqlite%' order by name",
  ).filter(({ name }) => name !== 'mikro_orm_migrations');
  return tables.map(({ name, sql }) => ({
    name,
    columns: rows(database, `select name, type, "notnull", dflt_value, pk, hidden from pragma_table_xinfo('${name}')`),
    foreignKeys: rows(
      database,
      `select "table", "from", "to", on_update, on_delete from pragma_foreign_key_list('${name}')`,
    ),
    indexes: rows(
      database,
      `select name, "unique", origin, partial from pragma_index_list('${name}') order by name`,
    ).map((index) => ({
      ...index,
      columns: rows(database, `select name, "desc", coll, key from pragma_index_xinfo('${index.name}')`),
    })),
    checks: [...plain(sql).matchAll(/constraint (\w+) check \((.*?)\)(?=, constraint|\)$)/g)].map(([, check, rule]) => [
      check,
      rule,
    ]),
    counts: plain(sql).includes('autoincrement'),
  }));
}

function rows(database: SqliteDatabase, sql: string): Record<string, unknown>[] {
  return database.prepare(sql).all() as Record<string, unknown>[];
}

function plain(sql: unknown): string {
  return String(sql).replace(/[`"]/g, '').replace(/\s+/g, ' ').replace(/ \)$/, ')');
}

describe('The tables on SQLite', () => {
  const folder = freshFolder();
  let store: SqliteStore;
  beforeEach(async () => {
    store = await openSqliteStore();
    store.other.exec(`
      insert into categories values (1, 'Dogs', 'DOGS', null);
      insert into pets (id, name, name_key, category_id, quantity, reserved, held, status) values (1, 'Rex', 'REX', 1, 5, 2, 0, 'available');
      insert into orders values (1, 1, 2, null, 0);
      insert into movements values (1, 1, 'opened', 5, 0, null, 0);
      insert into idempotency_records values (x'01', x'66', 0, x'7b7d');
      insert into api_keys values (1, 'till', '["admin"]', 'd', 0, null, null);`);
  });
  afterEach(() => store.dispose());

  it('match their definitions after all migrations', async () => {
    const orm = await MikroORM.init(connectionTo(store.file));
    try {
      expect(await orm.schema.getUpdateSchemaSQL()).to.equal('');
      expect(await orm.migrator.checkSchema()).to.equal(false);
      expect(await orm.migrator.getPending()).to.deep.equal([]);
    } finally {
      await orm.close(true);
    }
  });

  it('are the same after all migrations as when they are created from their definitions', async () => {
    const file = join(folder(), 'defined.db');
    const orm = await MikroORM.init(connectionTo(file));
    await orm.schema.create();
    await orm.close(true);
    const defined = new Database(file);
    const expected = structureOf(defined);
    defined.close();

    const structure = structureOf(store.other);

    expect(structure.map(({ name }) => name)).to.include.members(['events', 'orders', 'pets']);
    expect(structure.flatMap(({ checks }) => checks)).to.have.length.above(10);
    expect(structure).to.deep.equal(expected);
  });

  it('report every other difference', async () => {
    store.other.exec('drop index pets_by_name');
    const orm = await MikroORM.init(connectionTo(store.file));
    try {
      expect(await orm.schema.getUpdateSchemaSQL()).to.contain('pets_by_name');
    } finally {
      await orm.close(true);
    }
  });

  describe('are the last line of defence, and refuse', () => {
    const NAME = 'SQLITE_CONSTRAINT_CHECK: categories_name_check';

    for (const [what, [sql, refusal]] of Object.entries({
      'a category without a name': ["insert into categories values (2, '', '', null)", NAME],
      'a category with a name that is too long': [
        `insert into categories values (2, '${'x'.repeat(101)}', 'X', null)`,
        NAME,
      ],
      'a category with a description that is too long': [
        `insert into categories values (2, 'X', 'X', '${'x'.repeat(1001)}')`,
        'SQLITE_CONSTRAINT_CHECK: categories_description_check',
      ],
      'a category with the name of another': [
        "insert into categories values (2, 'dogs', 'DOGS', null)",
        'SQLITE_CONSTRAINT_UNIQUE: categories.name_key',
      ],
      'a category renamed to nothing': [
        'update categories set name = null',
        'SQLITE_CONSTRAINT_NOTNULL: categories.name',
      ],
      'a category that goes while a pet is in it': ['delete from categories', 'SQLITE_CONSTRAINT_TRIGGER: FOREIGN KEY'],
      'a category with another identifier while a pet is in it': [
        'update categories set id = 9',
        'SQLITE_CONSTRAINT_TRIGGER: FOREIGN KEY',
      ],
      'a pet without a name': ["update pets set name = ''", 'SQLITE_CONSTRAINT_CHECK: pets_name_check'],
      'a pet without a category': ['update pets set category_id = null', 'SQLITE_CONSTRAINT_NOTNULL: pets.category_id'],
      'a pet of a category that is not there': [
        'update pets set category_id = 9',
        'SQLITE_CONSTRAINT_FOREIGNKEY: FOREIGN KEY',
      ],
      'fewer units than none': [
        "update pets set quantity = -1, reserved = -1, status = 'pending'",
        'SQLITE_CONSTRAINT_CHECK: pets_quantity_check',
      ],
      'more units than there may be': [
        'update pets set quantity = 1000000001',
        'SQLITE_CONSTRAINT_CHECK: pets_quantity_check',
      ],
      'more promised than there is': ['update pets set reserved = 6', 'SQLITE_CONSTRAINT_CHECK: pets_reserved_check'],
      'less promised than nothing': ['update pets set reserved = -1', 'SQLITE_CONSTRAINT_CHECK: pets_reserved_check'],
      'a hold that is neither on nor off': [
        "update pets set held = 2, status = 'pending'",
        'SQLITE_CONSTRAINT_CHECK: pets_held_check',
      ],
      'a status that the stock does not mean': [
        "update pets set status = 'sold'",
        'SQLITE_CONSTRAINT_CHECK: pets_status_check',
      ],
      'stock that its status does not mean': [
        'update pets set reserved = 5',
        'SQLITE_CONSTRAINT_CHECK: pets_status_check',
      ],
      'a pet that goes while an order names it': ['delete from pets', 'SQLITE_CONSTRAINT_TRIGGER: FOREIGN KEY'],
      'an order for nothing': ['update orders set quantity = 0', 'SQLITE_CONSTRAINT_CHECK: orders_quantity_check'],
      'an order for too much': [
        'update orders set quantity = 1000001',
        'SQLITE_CONSTRAINT_CHECK: orders_quantity_check',
      ],
      'an order that is half complete': [
        'update orders set complete = 2',
        'SQLITE_CONSTRAINT_CHECK: orders_complete_check',
      ],
      'an order for a pet that is not there': [
        'insert into orders values (2, 9, 1, null, 0)',
        'SQLITE_CONSTRAINT_FOREIGNKEY: FOREIGN KEY',
      ],
      'an order with the identifier of another': [
        'insert into orders values (1, 1, 1, null, 0)',
        'SQLITE_CONSTRAINT_PRIMARYKEY: orders.id',
      ],
      'a movement of no kind': ["update movements set kind = 'lost'", 'SQLITE_CONSTRAINT_CHECK: movements_kind_check'],
      'a movement of a pet that is not there': [
        "insert into movements values (2, 9, 'opened', 1, 0, null, 0)",
        'SQLITE_CONSTRAINT_FOREIGNKEY: FOREIGN KEY',
      ],
      'an event without data': [
        "insert into events values (1, 'pet.created', null, 0)",
        'SQLITE_CONSTRAINT_NOTNULL: events.data',
      ],
      'a second idempotency record of one request': [
        "insert into idempotency_records values (x'01', x'67', 1, x'')",
        'SQLITE_CONSTRAINT_PRIMARYKEY: idempotency_records.request_id',
      ],
      'an idempotency record without an id': [
        'update idempotency_records set request_id = null',
        'SQLITE_CONSTRAINT_NOTNULL: idempotency_records.request_id',
      ],
      'an idempotency record without a response': [
        'update idempotency_records set response = null',
        'SQLITE_CONSTRAINT_NOTNULL: idempotency_records.response',
      ],
      'an API key without a name': ["update api_keys set name = ''", 'SQLITE_CONSTRAINT_CHECK: api_keys_name_check'],
      'an API key with a name that is too long': [
        `update api_keys set name = '${'x'.repeat(101)}'`,
        'SQLITE_CONSTRAINT_CHECK: api_keys_name_check',
      ],
      'an API key with scopes that are no JSON': [
        "update api_keys set scopes = 'admin'",
        'SQLITE_CONSTRAINT_CHECK: api_keys_scopes_check',
      ],
      'an API key with scopes that are no list': [
        `update api_keys set scopes = '"admin"'`,
        'SQLITE_CONSTRAINT_CHECK: api_keys_scopes_check',
      ],
      'an API key that nothing is recognised by': [
        "update api_keys set digest = ''",
        'SQLITE_CONSTRAINT_CHECK: api_keys_digest_check',
      ],
      'an API key with the identifier of another': [
        "insert into api_keys values (1, 'x', '[]', 'd', 0, null, null)",
        'SQLITE_CONSTRAINT_PRIMARYKEY: api_keys.id',
      ],
    } satisfies Record<string, readonly [string, string]>)) {
      it(what, () => {
        const [code, rule] = refusal.split(': ') as [string, string];

        expect(() => store.other.exec(sql))
          .to.throw(rule)
          .with.property('code', code);
      });
    }

    it('also through the connection of the store', async () => {
      const refusal = await failureOf(store.work.write(async ({ categories }) => categories.delete(1)));

      expect(refusal).to.be.instanceOf(Error).with.property('code', 'SQLITE_CONSTRAINT_TRIGGER');
    });
  });

  it('delete the movements of a pet with the pet', () => {
    store.other.exec('delete from orders; delete from pets');

    expect(rows(store.other, 'select * from movements')).to.deep.equal([]);
  });
});
