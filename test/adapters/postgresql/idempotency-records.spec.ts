import { createHash } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';
import { expect } from 'chai';
import { connectionTo } from '../../../src/adapters/mikro-orm/postgresql/connections.ts';
import { migrations } from '../../../src/adapters/mikro-orm/postgresql/migrations.ts';
import { postgresServer } from '../../support/postgres-server.ts';
import { openStoreIn } from '../../support/postgresql-store.ts';
import { requestIdOf } from '../../support/request-id.ts';

describe('A database of PostgreSQL whose idempotency records are named by three texts', () => {
  it('has each of them under the id of its request when it was opened', async () => {
    const url = await postgresServer.makeDatabase();
    const settings = connectionTo({ url, pool: 1, work: 15_000 });
    const first = migrations.slice(0, 1);
    const orm = await MikroORM.init({ ...settings, migrations: { ...settings.migrations, migrationsList: first } });
    await orm.migrator.up();
    await orm.close(true);
    // Texts whose digests have every character that base64 and base64url write differently.
    const requests = Array.from({ length: 20 }, (_, i) => ['key:1', 'post /pets', `k-${i}`] as const);
    for (const request of requests) {
      const digest = createHash('sha256').update(JSON.stringify(request)).digest();
      await postgresServer.askAgain(
        url,
        'insert into outcomes (request, fingerprint, answer, at) values ($1, $2, $3, $4)',
        [digest, Buffer.from('f'), Buffer.from(`{"name":"Zoë","key":"${request[2]}"}`), 1_000],
      );
    }

    const store = await openStoreIn(url);

    for (const request of requests) {
      const record = await store.work.write(({ idempotency }) => idempotency.lock(requestIdOf(...request)));
      expect(record).to.deep.equal({
        fingerprint: 'f',
        response: `{"name":"Zoë","key":"${request[2]}"}`,
        savedAt: 1_000,
      });
    }
    await store.dispose();
  });

  it('reads bytes in both forms in which a server writes them', async () => {
    const url = await postgresServer.makeStore();
    const store = await openStoreIn(url);
    await store.ask(
      `do $$ begin execute format('alter database %I set bytea_output = escape', current_database()); end $$`,
    );
    await store.storage.close();
    const again = await openStoreIn(url);
    const record = { fingerprint: 'a\\b\\\\c', response: '\u0000\u0001é\u{1f600}\\x41\\101', savedAt: 1 };

    await again.work.write(({ idempotency }) => idempotency.save('request-1', record));

    expect(await again.work.write(({ idempotency }) => idempotency.lock('request-1'))).to.deep.equal(record);
    await again.ask(`do $$ begin execute format('alter database %I reset bytea_output', current_database()); end $$`);
    await again.dispose();
  });
});
