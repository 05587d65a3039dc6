import { MikroOrmReader } from '../../src/adapters/mikro-orm/reader.ts';
import { SqliteStorage } from '../../src/adapters/mikro-orm/sqlite/storage.ts';
import { SqliteUnitOfWork } from '../../src/adapters/mikro-orm/sqlite/unit-of-work.ts';
import type { OpenOptions } from '../../src/application/ports/storage.ts';
import type { OpenedStorage, StorageUnderTest } from '../../src/conformance/storage/storage-under-test.ts';
import { storageSuite } from '../../src/conformance/storage-suite.ts';
import { openSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';

/** Opens the file of a store once more, as another process does. */
async function openAgain({ file, events }: SqliteStore, options?: OpenOptions): Promise<OpenedStorage> {
  const work = new SqliteUnitOfWork();
  const reader = new MikroOrmReader();
  const storage = new SqliteStorage({ file, synchronous: 'normal' }, work, reader);
  await storage.open(options);
  return { work, reader, storage, events, dispose: () => storage.close() };
}

const target: StorageUnderTest = {
  async open({ workLimit } = { workLimit: 15_000 }) {
    const store = await openSqliteStore({ work: workLimit });
    return { ...store, openAgain: (options) => openAgain(store, options) };
  },
};

describe('The MikroORM adapter on SQLite', () => storageSuite(target, { describe, it, beforeEach, afterEach }));
