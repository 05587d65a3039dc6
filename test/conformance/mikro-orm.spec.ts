import { openSqliteStore } from '../support/sqlite-store.ts';
import { storageContract } from './storage-contract.ts';

storageContract('The MikroORM adapter on SQLite', ({ workLimit } = { workLimit: 15_000 }) =>
  openSqliteStore({ work: workLimit }),
);
