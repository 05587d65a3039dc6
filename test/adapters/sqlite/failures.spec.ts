import { expect } from 'chai';
import { MikroOrmReader } from '../../../src/adapters/mikro-orm/reader.ts';
import type { PreparedStatements, SqliteDatabase } from '../../../src/adapters/mikro-orm/sqlite/sqlite-database.ts';
import { SqliteStorage } from '../../../src/adapters/mikro-orm/sqlite/storage.ts';
import { SqliteUnitOfWork } from '../../../src/adapters/mikro-orm/sqlite/unit-of-work.ts';
import { StorageUnavailable } from '../../../src/application/ports/unit-of-work.ts';
import { type Desks, desksOn } from '../../conformance/storage/storage-under-test.ts';
import { failureOf } from '../../support/promises.ts';
import { dumpOf, openSqliteStore, type SqliteStore } from '../../support/sqlite-store.ts';

/** What a shop does, and the tables it writes to, each with the verb of SQL that it uses there. */
const DOINGS: Record<string, { readonly writes: readonly string[]; readonly act: (desks: Desks) => Promise<unknown> }> =
  {
    'opening a category': {
      writes: ['insert categories', 'insert events'],
      act: ({ categories }) => categories.create({ name: 'Birds' }),
    },
    'changing a category': {
      writes: ['update categories', 'insert events'],
      act: ({ categories }) => categories.change(1, { name: 'Hounds' }),
    },
    'closing a category': {
      writes: ['delete categories', 'insert events'],
      act: ({ categories }) => categories.delete(2),
    },
    'welcoming a batch': {
      writes: ['insert pets', 'insert movements', 'insert events'],
      act: ({ pets }) => pets.createAll([1, 2, 1].map((categoryId) => ({ name: 'Wuff', categoryId }))),
    },
    'changing a pet': {
      writes: ['update pets', 'insert movements', 'insert events'],
      act: ({ pets }) => pets.change(3, { name: 'X', categoryId: 2, status: 'available' }),
    },
    'letting a pet go': {
      writes: ['delete pets', 'delete movements', 'insert events'],
      act: ({ pets }) => pets.delete(2),
    },
    'placing an order': {
      writes: ['insert orders', 'update pets', 'insert movements', 'insert events'],
      act: ({ orders }) => orders.place({ petId: 1, quantity: 3 }),
    },
    'placing a complete order': {
      writes: ['insert orders', 'update pets', 'insert movements', 'insert events'],
      act: ({ orders }) => orders.place({ petId: 1, quantity: 3, complete: true }),
    },
    'changing and completing an order': {
      writes: ['update orders', 'update pets', 'insert movements', 'insert events'],
      act: ({ orders }) => orders.change(1, { quantity: 1, shipDate: 0, complete: true }),
    },
    'cancelling an order': {
      writes: ['delete orders', 'update pets', 'insert movements', 'insert events'],
      act: ({ orders }) => orders.cancel(1),
    },
    'counting stock': {
      writes: ['update pets', 'insert movements', 'insert events'],
      act: ({ stock }) => stock.count(3, 7),
    },
  };

const WRITES = ['categories', 'pets', 'orders', 'movements', 'events'].flatMap((table) =>
  ['insert', 'update', 'delete'].map((verb) => `${verb} ${table}`),
);

/** From another program's connection: makes every such statement fail right after it has done its work, or when it is committed. */
function setTrap(other: SqliteDatabase, write: string, trap = "raise(abort, 'trap')"): void {
  const [verb, table] = write.split(' ');
  other.exec(`create trigger trap after ${verb} on ${table} begin select ${trap}; end`);
}

function clearTrap(other: SqliteDatabase): void {
  other.exec('drop trigger trap');
}

