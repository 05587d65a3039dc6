import { readFile } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { MikroOrmReader } from '../../../src/adapters/mikro-orm/reader.ts';
import { SqliteStorage } from '../../../src/adapters/mikro-orm/sqlite/storage.ts';
import { SqliteUnitOfWork } from '../../../src/adapters/mikro-orm/sqlite/unit-of-work.ts';
import { StorageUnavailable, type WriteScope } from '../../../src/application/ports/unit-of-work.ts';
import { InsufficientStock } from '../../../src/domain/refusals.ts';
import { type Desks, desksOn } from '../../conformance/storage/storage-under-test.ts';
import { failureOf, latch, yieldToEventLoop } from '../../support/promises.ts';
import { dumpOf, openSqliteStore, type SqliteStore } from '../../support/sqlite-store.ts';

/** How many times something was committed, by the frames in the write-ahead log that end a transaction (https://www.sqlite.org/fileformat2.html#walformat). */
async function commitsIn(log: string): Promise<number> {
  const bytes = await readFile(log);
  const pageSize = bytes.readUInt32BE(8);
  const salt = bytes.subarray(16, 24);
  let commits = 0;
  for (let frame = 32; frame < bytes.length; frame += 24 + pageSize) {
    if (!bytes.subarray(frame + 8, frame + 16).equals(salt)) break;
    if (bytes.readUInt32BE(frame + 4) !== 0) commits += 1;
  }
  return commits;
}

