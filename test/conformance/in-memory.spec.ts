import { InMemoryReader } from '../../src/adapters/in-memory/reader.ts';
import { InMemoryStorage } from '../../src/adapters/in-memory/storage.ts';
import { InMemoryStore } from '../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../src/adapters/in-memory/unit-of-work.ts';
import { storageContract } from './storage-contract.ts';

storageContract('The in-memory adapter', async ({ workLimit } = { workLimit: 15_000 }) => {
  const store = new InMemoryStore();
  const storage = new InMemoryStorage(store);
  await storage.open();
  return {
    work: new InMemoryUnitOfWork(store, workLimit),
    reader: new InMemoryReader(store),
    storage,
    workLimit,
    events: async () => store.events,
    dispose: () => storage.close(),
  };
});
