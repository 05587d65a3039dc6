import type { Isolation } from '../../src/adapters/mikro-orm/postgresql/unit-of-work.ts';
import type { OpenStorage } from '../../src/conformance/storage/storage-under-test.ts';
import { storageSuite } from '../../src/conformance/storage-suite.ts';
import { openPostgresqlStore, openWarmStore } from '../support/postgresql-store.ts';

for (const isolation of ['read committed', 'serializable'] as const satisfies Isolation[]) {
  const open: OpenStorage = (settings) =>
    settings ? openPostgresqlStore({ work: settings.workLimit, isolation }) : openWarmStore(isolation);

  describe(`The MikroORM adapter on PostgreSQL (${isolation})`, () =>
    storageSuite({ open }, { describe, it, beforeEach, afterEach }));
}
