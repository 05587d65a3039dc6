import { join } from 'node:path';
import { MikroORM } from '@mikro-orm/sqlite';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { MikroOrmReader } from '../../../src/adapters/mikro-orm/reader.ts';
import { migrations } from '../../../src/adapters/mikro-orm/sqlite/migrations.ts';
import { connectionTo, SqliteStorage } from '../../../src/adapters/mikro-orm/sqlite/storage.ts';
import { SqliteUnitOfWork } from '../../../src/adapters/mikro-orm/sqlite/unit-of-work.ts';
import { requestIdOf } from '../../support/request-id.ts';
import { freshFolder } from '../../support/temporary.ts';

describe('A file whose idempotency records are identified by three texts', () => {
  const folder = freshFolder();

  it('has each of them under its request id after it was opened', async () => {
    const file = join(folder(), 'petstore.db');
    const settings = connectionTo(file);
    const first = migrations.slice(0, 2);
    const orm = await MikroORM.init({ ...settings, migrations: { ...settings.migrations, migrationsList: first } });
    await orm.migrator.up();
    await orm.close(true);
    const database = new Database(file);
    const add = database.prepare(
      'insert into outcomes (caller, operation, key, fingerprint, answer, at) values (?, ?, ?, ?, ?, ?)',
    );
    add.run('key:1', 'post /pets', 'k-1', 'f-1', '{"name":"Zoë"}', 1_000);
    add.run('anonymous', 'post /store/orders', '"\\', 'f-2', '', 2_000);
    database.close();

    const work = new SqliteUnitOfWork();
    const storage = new SqliteStorage({ file, synchronous: 'normal' }, work, new MikroOrmReader());
    await storage.open();

    const lock = (...request: Parameters<typeof requestIdOf>) =>
      work.write(({ idempotency }) => idempotency.lock(requestIdOf(...request)));
    expect(await lock('key:1', 'post /pets', 'k-1')).to.deep.equal({
      fingerprint: 'f-1',
      response: '{"name":"Zoë"}',
      savedAt: 1_000,
    });
    expect(await lock('anonymous', 'post /store/orders', '"\\')).to.deep.equal({
      fingerprint: 'f-2',
      response: '',
      savedAt: 2_000,
    });
    expect(await lock('key:2', 'post /pets', 'k-1')).to.equal(undefined);
    await storage.close();
  });
});
