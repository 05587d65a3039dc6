import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { MikroOrmReader } from '../../../src/adapters/mikro-orm/reader.ts';
import type { TableSearch } from '../../../src/adapters/mikro-orm/session.ts';
import { SearchThread } from '../../../src/adapters/mikro-orm/sqlite/search-thread.ts';
import { SqliteReadSession } from '../../../src/adapters/mikro-orm/sqlite/sqlite-sessions.ts';
import type { PetFilter, Position, Reader } from '../../../src/application/ports/reader.ts';
import { StorageUnavailable } from '../../../src/application/ports/unit-of-work.ts';
import { desksOn } from '../../conformance/storage/storage-under-test.ts';
import { failureOf } from '../../support/promises.ts';
import { openSqliteStore, type SqliteStore, statementsOn } from '../../support/sqlite-store.ts';

/** More than are sorted, behind more rows than are read on the event loop. */
const OTHERS = 5_500;
const MATCHES = 5_500;

/** Reads all identifiers, without an end. */
const ENDLESS: TableSearch<unknown> = {
  rows: 'select id from pets where id > ? and id <= ? and 1 = 0 limit ?',
  end: 'select ? as id, ? as window',
  start: 0,
  last: 1,
  values: [],
  most: 1,
  count: { sql: 'select 9 as n', values: [] },
  sortable: 8,
  sorted: { sql: 'select 0 as id', values: [] },
};
const SHORT: TableSearch<unknown> = {
  ...ENDLESS,
  rows: 'select id from pets where id > ? and id <= ? order by id limit ?',
  end: 'select id from pets where id > ? order by id limit 1 offset ?',
  last: 9,
  most: 9,
};

describe('A search on SQLite', () => {
  let store: SqliteStore;
  before(async () => {
    store = await openSqliteStore();
    await desksOn(store).categories.create({ name: 'Cats' });
    store.other.exec(`insert into pets (id, name, name_key, category_id, quantity, reserved, held, status)
      with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${OTHERS + MATCHES})
      select i, text || i, upper(text) || i, 1, low, 0, 0, 'available' from
        (select i, case when i <= ${OTHERS} then 'Pet ' else 'Mew ' end as text, case when i <= ${OTHERS} then 9 else 1 end as low from numbers)`);
  });
  after(() => store.dispose());

  const page = (reader: Reader, filter: PetFilter, descending = false, after?: Position) =>
    reader.pets(filter, { sort: { by: 'id', descending }, limit: 3, after });
  const ids = ({ rows }: { readonly rows: readonly { readonly id: number }[] }) => rows.map(({ id }) => id);

  /** A reader without a thread. */
  const readerOnLoop = () => {
    const reader = new MikroOrmReader();
    reader.open(new SqliteReadSession(statementsOn(store.other)));
    return reader;
  };

  for (const [where, readerOf] of [
    ['on a thread', () => store.reader],
    ['without a thread', readerOnLoop],
  ] as const) {
    it(`finds many matches that begin late, ${where}`, async () => {
      const first = await page(readerOf(), { name: 'mew' });
      expect(ids(first)).to.deep.equal([OTHERS + 1, OTHERS + 2, OTHERS + 3]);
      expect(ids(await page(readerOf(), { name: 'mew', status: ['available'] }, false, first.next))).to.deep.equal([
        OTHERS + 4,
        OTHERS + 5,
        OTHERS + 6,
      ]);
      expect(ids(await page(readerOf(), { name: 'pet' }, true))).to.deep.equal([OTHERS, OTHERS - 1, OTHERS - 2]);
      const last = { key: OTHERS + MATCHES - 1, id: OTHERS + MATCHES - 1 };
      expect((await page(readerOf(), { name: 'mew' }, false, last)).next).to.equal(undefined);
      expect(ids(await page(readerOf(), { name: 'pet' }, false, { key: OTHERS, id: OTHERS }))).to.deep.equal([]);
      const low = await readerOf().inventory({ below: 2 }, { sort: { by: 'petId' }, limit: 2 });
      expect(low.rows.map(({ petId }) => petId)).to.deep.equal([OTHERS + 1, OTHERS + 2]);
    });
  }

  it('sees a change as soon as its promise has resolved', async () => {
    const { pets } = desksOn(store);
    for (const name of ['Mew', 'Pet', 'Mew', 'Pet']) {
      await pets.change(OTHERS, { name: `${name} again` });
      expect(ids(await page(store.reader, { name: 'mew' }))[0]).to.equal(name === 'Mew' ? OTHERS : OTHERS + 1);
    }
  });

  describe('on its thread', () => {
    let thread: SearchThread;
    afterEach(() => thread.close());

    it('is rejected if too many wait', async () => {
      thread = new SearchThread(store.file, { waiting: 1, time: 60_000 });

      const [running, waiting] = [thread.run(SHORT), thread.run(SHORT)];
      const error = await failureOf(thread.run(SHORT));

      expect(error).to.be.instanceOf(StorageUnavailable).with.property('message', 'More than 1 searches are waiting.');
      expect(await running).to.have.lengthOf(9);
      expect(await waiting).to.have.lengthOf(9);
      expect(await thread.run(SHORT)).to.have.lengthOf(9);
    });

    it('sorts the matches if they are not too many', async () => {
      thread = new SearchThread(store.file);

      expect(await thread.run({ ...SHORT, sortable: 9 })).to.deep.equal([{ id: 0 }]);
      expect(await thread.run({ ...SHORT, sortable: 8 })).to.have.lengthOf(9);
    });

    it('ends after its time limit, and the next one runs', async () => {
      thread = new SearchThread(store.file, { waiting: 9, time: 500 });

      const endless = failureOf(thread.run(ENDLESS));
      const next = thread.run(SHORT);

      expect(await endless)
        .to.be.instanceOf(StorageUnavailable)
        .with.property('message')
        .that.contains('500 ms');
      expect(await next).to.have.lengthOf(9);
    });

    it('ends when the storage closes, and is rejected after that', async () => {
      thread = new SearchThread(store.file, { waiting: 9, time: 60_000 });
      const searches = [failureOf(thread.run(ENDLESS)), failureOf(thread.run(SHORT))];

      await thread.close();

      for (const search of [...searches, failureOf(thread.run(SHORT))]) {
        expect(await search).to.be.instanceOf(StorageUnavailable);
      }
    });

    it('reports an error of its statement, and the next one runs', async () => {
      thread = new SearchThread(store.file);

      const error = await failureOf(thread.run({ ...SHORT, rows: 'select 1 from nowhere' }));

      expect(error).to.be.instanceOf(Error).with.property('message').that.contains('nowhere');
      expect(await thread.run(SHORT)).to.have.lengthOf(9);
    });

    it('is rejected if the file cannot be opened', async () => {
      thread = new SearchThread(`${store.file}-missing`);

      expect(await failureOf(thread.run(SHORT))).to.be.instanceOf(StorageUnavailable);
    });
  });

  it('leaves one file when the storage closes', async () => {
    const own = await openSqliteStore();
    await desksOn(own).categories.create({ name: 'Cats' });
    own.other.close();
    const thread = new SearchThread(own.file);
    await thread.run(SHORT);

    await thread.close();
    await own.storage.close();

    expect(existsSync(own.file)).to.equal(true);
    expect(existsSync(`${own.file}-wal`)).to.equal(false);
    await own.dispose();
  });
});
