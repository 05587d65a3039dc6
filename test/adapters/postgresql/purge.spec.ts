import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import type { PostgresqlPool } from '../../../src/adapters/mikro-orm/postgresql/postgresql-pool.ts';
import { purgeMarkers } from '../../../src/adapters/mikro-orm/postgresql/purge.ts';
import { desksOn } from '../../../src/conformance/storage/shop.ts';
import { openPostgresqlStore, type PostgresqlStore } from '../../support/postgresql-store.ts';

const MINUTE_MS = 60_000;

describe('What grows in PostgreSQL', () => {
  let store: PostgresqlStore;
  let pool: PostgresqlPool;
  beforeEach(async () => {
    store = await openPostgresqlStore({
      between: (own) => {
        pool = own;
        return own;
      },
    });
  });
  afterEach(() => store.dispose());

  const record = { fingerprint: 'f', response: 'r', savedAt: 0 };
  const deleteExpired = () => store.work.write(({ idempotency }) => idempotency.deleteExpired(1, 2));
  const markers = async () => (await store.ask('select unit from commit_markers')).map(({ unit }) => unit);

  /** Another node purges until the returned function is called. */
  async function purgeElsewhere(): Promise<() => Promise<void>> {
    const other = new pg.Client({ connectionString: store.url });
    await other.connect();
    await other.query(`begin; select pg_advisory_xact_lock(${0x50555247})`);
    return () => other.end();
  }

  it('is purged step by step, of markers those that are an hour old by the clock of the database', async () => {
    await store.ask('delete from commit_markers');
    const [{ now } = { now: '' }] = await store.ask<{ now: string }>(
      'select cast(extract(epoch from now()) * 1000 as bigint) as now',
    );
    const [recent, hourOld] = [randomUUID(), randomUUID()];
    const add = 'insert into commit_markers (unit, at) values ($1, $2)';
    await store.ask(add, [recent, Number(now) - 55 * MINUTE_MS]);
    await store.ask(add, [hourOld, Number(now) - 61 * MINUTE_MS]);
    await store.ask('insert into commit_markers select gen_random_uuid(), n from generate_series(1, 12000) n');

    expect(await purgeMarkers(pool)).to.equal(12_001);

    expect(await markers()).to.deep.equal([recent]);
  });

  it('is purged by one node at a time', async () => {
    await store.ask('insert into commit_markers select gen_random_uuid(), n from generate_series(1, 3) n');
    await store.work.write(async ({ idempotency }) => {
      for (const id of ['a', 'b', 'c']) await idempotency.save(id, record);
    });
    const before = (await markers()).length;
    const end = await purgeElsewhere();

    expect([await purgeMarkers(pool), await deleteExpired()]).to.deep.equal([0, 0]);
    expect(await markers()).to.have.lengthOf.at.least(before);
    await end();

    expect([await purgeMarkers(pool), await deleteExpired(), await deleteExpired()]).to.deep.equal([3, 2, 1]);
  });

  it('has one marker for each transaction, however many units of work share it', async () => {
    const { categories } = desksOn(store);
    const before = (await markers()).length;
    await store.ask('alter table categories add transaction text default cast(pg_current_xact_id() as text)');

    await Promise.all(Array.from({ length: 30 }, (_, i) => categories.create({ name: `Shelf ${i}` })));

    const transactions = await store.ask('select distinct transaction from categories');
    await store.ask('alter table categories drop transaction');
    expect(await markers()).to.have.lengthOf(before + transactions.length);
    expect(transactions.length).to.be.below(30);
  });

  it('does not write the counters of rate limits to the log of the server', async () => {
    const [table] = await store.ask("select relpersistence from pg_class where relname = 'rate_limits'");

    expect(table).to.deep.equal({ relpersistence: 'u' });
  });

  it('does not include the ledger, which keeps every movement', async () => {
    const { categories, pets, stock } = desksOn(store);
    await categories.create({ name: 'Dogs' });
    await pets.create({ name: 'Rex', categoryId: 1 });
    for (const quantity of [5, 7]) await stock.count(1, quantity);
    await store.ask('update movements set at = 0');

    await purgeMarkers(pool);
    await deleteExpired();

    expect(await store.ask('select 1 from movements')).to.have.lengthOf(3);
  });
});
