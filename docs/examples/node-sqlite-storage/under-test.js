import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, Database } from './database.js';
import { AcmeReader } from './reader.js';
import { AcmeUnitOfWork } from './unit-of-work.js';

/** The storage that the kit checks: `petstore conformance ./under-test.js`. */
export const storage = {
  async open({ workLimit } = { workLimit: 15_000 }) {
    const folder = await mkdtemp(join(tmpdir(), 'acme-'));
    const opened = await openAt(join(folder, 'acme.db'), workLimit);
    const dispose = async () => {
      await opened.dispose();
      await rm(folder, { recursive: true });
    };
    return { ...opened, dispose };
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

async function openAt(path, workLimit, options) {
  const database = new Database(path);
  await database.open(options);
  return {
    work: new AcmeUnitOfWork(database, workLimit),
    reader: new AcmeReader(database),
    storage: database,
    workLimit,
    async events() {
      const events = ask(database.connections.reader, 'SELECT id, row FROM events ORDER BY id');
      return events.map(({ id, row }) => {
        const { type, data, at } = JSON.parse(row);
        return { position: id, type, data, at };
      });
    },
    openAgain: (options) => openAt(path, workLimit, options),
    dispose: () => database.close(),
  };
}
