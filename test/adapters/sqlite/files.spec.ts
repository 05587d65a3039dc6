import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { MikroOrmReader } from '../../../src/adapters/mikro-orm/reader.ts';
import type { ReadSession } from '../../../src/adapters/mikro-orm/session.ts';
import type { PreparedStatements, SqliteDatabase } from '../../../src/adapters/mikro-orm/sqlite/sqlite-database.ts';
import { SqliteStorage } from '../../../src/adapters/mikro-orm/sqlite/storage.ts';
import { SqliteUnitOfWork } from '../../../src/adapters/mikro-orm/sqlite/unit-of-work.ts';
import { StorageRefused } from '../../../src/application/ports/storage.ts';
import { StorageUnavailable } from '../../../src/application/ports/unit-of-work.ts';
import { desksOn } from '../../../src/conformance/storage/shop.ts';
import { failureOf } from '../../support/promises.ts';
import { dumpOf, openSqliteStore } from '../../support/sqlite-store.ts';
import { freshFolder } from '../../support/temporary.ts';

function storageOn(file: string, synchronous: 'full' | 'normal' = 'full'): SqliteStorage {
  return new SqliteStorage({ file, synchronous }, new SqliteUnitOfWork(), new MikroOrmReader());
}

/** Does something to a file with the database's own means. */
function inDatabase(file: string, act: (database: SqliteDatabase) => void): void {
  const database = new Database(file);
  act(database);
  database.close();
}

/** A file that the service made, with a shop of 500 pets in it, closed as it should be. */
async function makeStore(file: string): Promise<void> {
  const storage = storageOn(file);
  await storage.open();
  await storage.close();
  inDatabase(file, (database) =>
    database.exec(`
      insert into categories values (1, 'Dogs', 'DOGS', null);
      with recursive n(i) as (values(1) union all select i + 1 from n where i < 500)
        insert into pets (id, name, name_key, category_id, quantity, reserved, held, status)
        select i, 'Pet ' || i, 'PET ' || i, 1, 1, 0, 0, 'available' from n;
      insert into movements (pet_id, kind, quantity, reserved, at) select id, 'opened', 1, 0, 0 from pets;`),
  );
}

async function change(file: string, by: (bytes: Buffer) => void): Promise<void> {
  const bytes = await readFile(file);
  by(bytes);
  await writeFile(file, bytes);
}

/** What lies where the store should be, and what the refusal says of it. */
const FOREIGN: Record<string, { readonly says: RegExp; make(file: string): Promise<unknown> }> = {
  'a text': { says: /not a readable SQLite database/, make: (file) => writeFile(file, 'Dear diary,\n'.repeat(2_000)) },
  'a short text': { says: /not a readable SQLite database/, make: (file) => writeFile(file, 'Dear diary,\n') },
  noise: { says: /not a readable SQLite database/, make: (file) => writeFile(file, randomBytes(20_000)) },
  'the database of another program': {
    says: /belongs to another program/,
    make: async (file) => inDatabase(file, (database) => database.exec('create table bookmarks (url text)')),
  },
  'the database of another program that writes ahead': {
    says: /belongs to another program/,
    make: async (file) =>
      inDatabase(file, (database) => {
        database.pragma('journal_mode = wal');
        database.exec('create table pets (id integer primary key); insert into pets values (1)');
      }),
  },
  'a store of a newer version': {
    says: /written by a newer version .* 2099-01-01-move-out/,
    make: async (file) => {
      await makeStore(file);
      inDatabase(file, (database) =>
        database.exec("insert into mikro_orm_migrations (name) values ('2099-01-01-move-out')"),
      );
    },
  },
  'a store whose header is garbage': {
    says: /not a readable SQLite database/,
    make: async (file) => {
      await makeStore(file);
      await change(file, (bytes) => bytes.fill('garbage ', 0, 100));
    },
  },
  'a store that is cut off between two pages': {
    says: /damaged/,
    make: async (file) => {
      await makeStore(file);
      await truncate(file, 4096 * 5);
    },
  },
  'a store that is cut off within a page': {
    says: /damaged/,
    make: async (file) => {
      await makeStore(file);
      await truncate(file, 4096 * 6 + 1234);
    },
  },
  'a store that is cut off within its first page': {
    says: /damaged/,
    make: async (file) => {
      await makeStore(file);
      await truncate(file, 600);
    },
  },
  'a store with flipped bytes in every page but the first': {
    says: /damaged/,
    make: async (file) => {
      await makeStore(file);
      await change(file, (bytes) => {
        for (let at = 4096; at < bytes.length; at += 4096)
          for (let i = at; i < at + 16; i++) bytes[i] = ~(bytes[i] as number);
      });
    },
  },
  'a store with flipped bytes in its middle': {
    says: /damaged/,
    make: async (file) => {
      await makeStore(file);
      await change(file, (bytes) => {
        const middle = 4096 * Math.floor(bytes.length / 4096 / 2);
        for (let i = middle; i < middle + 64; i++) bytes[i] = ~(bytes[i] as number);
      });
    },
  },
};

