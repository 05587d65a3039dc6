import { InMemoryEventLog } from '../../../src/adapters/in-memory/event-log.ts';
import { InMemoryReader } from '../../../src/adapters/in-memory/reader.ts';
import { InMemoryStorage } from '../../../src/adapters/in-memory/storage.ts';
import { InMemoryStore } from '../../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../../src/adapters/in-memory/unit-of-work.ts';
import type { StorageUnderTest } from '../../../src/conformance/storage/storage-under-test.ts';

export const storage: StorageUnderTest = {
  async open() {
    const store = new InMemoryStore();
    const storage = new InMemoryStorage(store);
    const work = new InMemoryUnitOfWork(store);
    const reader = new InMemoryReader(store);
    const eventLog = new InMemoryEventLog(store);
    return { work, reader, eventLog, storage, dispose: () => storage.close() };
  },
  gaps: { openAgain: 'Its data is lost when it is closed.', unopened: 'It stores nothing outside of its process.' },
};
