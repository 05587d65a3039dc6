import type { Isolation } from '../../src/adapters/mikro-orm/postgresql/unit-of-work.ts';
import { openPostgresqlStore } from '../support/postgresql-store.ts';
import { storageContract } from './storage-contract.ts';

for (const isolation of ['read committed', 'serializable'] as const satisfies Isolation[]) {
  storageContract(
    `The MikroORM adapter on PostgreSQL (${isolation})`,
    ({ workLimit } = { workLimit: 15_000 }) => openPostgresqlStore({ work: workLimit, isolation }),
    {},
  );
}
