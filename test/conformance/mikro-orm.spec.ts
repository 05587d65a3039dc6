import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { MikroOrmReader } from '../../src/adapters/mikro-orm/reader.ts';
import { SqliteEventLog } from '../../src/adapters/mikro-orm/sqlite/event-log.ts';
import { SqliteStorage } from '../../src/adapters/mikro-orm/sqlite/storage.ts';
import { SqliteUnitOfWork } from '../../src/adapters/mikro-orm/sqlite/unit-of-work.ts';
import type { OpenOptions } from '../../src/application/ports/storage.ts';
import type {
  OpenedStorage,
  StorageUnderTest,
  UnopenedStorage,
} from '../../src/conformance/storage/storage-under-test.ts';
import { storageSuite } from '../../src/conformance/storage-suite.ts';
import { openSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

/** Opens the file of a store once more, as another process does. */
async function openAgain({ file }: SqliteStore, options?: OpenOptions): Promise<OpenedStorage> {
  const work = new SqliteUnitOfWork();
  const reader = new MikroOrmReader();
  const eventLog = new SqliteEventLog();
  const storage = new SqliteStorage({ file, synchronous: 'normal' }, work, reader, eventLog);
  await storage.open(options);
  return { work, reader, eventLog, storage, dispose: () => storage.close() };
}

async function unopened(content: 'nothing' | 'something foreign'): Promise<UnopenedStorage> {
  const folder = await temporaryFolder();
  const file = join(folder, 'petstore.db');
  if (content === 'something foreign') {
    const foreign = new Database(file);
    foreign.exec("create table letters (text); insert into letters values ('Dear customer')");
    foreign.close();
  }
  const storage = new SqliteStorage({ file, synchronous: 'normal' }, new SqliteUnitOfWork(), new MikroOrmReader());
  return {
    storage,
    content: async () =>
      Promise.all((await readdir(folder)).map(async (name) => [name, await readFile(join(folder, name), 'base64')])),
    async dispose() {
      await storage.close();
      await removeFolder(folder);
    },
  };
}

const target: StorageUnderTest = {
  unopened,
  async open() {
    const store = await openSqliteStore();
    return { ...store, openAgain: (options) => openAgain(store, options) };
  },
};

describe('The MikroORM adapter on SQLite', () => storageSuite(target, { describe, it, beforeEach, afterEach }));