describe('Units of work on SQLite', () => {
  let store: SqliteStore;
  let desks: Desks;

  /** Pet 1 has 1,000 units. */
  async function openShop(limits: { busy?: number } = {}): Promise<void> {
    store = await openSqliteStore({ ...limits, synchronous: 'full' });
    desks = desksOn(store);
    await desks.categories.create({ name: 'Dogs' });
    await desks.pets.create({ name: 'Rex', categoryId: 1 });
    await desks.stock.count(1, 1_000);
  }

  const order = (quantity = 1) => desks.orders.place({ petId: 1, quantity });

  afterEach(() => store.dispose());

  describe('that arrive together', () => {
    beforeEach(() => openShop());

    it('share a commit: 64 orders at once take a few commits', async () => {
      store.other.pragma('wal_checkpoint(truncate)');

      await Promise.all(Array.from({ length: 64 }, () => order()));

      expect(await commitsIn(`${store.file}-wal`)).to.be.within(1, 8);
      expect(store.other.prepare('select count(*) as n from orders').get()).to.deep.equal({ n: 64 });
    });

    it('are rejected if their signal is aborted before that commit, and the others are committed', async () => {
      const controller = new AbortController();
      const reason = new Error('too late');
      const first = failureOf(desks.orders.place({ petId: 1, quantity: 500 }, controller));
      const second = store.work.write(async () => controller.abort(reason));

      const { id } = await order();

      expect(await first).to.equal(reason);
      await second;
      expect(store.other.prepare('select id, quantity from orders').all()).to.deep.equal([{ id, quantity: 1 }]);
      expect((await store.reader.inventoryItem(1))?.reserved).to.equal(1);
    });

    it('take one commit each when each waits for the previous one', async () => {
      store.other.pragma('wal_checkpoint(truncate)');

      for (let i = 0; i < 5; i++) await order();

      expect(await commitsIn(`${store.file}-wal`)).to.equal(5);
    });

    it('are committed and visible before their promises resolve', async () => {
      const seen = (id: number) => store.other.prepare('select id from orders where id = ?').get(id) !== undefined;

      const answered = await Promise.all(Array.from({ length: 64 }, () => order().then(({ id }) => seen(id))));

      expect(answered).not.to.include(false);
    });

    it('all run in the order of their arrival when they do not fit into one commit', async () => {
      const ids = await Promise.all(Array.from({ length: 600 }, () => order().then(({ id }) => id)));

      expect(ids).to.deep.equal(Array.from({ length: 600 }, (_, i) => i + 1));
    });

    it('are not affected by those that are refused or fail', async () => {
      const broken = new Error('broken');

      const outcomes = await Promise.allSettled(
        Array.from({ length: 30 }, (_, i) => {
          if (i % 3 === 0) return order();
          if (i % 3 === 1) return order(5_000);
          return store.work.write(async ({ categories }) => {
            await categories.delete(1).catch(() => undefined);
            throw broken;
          });
        }),
      );

      for (const [i, outcome] of outcomes.entries()) {
        if (i % 3 === 0) expect(outcome.status).to.equal('fulfilled');
        else if (i % 3 === 1) expect(outcome).to.have.property('reason').that.is.instanceOf(InsufficientStock);
        else expect(outcome).to.have.property('reason', broken);
      }
      expect(await store.reader.inventoryItem(1)).to.include({ reserved: 10 });
    });
  });

  describe('each alone in its transaction', () => {
    beforeEach(() => openShop());

    const rename = async ({ categories }: WriteScope) => {
      const dogs = await categories.lock(1);
      dogs?.rename('Hounds');
      if (dogs) await categories.save(dogs);
    };

    it('store nothing when they fail after their statements, and those that arrived meanwhile are kept', async () => {
      const broken = new Error('broken');
      const before = dumpOf(store.other);
      let meanwhile: Promise<unknown> | undefined;

      const refusal = await failureOf(
        store.work.write(async (scope) => {
          await rename(scope);
          meanwhile = order();
          await yieldToEventLoop(3);
          throw broken;
        }),
      );
      const after = dumpOf(store.other);
      const placed = await meanwhile;

      expect(refusal).to.equal(broken);
      expect(after).to.deep.equal(before);
      expect(placed).to.include({ id: 1 });
      expect(await store.reader.category(1)).to.include({ name: 'Dogs' });
      expect((await desks.auditor.audit()).findings).to.deep.equal([]);
    });

    it('store nothing when they are aborted after their last statement, and the next one is kept', async () => {
      const controller = new AbortController();
      const reason = new Error('too late');
      const before = dumpOf(store.other);
      let used: WriteScope | undefined;

      const refusal = await failureOf(
        store.work.write(async (scope) => {
          used = scope;
          await rename(scope);
          controller.abort(reason);
        }, controller),
      );

      expect(refusal).to.equal(reason);
      expect(await failureOf(used?.categories.lock(1) ?? Promise.resolve())).to.match(/has ended/);
      expect(dumpOf(store.other)).to.deep.equal(before);
      expect(await order()).to.include({ id: 1 });
    });

    it('keep what they did around a statement that failed, if they continue after it', async () => {
      const failure = await store.work.write(async (scope) => {
        await rename(scope);
        return failureOf(scope.categories.delete(1));
      });

      expect(failure).to.have.property('message', 'FOREIGN KEY constraint failed');
      expect(await store.reader.category(1)).to.include({ name: 'Hounds' });
    });

    it('commit nothing when they are refused', async () => {
      store.other.pragma('wal_checkpoint(truncate)');

      for (let i = 0; i < 3; i++) expect(await failureOf(order(5_000))).to.be.instanceOf(InsufficientStock);
      await order();

      expect(await commitsIn(`${store.file}-wal`)).to.equal(1);
    });
  });

  it('that are aborted do not affect the others of the same commit', async () => {
    await openShop();
    const reason = new Error('too late');
    const never = () => {
      const controller = new AbortController();
      return store.work.write(() => {
        setImmediate(() => controller.abort(reason));
        return new Promise<never>(() => {});
      }, controller);
    };

    const outcomes = await Promise.allSettled([order(), never(), order(), never(), order()]);

    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    for (const at of [1, 3]) expect(outcomes[at]).to.have.property('reason', reason);
    expect(await store.reader.countOrders({})).to.equal(3);
  });

  it('are invisible before they have ended, and block no reader', async () => {
    await openShop();
    const before = dumpOf(store.other);
    const worked = latch();
    const mayEnd = latch();

    const underWay = store.work.write(async ({ categories }) => {
      const dogs = await categories.lock(1);
      dogs?.rename('Hounds');
      if (dogs) await categories.save(dogs);
      worked.open();
      await mayEnd.opened;
    });
    await worked.opened;
    const meanwhile = { dump: dumpOf(store.other), category: await store.reader.category(1) };
    mayEnd.open();
    await underWay;

    expect(meanwhile).to.deep.equal({ dump: before, category: { id: 1, name: 'Dogs' } });
    expect(await store.reader.category(1)).to.include({ name: 'Hounds' });
    expect(store.other.prepare('select name from categories').get()).to.deep.equal({ name: 'Hounds' });
  });

  describe('beside another program that writes to the file', () => {
    it('see what it wrote, and continue after its identifiers', async () => {
      await openShop();
      await order();
      store.other.exec(`
        update pets set reserved = 51 where id = 1;
        insert into orders values (70, 1, 50, null, 0);
        insert into movements (pet_id, kind, quantity, reserved, order_id, at) values (1, 'reserved', 0, 50, 70, 0);`);

      expect(await desks.orders.get(70)).to.include({ quantity: 50 });
      expect(await order(949)).to.include({ id: 71 });
      expect(await failureOf(order())).to.have.property('code', 'pet_not_available');
      expect((await desks.auditor.audit()).findings).to.deep.equal([]);
    });

    it('wait while it holds the lock, do not block readers, and then run', async () => {
      await openShop();
      store.other.exec('begin immediate');
      let settled = false;

      const placed = Promise.all([order(), order()]).finally(() => {
        settled = true;
      });
      await yieldToEventLoop(20);
      expect(await store.reader.inventoryItem(1)).to.include({ reserved: 0 });
      expect(settled).to.equal(false);
      store.other.exec(
        "update pets set quantity = 2 where id = 1; insert into movements (pet_id, kind, quantity, reserved, at) values (1, 'counted', -998, 0, 0); commit",
      );
      await placed;

      expect(await store.reader.inventoryItem(1)).to.deep.equal({
        petId: 1,
        quantity: 2,
        reserved: 2,
        status: 'pending',
      });
      expect((await desks.auditor.audit()).findings).to.deep.equal([]);
    });

    it('reject with StorageUnavailable when it keeps the lock, and change nothing', async () => {
      await openShop({ busy: 60 });
      const before = dumpOf(store.other);
      store.other.exec('begin immediate');

      const refusals = await Promise.all([
        failureOf(order()),
        failureOf(order()),
        failureOf(desks.categories.create({ name: 'Cats' })),
      ]);
      store.other.exec('rollback');

      for (const refusal of refusals) expect(refusal).to.be.instanceOf(StorageUnavailable);
      expect(dumpOf(store.other)).to.deep.equal(before);
      expect(await order()).to.include({ id: 1 });
    });

    it('sell no more than the stock when two stores sell from the same file', async () => {
      await openShop();
      const work = new SqliteUnitOfWork();
      const reader = new MikroOrmReader();
      const storage = new SqliteStorage({ file: store.file, synchronous: 'normal' }, work, reader);
      await storage.open();
      await desks.stock.count(1, 150);
      const others = desksOn({ work, reader });

      const outcomes = await Promise.allSettled(
        Array.from({ length: 200 }, (_, i) => (i % 2 ? desks : others).orders.place({ petId: 1, quantity: 1 })),
      );
      await storage.close();

      expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(150);
      expect(await store.reader.inventoryItem(1)).to.include({ quantity: 150, reserved: 150 });
      expect((await desks.auditor.audit()).findings).to.deep.equal([]);
    });

    it('leave it a sound file', async () => {
      await openShop();
      await order();
      await store.storage.close();
      const alone = new Database(store.file);
      try {
        expect(alone.pragma('integrity_check', { simple: true })).to.equal('ok');
        expect(alone.pragma('foreign_key_check')).to.deep.equal([]);
      } finally {
        alone.close();
      }
    });
  });
});
