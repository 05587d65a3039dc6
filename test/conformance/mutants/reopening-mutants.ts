import { Mutex } from '../../../src/adapters/in-memory/mutex.ts';
import { InMemoryReader } from '../../../src/adapters/in-memory/reader.ts';
import { InMemoryStorage } from '../../../src/adapters/in-memory/storage.ts';
import { InMemoryStore } from '../../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../../src/adapters/in-memory/unit-of-work.ts';
import type { InventoryView } from '../../../src/application/ports/reader.ts';
import type { OpenOptions, Storage } from '../../../src/application/ports/storage.ts';
import { StorageUnavailable } from '../../../src/application/ports/unit-of-work.ts';
import type { OpenedStorage, StorageUnderTest } from '../../../src/conformance/storage/storage-under-test.ts';
import type { StockRecord } from '../../../src/domain/audit.ts';
import { altered, type Mutant, writing } from './mutant-storage.ts';

/** How one opening of a store sees it. */
type Look = (store: InMemoryStore, opening: number, workLimit: number) => Pick<OpenedStorage, 'work' | 'reader'>;

const honest: Look = (store, _, workLimit) => ({
  work: new InMemoryUnitOfWork(store, workLimit),
  reader: new InMemoryReader(store),
});

/** One opening of a store that outlives it: closing ends its units of work, and then its ports reject every call. */
function opening({ work, reader }: Pick<OpenedStorage, 'work' | 'reader'>) {
  let isClosed = false;
  const running = new Set<Promise<unknown>>();
  const assertOpen = () => {
    if (isClosed) throw new StorageUnavailable('This opening was closed.');
  };
  const storage = altered<Storage>(new InMemoryStorage(new InMemoryStore()), {
    open: async () => undefined,
    check: async () => assertOpen(),
    async close() {
      isClosed = true;
      await Promise.allSettled(running);
    },
  });
  return {
    storage,
    work: writing(async (act) => {
      assertOpen();
      const unit = work.write(act);
      running.add(unit);
      return unit.finally(() => running.delete(unit));
    }),
    reader: new Proxy(reader, {
      get(_, name) {
        const member: unknown = Reflect.get(reader, name, reader);
        if (typeof member !== 'function') return member;
        if (name === 'stockRecords') {
          return async function* () {
            assertOpen();
            yield* member.call(reader) as AsyncIterable<StockRecord>;
          };
        }
        return async (...facts: unknown[]) => {
          assertOpen();
          return member.apply(reader, facts) as unknown;
        };
      },
    }),
  };
}

/** A storage in memory that can be opened as often as one likes. */
export function reopenable(
  look: Look = honest,
  storeFor = (store: InMemoryStore, _options?: OpenOptions) => store,
): StorageUnderTest {
  return {
    async open({ workLimit } = { workLimit: 15_000 }) {
      let openings = 0;
      const openOn = (store: InMemoryStore): OpenedStorage => {
        const opened = opening(look(store, ++openings, workLimit));
        return {
          ...opened,
          workLimit,
          events: async () => store.events,
          openAgain: async (options) => openOn(storeFor(store, options)),
          dispose: () => opened.storage.close(),
        };
      };
      return openOn(new InMemoryStore());
    },
  };
}

/** What is wrong with a storage that is opened once more. */
export const REOPENING_MUTANTS: Readonly<Record<string, Mutant>> = {
  'a storage that has forgotten everything when it is opened again': {
    caughtBy: 'a storage Storage when it is opened again, has everything that was committed before it was closed',
    storage: reopenable(honest, () => new InMemoryStore()),
  },
  'a storage that begins anew where it was asked not to migrate': {
    caughtBy: 'a storage Storage when it is opened again, works without migrating too, when its schema is current',
    storage: reopenable(honest, (store, options) => (options?.migrate === false ? new InMemoryStore() : store)),
  },
  'identifiers that are counted from what is there when it is opened again': {
    caughtBy:
      'a storage Storage when it is opened again, continues its identifiers after the last one, also when its row was deleted',
    storage: reopenable((store, opening, workLimit) => {
      const { work, reader } = honest(store, opening, workLimit);
      if (opening === 1) return { work, reader };
      let last = Math.max(0, ...Array.from(store.tables.pets.all(), ({ id }) => id));
      const nextId = async () => (last += 1);
      const write: typeof work.write = (act) =>
        work.write((scope) => act({ ...scope, pets: altered(scope.pets, { nextId }) }));
      return { work: writing(write), reader };
    }),
  },
  'an opening that remembers what it has read, though another one has changed it': {
    caughtBy:
      'a storage Storage when it is opened again, shows each instance the changes of the other as soon as they are committed',
    storage: reopenable((store) => {
      const read = new Map<number, InventoryView>();
      const reader = new (class extends InMemoryReader {
        override async inventoryItem(petId: number) {
          const item = read.get(petId) ?? (await super.inventoryItem(petId));
          if (item) read.set(petId, item);
          return item;
        }
      })(store);
      return { work: new InMemoryUnitOfWork(store), reader };
    }),
  },
  'openings that do not wait for each other': {
    caughtBy: 'a storage Storage when it is opened again, sells no unit twice when two instances sell concurrently',
    storage: reopenable((store) => {
      const unguarded = { mutex: new Mutex(), tables: store.tables } as unknown as InMemoryStore;
      return { work: new InMemoryUnitOfWork(unguarded), reader: new InMemoryReader(store) };
    }),
  },
};
