import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MikroORM } from '@mikro-orm/sqlite';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { MikroOrmReader } from '../../../src/adapters/mikro-orm/reader.ts';
import { migrations } from '../../../src/adapters/mikro-orm/sqlite/migrations.ts';
import type { SqliteDatabase } from '../../../src/adapters/mikro-orm/sqlite/sqlite-database.ts';
import { connectionTo, SqliteStorage } from '../../../src/adapters/mikro-orm/sqlite/storage.ts';
import { SqliteUnitOfWork } from '../../../src/adapters/mikro-orm/sqlite/unit-of-work.ts';
import { StorageRefused } from '../../../src/application/ports/storage.ts';
import { CategoryNameTaken } from '../../../src/domain/refusals.ts';
import { nameKey, tidyText } from '../../../src/domain/text.ts';
import { type Desks, desksOn, walk } from '../../conformance/storage/storage-under-test.ts';
import { failureOf } from '../../support/promises.ts';
import { dumpOf } from '../../support/sqlite-store.ts';
import { freshFolder } from '../../support/temporary.ts';

/** The key of a name as it was when only the first migration was there. */
function oldKey(name: string): string {
  return tidyText(name).toLowerCase().toUpperCase().normalize('NFC');
}

describe('A file on which only the first migration ran', () => {
  const folder = freshFolder();
  let file: string;
  let storage: SqliteStorage | undefined;
  let reader: MikroOrmReader;
  let desks: Desks;

  beforeEach(async () => {
    file = join(folder(), 'petstore.db');
    const settings = connectionTo(file);
    const first = migrations.slice(0, 1);
    const orm = await MikroORM.init({ ...settings, migrations: { ...settings.migrations, migrationsList: first } });
    await orm.migrator.up();
    await orm.close(true);
    inFile((database) => expect(Object.keys(dumpOf(database))).not.to.include('outcomes'));
  });
  afterEach(async () => {
    await storage?.close();
    storage = undefined;
  });

  function inFile(act: (database: SqliteDatabase) => void): void {
    const database = new Database(file);
    act(database);
    database.close();
  }

  /** Categories and pets 1, 2, 3 … of these names, as they were kept then. */
  function fill(categories: readonly string[], pets: readonly string[] = []): void {
    inFile((database) => {
      const addCategory = database.prepare('insert into categories (name, name_key) values (?, ?)');
      for (const name of categories) addCategory.run(name, oldKey(name));
      const addPet = database.prepare(
        "insert into pets (name, name_key, category_id, quantity, reserved, held, status) values (?, ?, 1, 1, 0, 0, 'available')",
      );
      for (const name of pets) addPet.run(name, oldKey(name));
      database.exec(
        "insert into movements (pet_id, kind, quantity, reserved, at) select id, 'opened', 1, 0, 0 from pets",
      );
    });
  }

  async function open(): Promise<void> {
    const work = new SqliteUnitOfWork();
    reader = new MikroOrmReader();
    storage = new SqliteStorage({ file, synchronous: 'normal' }, work, reader);
    await storage.open();
    desks = desksOn({ work, reader });
  }

  const keysOf = (table: 'categories' | 'pets') => {
    let keys: unknown[] = [];
    inFile((database) => {
      keys = database.prepare(`select name_key from ${table} order by id`).all();
    });
    return keys.map((row) => (row as { name_key: string }).name_key);
  };

  it('is refused and unchanged when it is opened without migrating', async () => {
    fill(['Dogs'], ['Rex']);
    const before = await readFile(file);
    const work = new SqliteUnitOfWork();

    const refusal = await failureOf(
      new SqliteStorage({ file, synchronous: 'normal' }, work, new MikroOrmReader()).open({ migrate: false }),
    );

    expect(refusal).to.be.instanceOf(StorageRefused);
    expect((refusal as StorageRefused).message)
      .to.match(/written by an older version .* start the service of this version, .*\.$/)
      .and.include(file);
    expect((await readFile(file)).equals(before)).to.equal(true);
  });

  it('has the current tables and all of its rows after it was opened', async () => {
    fill(['Dogs'], ['Rex', 'O’Malley', "'); drop table pets; --"]);
    await open();

    const orm = await MikroORM.init(connectionTo(file));
    try {
      expect(await orm.migrator.checkSchema()).to.equal(false);
      expect(await orm.migrator.getPending()).to.deep.equal([]);
    } finally {
      await orm.close(true);
    }
    expect(await reader.apiKeys()).to.deep.equal([]);
    expect(await reader.category(1)).to.deep.equal({ id: 1, name: 'Dogs' });
    const { rows } = await reader.pets({}, { sort: { by: 'id' }, limit: 9 });
    expect(rows.map(({ name }) => name)).to.deep.equal(['Rex', 'O’Malley', "'); drop table pets; --"]);
    expect(await desks.auditor.audit()).to.deep.equal({ pets: 3, findings: [] });
  });

  it('has its names, and keys by which they are found in every spelling', async () => {
    const names = ['\uff24ogs', 'Fi\u200bsh', 'ﬂies', 'Plain', '\u200b', 'Éclairs', '\u{1f600}'];
    fill(names, [...names, 'DOGS', 'D\u0131ngo']);
    await open();

    expect(keysOf('categories')).to.deep.equal(names.map(nameKey));
    expect(keysOf('pets')).to.deep.equal([...names, 'DOGS', 'D\u0131ngo'].map(nameKey));
    const { rows } = await reader.pets({ name: 'd' }, { sort: { by: 'name' }, limit: 9 });
    expect(rows.map(({ name }) => name)).to.deep.equal(['D\u0131ngo', '\uff24ogs', 'DOGS']);
    expect(await reader.countCategories({ name: 'FLIES' })).to.equal(1);
    expect(await failureOf(desks.categories.create({ name: 'fish' }))).to.be.instanceOf(CategoryNameTaken);
  });

  describe('with categories whose names are now equal', () => {
    it('is opened, and leaves the key with the category that has it, or else assigns it to the first', async () => {
      fill(['\uff24ogs', 'Dogs', 'Do\u00adgs', 'Ca\u200bts', '\u200bCats', '\uff23ats', 'Fish']);
      await open();

      expect(keysOf('categories')).to.deep.equal([
        oldKey('\uff24ogs'),
        'DOGS',
        oldKey('Do\u00adgs'),
        'CATS',
        oldKey('\u200bCats'),
        oldKey('\uff23ats'),
        'FISH',
      ]);
    });

    it('is opened with any names, and lists each of them once', async () => {
      const parts = ['d', 'D', '\uff24', '\u200b', '\u00ad', 'i', '\u0130', '\u0131', 'ﬁ', 'ss', 'ß', '\u{1f600}'];
      const names = parts.flatMap((one) => parts.flatMap((two) => [`${one}${two}`, `${one}${two}s`]));
      const old = [...new Map(names.map((name) => [oldKey(name), name])).values()];
      fill(old);
      await open();

      for (const sort of [
        { by: 'id' },
        { by: 'id', descending: true },
        { by: 'name' },
        { by: 'name', descending: true },
      ] as const) {
        for (const limit of [1, 7]) {
          const rows = await walk((page) => reader.categories({}, page), sort, limit);
          expect(new Set(rows.map(({ id }) => id)), `${JSON.stringify(sort)} by ${limit}`).to.have.property(
            'size',
            old.length,
          );
          expect(rows).to.have.lengthOf(old.length);
        }
      }
    });

    it('accepts a new description of each of them, and a new name that is free', async () => {
      fill(['Dogs', '\uff24ogs']);
      await open();

      await desks.categories.change(2, { description: 'They bark.' });
      expect(await reader.category(2)).to.deep.equal({ id: 2, name: '\uff24ogs', description: 'They bark.' });
      expect(await failureOf(desks.categories.change(2, { name: '\uff24OGS' }))).to.be.instanceOf(CategoryNameTaken);
      await desks.categories.change(1, { name: 'Do\u200bgs' });
      await desks.categories.change(2, { name: 'Hounds' });

      expect(keysOf('categories')).to.deep.equal(['DOGS', 'HOUNDS']);
    });
  });
});
