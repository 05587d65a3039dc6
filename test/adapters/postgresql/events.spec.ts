import { expect } from 'chai';
import pg from 'pg';
import type { StoredEvent } from '../../../src/application/ports/event-log.ts';
import { desksOn, eventsIn } from '../../../src/conformance/storage/shop.ts';
import { mayStopServers, PostgresServer } from '../../support/postgres-server.ts';
import { openPostgresqlStore, openStoreIn, type PostgresqlStore } from '../../support/postgresql-store.ts';
import { yieldToEventLoop } from '../../support/promises.ts';
import { ReplicatedPostgres } from '../../support/replicated-postgres.ts';

const idsIn = (events: readonly StoredEvent[]) => events.map(({ data }) => ('id' in data ? data.id : data.petId));

/** A transaction that has appended an event and is not committed. Returns a function that commits it. */
async function holdOpen(url: string, id: number): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin');
  const sql = "insert into outbox (type, data, at) values ('category.deleted', $1, 0)";
  await holder.query(sql, [JSON.stringify({ id, name: 'Held' })]);
  return async () => {
    await holder.query('commit');
    await holder.end();
  };
}

/** Reads on and on after the last position that it has seen, until there are as many events. */
async function follow({ eventLog }: Pick<PostgresqlStore, 'eventLog'>, count: number): Promise<StoredEvent[]> {
  const seen: StoredEvent[] = [];
  for (let after = 0; seen.length < count; ) {
    const { events, position } = await eventLog.read({ after, limit: 7 });
    seen.push(...events);
    after = position;
  }
  return seen;
}

