import type { Isolation } from '../../src/adapters/mikro-orm/postgresql/unit-of-work.ts';
import { openPostgresqlStore, openWarmStore } from '../support/postgresql-store.ts';
import { storageContract } from './storage-contract.ts';

for (const isolation of ['read committed', 'serializable'] as const satisfies Isolation[]) {
  storageContract(
    `The MikroORM adapter on PostgreSQL (${isolation})`,
    (settings) => (settings ? openPostgresqlStore({ work: settings.workLimit, isolation }) : openWarmStore(isolation)),
    {},
  );
}