describe('A unit of work on SQLite stores nothing', () => {
  let store: SqliteStore;
  let desks: Desks;

  /** Pet 1 has five units and an open order for two of them, pet 2 is held, pet 3 is sold. */
  beforeEach(async () => {
    store = await openSqliteStore();
    desks = desksOn(store);
    await desks.categories.create({ name: 'Dogs', description: 'They bark.' });
    await desks.categories.create({ name: 'Cats' });
    await desks.pets.createAll([
      { name: 'Rex', categoryId: 1 },
      { name: 'Bello', categoryId: 1, status: 'pending' },
      { name: 'Hasso', categoryId: 1, status: 'sold' },
    ]);
    await desks.stock.count(1, 5);
    await desks.orders.place({ petId: 1, quantity: 2 });
  });
  afterEach(() => store.dispose());

  for (const [doing, { writes, act }] of Object.entries(DOINGS)) {
    it(`of ${doing} if any one of its statements fails`, async () => {
      const before = dumpOf(store.other);

      for (const write of writes) {
        setTrap(store.other, write);
        expect(await failureOf(act(desks)), write).to.have.property('message', 'trap');
        clearTrap(store.other);
        expect(dumpOf(store.other), write).to.deep.equal(before);
      }

      for (const write of WRITES.filter((other) => !writes.includes(other))) {
        const [verb, table] = write.split(' ');
        store.other.exec(
          `create trigger trap_${verb}_${table} after ${verb} on ${table} begin select raise(abort, 'trap'); end`,
        );
      }
      await act(desks);
      expect(dumpOf(store.other)).not.to.deep.equal(before);
      expect((await desks.auditor.audit()).findings).to.deep.equal([]);
    });
  }

  it('of any job in the same commit when SQLite itself rolls the transaction back', async () => {
    const before = dumpOf(store.other);
    setTrap(store.other, 'delete categories', "raise(rollback, 'trap')");

    const refusals = await Promise.all(
      [desks.stock.count(1, 8), desks.categories.delete(2), desks.stock.count(1, 9)].map((doing) => failureOf(doing)),
    );

    for (const refusal of refusals) expect(refusal).to.be.instanceOf(StorageUnavailable);
    clearTrap(store.other);
    expect(dumpOf(store.other)).to.deep.equal(before);
    await desks.categories.delete(2);
  });

  it('of any job in a commit that fails', async () => {
    const before = dumpOf(store.other);
    // A foreign key that is looked at when the transaction is committed, and leads nowhere.
    store.other.exec(`
      create table tripwire (id integer primary key, leads_to integer references tripwire (id) deferrable initially deferred);
      create trigger trap after insert on orders begin insert into tripwire (leads_to) values (99); end`);

    const refusals = await Promise.all(
      [
        desks.stock.count(1, 8),
        desks.orders.place({ petId: 1, quantity: 1 }),
        desks.categories.create({ name: 'Birds' }),
        store.work.write(async () => 'nothing at all'),
      ].map((doing) => failureOf(doing)),
    );

    for (const refusal of refusals) expect(refusal).to.have.property('code', 'SQLITE_CONSTRAINT_FOREIGNKEY');
    store.other.exec('drop trigger trap; drop table tripwire');
    expect(dumpOf(store.other)).to.deep.equal(before);
    expect(await desks.orders.place({ petId: 1, quantity: 1 })).to.include({ id: 2 });
  });

  it('when the disk is full, and continues when there is space again', async () => {
    let writing: SqliteDatabase | undefined;
    class Work extends SqliteUnitOfWork {
      override open(database: SqliteDatabase, statements: PreparedStatements): void {
        writing = database;
        super.open(database, statements);
      }
    }
    const work = new Work();
    const storage = new SqliteStorage({ file: store.file, synchronous: 'normal' }, work, new MikroOrmReader());
    await storage.open();
    const { pets } = desksOn(store, work);
    const before = dumpOf(store.other);
    const pages = Number(writing?.pragma('page_count', { simple: true }));
    const many = () => pets.createAll(Array.from({ length: 2_000 }, (_, i) => ({ name: `Pet ${i}`, categoryId: 1 })));
    writing?.pragma(`max_page_count = ${pages}`);

    const refusals = await Promise.all([failureOf(many()), failureOf(many())]);

    for (const refusal of refusals) expect(refusal).to.be.instanceOf(StorageUnavailable);
    expect(dumpOf(store.other)).to.deep.equal(before);
    writing?.pragma('max_page_count = 1000000');
    expect(await many()).to.have.length(2_000);
    await storage.close();
  });
});