describe('Positions of events on PostgreSQL', () => {
  let store: PostgresqlStore;

  describe('on one server', () => {
    beforeEach(async () => {
      store = await openPostgresqlStore();
    });
    afterEach(() => store.dispose());

    it('are greater than every one that was seen before, although a transaction began earlier', async () => {
      const commit = await holdOpen(store.url, 100);
      await desksOn(store).categories.create({ name: 'Dogs' });
      const seen = await store.eventLog.read({ limit: 9 });
      expect(idsIn(seen.events)).to.deep.equal([1]);

      await commit();

      const later = await store.eventLog.read({ after: seen.position, limit: 9 });
      expect(idsIn(later.events)).to.deep.equal([100]);
      expect(later.events[0]?.position).to.be.above(seen.last);
      expect(idsIn(await eventsIn(store))).to.deep.equal([1, 100]);
    });

    it('do not wait for a transaction that is open for long', async () => {
      const commits = [await holdOpen(store.url, 100), await holdOpen(store.url, 101)];
      const { categories } = desksOn(store);
      for (const name of ['Dogs', 'Cats', 'Fish']) await categories.create({ name });

      expect(idsIn(await eventsIn(store))).to.deep.equal([1, 2, 3]);
      for (const commit of commits.toReversed()) await commit();
      expect(idsIn(await eventsIn(store))).to.deep.equal([1, 2, 3, 100, 101]);
    });

    it('are complete and in order for consumers on every node while all nodes write', async () => {
      const other = await openStoreIn(store.url);
      const names = Array.from({ length: 60 }, (_, i) => `Shelf ${i}`);
      const consumers = [follow(store, 60), follow(other, 60)];

      await Promise.all(names.map((name, i) => desksOn(i % 2 ? store : other).categories.create({ name })));

      const all = await eventsIn(store);
      expect(all).to.have.lengthOf(60);
      for (const consumer of consumers) expect(await consumer).to.deep.equal(all);
      await other.dispose();
    });

    it('are assigned to events of a node that ended before it could do so, and their readers are told', async () => {
      const { promise: told, resolve } = Promise.withResolvers<void>();
      const end = store.eventLog.subscribe(() => {
        void store.eventLog.range().then(({ last }) => last > 0 && resolve());
      });

      await (await holdOpen(store.url, 100))();
      await told;

      expect(idsIn(await eventsIn(store))).to.deep.equal([100]);
      end();
    });

    it('are announced to other nodes by a notification, also after that connection was lost', async () => {
      const listening =
        "select pid from pg_stat_activity where query = 'listen petstore_events' and datname = current_database()";
      const other = await openStoreIn(store.url);
      let calls = 0;
      const end = other.eventLog.subscribe(() => (calls += 1));
      while ((await store.ask(listening)).length === 0) await yieldToEventLoop();

      for (const name of ['Dogs', 'Cats']) {
        const before = calls;
        await desksOn(store).categories.create({ name });
        while (calls === before) await yieldToEventLoop();
        const cut = `select pg_terminate_backend(pid) from (${listening}) as listeners`;
        await store.ask(cut);
      }

      expect(idsIn(await eventsIn(other))).to.deep.equal([1, 2]);
      end();
      await other.dispose();
      while ((await store.ask(listening)).length > 0) await yieldToEventLoop();
    });
  });

  it('survive a dump and restore into a new cluster, with events that had none yet', async function () {
    if (!mayStopServers) this.skip();
    const cluster = new PostgresServer();
    store = await openPostgresqlStore();
    try {
      const { categories } = desksOn(store);
      for (const name of ['Dogs', 'Cats', 'Fish', 'Birds']) await categories.create({ name });
      await store.work.write(({ outbox }) => outbox.purge({ before: 0, upTo: 1 }, 9));
      const before = await eventsIn(store);
      await store.storage.close();
      await (await holdOpen(store.url, 100))();

      // As pg_dump and pg_restore do: the rows of every table, and the state of the sequences.
      const url = await cluster.makeStore();
      for (const table of ['categories', 'events', 'event_purges', 'outbox']) {
        const [row] = await store.ask<{ rows: unknown }>(`select json_agg(t) as rows from ${table} as t`);
        await cluster.askAgain(url, `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [
          JSON.stringify(row?.rows ?? []),
        ]);
      }
      const sequences = await store.ask<{ name: string; last: string }>(
        'select sequencename as name, last_value as last from pg_sequences where last_value is not null',
      );
      for (const { name, last } of sequences) await cluster.askAgain(url, 'select setval($1, $2)', [name, last]);
      const restored = await openStoreIn(url);

      const { categories: again } = desksOn(restored);
      await again.create({ name: 'Reptiles' });
      const after = await eventsIn(restored);
      expect(before).to.have.lengthOf(3);
      expect(after.slice(0, 3)).to.deep.equal(before);
      expect(idsIn(after.slice(3))).to.deep.equal([100, 5]);
      expect(after[3]?.position).to.be.above(before.at(-1)?.position ?? 0);
      await restored.dispose();
    } finally {
      await store.dispose();
      await cluster.remove();
    }
  });

  describe('on a replica', () => {
    let servers: ReplicatedPostgres;
    before(async function () {
      if (!mayStopServers) this.skip();
      servers = await ReplicatedPostgres.start('asynchronous');
    });
    after(() => servers?.remove());

    it('are complete and in order, although transactions overlap', async () => {
      store = await openStoreIn(servers.url, { replicas: [servers.urlOf('standby')] });
      await desksOn(store).categories.create({ name: 'First' });
      const consumer = follow(store, 32);
      await servers.receivedBy('standby');
      const commit = await holdOpen(servers.urlOf('primary'), 100);

      await Promise.all(Array.from({ length: 30 }, (_, i) => desksOn(store).categories.create({ name: `Shelf ${i}` })));
      const seen = await store.eventLog.range();
      await commit();

      const all = await eventsIn(store);
      expect(await consumer).to.deep.equal(all);
      expect(idsIn(all).at(-1)).to.equal(100);
      expect(all.at(-1)?.position).to.be.above(seen.last);
      expect(
        (await servers.receivedBy('standby')).filter((text) => text.startsWith('select purges.purged')),
      ).not.to.deep.equal([]);
      await store.storage.close();
    });
  });
});