describe('The storage on SQLite', () => {
  const folder = freshFolder();

  for (const [what, { says, make }] of Object.entries(FOREIGN)) {
    it(`refuses ${what} in one line, and does not change it`, async () => {
      const file = join(folder(), 'petstore.db');
      await make(file);
      const before = { files: await readdir(folder()), digest: digestOf(await readFile(file)) };

      const refusal = await failureOf(storageOn(file).open());

      expectRefusal(refusal, file, says);
      expect({ files: await readdir(folder()), digest: digestOf(await readFile(file)) }).to.deep.equal(before);
    });
  }

  it('refuses a folder', async () => {
    expectRefusal(await failureOf(storageOn(folder()).open()), folder(), /cannot be opened for writing there/);
  });

  for (const [where, path] of Object.entries({
    'where nothing can be made': '/proc/petstore.db',
    'in a folder where none can be made': '/proc/petstore/petstore.db',
    'below a file': 'a-file/petstore.db',
    'far below a file': 'a-file/deeper/petstore.db',
  })) {
    it(`refuses a place ${where}`, async function () {
      // Only Linux has /proc.
      if (process.platform !== 'linux' && path.startsWith('/proc')) this.skip();
      const file = resolve(folder(), path);
      await writeFile(join(folder(), 'a-file'), 'a file');

      expectRefusal(await failureOf(storageOn(file).open()), file, /cannot be opened for writing there/);

      expect(await readFile(join(folder(), 'a-file'), 'utf8')).to.equal('a file');
    });
  }

  it('refuses a file without write permission', async function () {
    // Root may write what it likes.
    if (process.getuid?.() === 0) this.skip();
    const file = join(folder(), 'petstore.db');
    await makeStore(file);
    await chmod(file, 0o444);

    expectRefusal(await failureOf(storageOn(file).open()), file, /cannot be opened for writing there/);
  });

  it('opens another file after a refusal, and refuses the first file again', async () => {
    const file = join(folder(), 'petstore.db');
    await writeFile(file, 'Dear diary,\n');
    const storage = storageOn(file);

    await failureOf(storage.open());
    await storage.close();
    expectRefusal(await failureOf(storage.open()), file, /not a readable SQLite database/);

    await writeFile(file, '');
    await storage.open();
    await storage.check();
    await storage.close();
  });

  it('creates the parent folders of a new file, and leaves one file when it is closed', async () => {
    const file = join(folder(), 'deep', 'down', 'petstore.db');
    const storage = storageOn(file);
    await storage.open();
    await storage.close();

    expect(await readdir(dirname(file))).to.deep.equal([basename(file)]);
  });

  describe('keeps its files private to the user:', () => {
    const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    beforeEach(function () {
      // Windows has no such modes.
      if (process.platform === 'win32') this.skip();
    });

    it('a new file and its logs have mode 600, and new parent folders 700', async () => {
      const file = join(folder(), 'deep', 'down', 'petstore.db');
      const storage = storageOn(file);
      await storage.open();

      const modes = await Promise.all(['', '-wal', '-shm'].map((end) => modeOf(`${file}${end}`)));
      await storage.close();

      expect(modes).to.deep.equal(['600', '600', '600']);
      expect(await modeOf(dirname(file))).to.equal('700');
      expect(await modeOf(dirname(dirname(file)))).to.equal('700');
    });

    it('the target of a symbolic link has mode 600', async () => {
      const file = join(folder(), 'petstore.db');
      await symlink(join(folder(), 'elsewhere.db'), file);
      const storage = storageOn(file);
      await storage.open();
      await storage.close();

      expect(await modeOf(join(folder(), 'elsewhere.db'))).to.equal('600');
    });

    it('an existing file and an existing folder keep their modes', async () => {
      const file = join(folder(), 'shared', 'petstore.db');
      await mkdir(dirname(file));
      await chmod(dirname(file), 0o750);
      await writeFile(file, '');
      await chmod(file, 0o640);
      const storage = storageOn(file);
      await storage.open();

      const modes = await Promise.all(['', '-wal', '-shm'].map((end) => modeOf(`${file}${end}`)));
      await storage.close();

      expect(modes).to.deep.equal(['640', '640', '640']);
      expect(await modeOf(dirname(file))).to.equal('750');
    });
  });

  it('creates nothing without a store if it must not migrate', async () => {
    const file = join(folder(), 'deep', 'petstore.db');
    expectRefusal(await failureOf(storageOn(file).open({ migrate: false })), file, /There is no store/);
    expect(await readdir(folder())).to.deep.equal([]);

    const empty = join(folder(), 'empty.db');
    await writeFile(empty, '');
    expect(await storageOn(empty).isThere()).to.equal(false);
    expectRefusal(await failureOf(storageOn(empty).open({ migrate: false })), empty, /There is no store/);
    expect((await stat(empty)).size).to.equal(0);
  });

  it('opens an empty file as a new store, and an existing store unchanged', async () => {
    const file = join(folder(), 'petstore.db');
    await mkdir(folder(), { recursive: true });
    await writeFile(file, '');
    await makeStore(file);
    let before = {};
    inDatabase(file, (database) => {
      before = dumpOf(database);
    });

    const storage = storageOn(file);
    await storage.open();
    await storage.close();

    inDatabase(file, (database) => expect(dumpOf(database)).to.deep.equal(before));
  });

  it('is opened by several processes at once, also the first time', async () => {
    const file = join(folder(), 'petstore.db');
    const storages = Array.from({ length: 4 }, () => storageOn(file));

    await Promise.all(storages.map((storage) => storage.open()));

    for (const storage of storages) await storage.check();
    await Promise.all(storages.map((storage) => storage.close()));
  });

  for (const [setting, level] of [
    ['full', 2],
    ['normal', 1],
  ] as const) {
    it(`applies its settings to both connections: synchronous ${setting}, write-ahead, foreign keys`, async () => {
      let writing: SqliteDatabase | undefined;
      let reading: ReadSession | undefined;
      class Work extends SqliteUnitOfWork {
        override open(database: SqliteDatabase, statements: PreparedStatements): void {
          writing = database;
          super.open(database, statements);
        }
      }
      class Reading extends MikroOrmReader {
        override open(session: ReadSession): void {
          reading = session;
          super.open(session);
        }
      }
      const storage = new SqliteStorage(
        { file: join(folder(), 'petstore.db'), synchronous: setting },
        new Work(),
        new Reading(),
      );
      await storage.open();

      for (const pragma of [
        (name: string) => writing?.pragma(name, { simple: true }),
        async (name: string) =>
          (await reading?.rows<Record<string, unknown>>({ sql: `pragma ${name}`, values: [] }))?.[0]?.[name],
      ]) {
        expect(await pragma('journal_mode')).to.equal('wal');
        expect(await pragma('synchronous')).to.equal(level);
        expect(await pragma('foreign_keys')).to.equal(1);
      }
      expect(writing?.pragma('query_only', { simple: true })).to.equal(0);
      expect(() => reading?.rows({ sql: 'delete from events returning 1', values: [] })).to.throw('SQLITE_READONLY');
      await storage.close();
    });
  }

  it('rejects with StorageUnavailable when its file is damaged while it is open, and still reads what it can', async () => {
    const store = await openSqliteStore();
    try {
      store.other.exec("insert into categories values (1, 'Dogs', 'DOGS', null)");
      store.other.pragma('wal_checkpoint(truncate)');
      const { rootpage } = store.other.prepare("select rootpage from sqlite_schema where name = 'orders'").get() as {
        rootpage: number;
      };
      await change(store.file, (bytes) => bytes.fill(0xff, (rootpage - 1) * 4096, rootpage * 4096));
      const { orders } = desksOn(store);

      expect(await failureOf(orders.get(1))).to.be.instanceOf(StorageUnavailable);
      expect(await failureOf(orders.cancel(1))).to.be.instanceOf(StorageUnavailable);
      expect(await store.reader.category(1)).to.include({ name: 'Dogs' });
    } finally {
      await store.dispose();
    }
  });
});

function expectRefusal(refusal: unknown, file: string, says: RegExp): void {
  expect(refusal).to.be.instanceOf(StorageRefused);
  const { message } = refusal as StorageRefused;
  expect(message).to.contain(file);
  expect(message).to.match(says);
  expect(message).not.to.contain('\n');
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
