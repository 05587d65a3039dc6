import { expect } from 'chai';
import { desksOn } from '../../src/conformance/storage/shop.ts';
import type { OpenedStorage } from '../../src/conformance/storage/storage-under-test.ts';
import { PET_STATUSES } from '../../src/domain/pet-status.ts';
import { openPostgresqlStore } from '../support/postgresql-store.ts';
import { openSqliteStore } from '../support/sqlite-store.ts';

interface Store extends OpenedStorage {
  run(sql: string): Promise<unknown>;
  count(sql: string): Promise<number>;
}

const STORES: Readonly<Record<string, () => Promise<Store>>> = {
  SQLite: async () => {
    const store = await openSqliteStore();
    const first = (sql: string) => store.other.prepare(sql).get() as { n: number };
    return { ...store, run: async (sql) => store.other.exec(sql), count: async (sql) => first(sql).n };
  },
  PostgreSQL: async () => {
    const store = await openPostgresqlStore();
    return { ...store, run: (sql) => store.ask(sql), count: async (sql) => Number((await store.ask(sql))[0]?.['n']) };
  },
};

for (const [name, open] of Object.entries(STORES)) {
  describe(`The figures of the inventory summary on ${name}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
      await desksOn(store).categories.create({ name: 'Fish' });
      await desksOn(store).pets.createAll(PET_STATUSES.map((status) => ({ name: status, categoryId: 1, status })));
    });
    afterEach(() => store.dispose());

    it('follow every change of the stock, and no change that is rolled back', async () => {
      const { pets, stock, orders, auditor } = desksOn(store);
      await stock.count(1, 9);
      await orders.place({ petId: 1, quantity: 4, complete: true });
      await orders.place({ petId: 1, quantity: 5 });
      const { id } = await pets.create({ name: 'Guppy', categoryId: 1 });
      await pets.delete(id);
      await pets.change(2, { status: 'available' });
      await stock.count(99, 9).catch(() => undefined);
      const change = pets.createAll([
        ...Array(3).fill({ name: 'Molly', categoryId: 1 }),
        { name: 'Betta', categoryId: 7 },
      ]);
      await change.catch(() => undefined);

      expect(await store.reader.summary()).to.deep.equal({
        available: { pets: 1, units: 1 },
        pending: { pets: 1, units: 5 },
        sold: { pets: 1, units: 0 },
      });
      expect((await auditor.audit()).findings).to.deep.equal([]);
    });

    it('add up after many concurrent changes, in a limited number of rows', async () => {
      const { pets, stock, auditor } = desksOn(store);
      const created = await pets.createAll(Array.from({ length: 40 }, () => ({ name: 'Guppy', categoryId: 1 })));

      for (let round = 0; round < 30; round++) {
        await Promise.all(created.map(({ id }, i) => stock.count(id, (round * (i + 1)) % 7)));
      }

      expect((await auditor.audit()).findings).to.deep.equal([]);
      // Without any folding there would be two rows for each change that is one.
      expect(await store.count('select count(*) as n from stock_summary')).to.be.below(created.length * 30 * 2);
    });

    it('follow changes of other programs', async () => {
      await store.run(
        'update pets set quantity = 7 where id = 1; delete from movements; delete from pets where id = 3',
      );

      expect(await store.reader.summaryRecord()).to.deep.equal({
        stored: { available: { pets: 1, units: 7 }, pending: { pets: 1, units: 1 }, sold: { pets: 0, units: 0 } },
        counted: { available: { pets: 1, units: 7 }, pending: { pets: 1, units: 1 }, sold: { pets: 0, units: 0 } },
      });
    });

    it('that are wrong are found by an audit', async () => {
      await store.run("update stock_summary set units = units + 1 where status = 'sold'");

      expect((await desksOn(store).auditor.audit()).findings).to.deep.equal([
        { rule: 'summary_adds_up', message: 'the summary has 1 sold pets with 1 units, but there are 1 with 0' },
      ]);
    });
  });
}
