import { randomUUID } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';
import { expect } from 'chai';
import { connectionTo } from '../../../src/adapters/mikro-orm/postgresql/connections.ts';
import { migrations } from '../../../src/adapters/mikro-orm/postgresql/migrations.ts';
import { desksOn, eventsIn } from '../../../src/conformance/storage/shop.ts';
import { postgresServer } from '../../support/postgres-server.ts';
import { openStoreIn } from '../../support/postgresql-store.ts';

describe('A database of PostgreSQL in which every event names its unit of work', () => {
  it('keeps its events, markers and counters when it is opened', async () => {
    const url = await postgresServer.makeDatabase();
    const settings = connectionTo({ url, pool: 1, work: 15_000 });
    const last = migrations.findIndex(({ name }) => name === '2026-11-22-commit-in-groups-on-postgresql');
    const migrationsList = migrations.slice(0, last);
    const orm = await MikroORM.init({ ...settings, migrations: { ...settings.migrations, migrationsList } });
    await orm.migrator.up();
    await orm.close(true);
    const unit = randomUUID();
    const event = "insert into events (transaction, unit, type, data, at) values (1, $1, 'category.created', '{}', 5)";
    await postgresServer.askAgain(url, event, [unit]);
    await postgresServer.askAgain(url, 'insert into commit_markers (unit, at) values ($1, 5)', [unit]);
    await postgresServer.askAgain(url, "insert into rate_limits (key, points) values ('caller', 3)", []);

    const store = await openStoreIn(url);
    await desksOn(store).categories.create({ name: 'Dogs' });

    expect((await eventsIn(store)).map(({ position, type }) => ({ position, type }))).to.deep.equal([
      { position: 1, type: 'category.created' },
      { position: 2, type: 'category.created' },
    ]);
    expect(await store.ask('select unit from commit_markers where unit = $1', [unit])).to.have.lengthOf(1);
    expect(await store.ask('select key, points from rate_limits')).to.deep.equal([{ key: 'caller', points: 3 }]);
    await store.dispose();
    await postgresServer.drop(url);
  });
});
