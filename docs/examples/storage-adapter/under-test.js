import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from './database.js';
import { AcmeEventLog } from './event-log.js';
import { AcmeReader } from './reader.js';
import { AcmeUnitOfWork } from './unit-of-work.js';

/** The storage as the conformance kit opens it: each time an empty one, in a folder of its own. */
export const storage = {
  async open() {
    const folder = await mkdtemp(join(tmpdir(), 'acme-'));
    const opened = await openFile(join(folder, 'acme.db'));
    return {
      ...opened,
      async dispose() {
        await opened.dispose();
        await rm(folder, { recursive: true });
      },
    };
  },

  async unopened(content) {
    const folder = await mkdtemp(join(tmpdir(), 'acme-'));
    const path = join(folder, 'acme.db');
    if (content === 'something foreign') await writeFile(path, 'This is a letter, and not a database.');
    const database = new Database(path);
    return {
      storage: database,
      content: async () =>
        Promise.all((await readdir(folder)).map(async (name) => [name, await readFile(join(folder, name))])),
      async dispose() {
        await database.close();
        await rm(folder, { recursive: true });
      },
    };
  },
};

async function openFile(path, options) {
  const database = new Database(path);
  await database.open(options);
  return {
    work: new AcmeUnitOfWork(database),
    reader: new AcmeReader(database),
    eventLog: new AcmeEventLog(database),
    storage: database,
    openAgain: (options) => openFile(path, options),
    dispose: () => database.close(),
  };
}
