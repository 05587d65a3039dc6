import { Mutex } from '../../../src/adapters/in-memory/mutex.ts';
import { InMemoryReader } from '../../../src/adapters/in-memory/reader.ts';
import { InMemoryStore } from '../../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../../src/adapters/in-memory/unit-of-work.ts';
import type { InventoryView } from '../../../src/application/ports/reader.ts';
import { type OpenOptions, Storage } from '../../../src/application/ports/storage.ts';
import type { OpenedStorage, StorageUnderTest } from '../../../src/conformance/storage/storage-under-test.ts';
import { altered, type Fault, writing } from './mutant-storage.ts';

/** How one opening of a store sees it. */
type Look = (store: InMemoryStore, opening: number) => Pick<OpenedStorage, 'work' | 'reader'>;

const honest: Look = (store) => ({ work: new InMemoryUnitOfWork(store), reader: new InMemoryReader(store) });

/** An in-memory store that outlives being closed, and may be opened as often as one likes. */
export function reopenable(
  look: Look = honest,
  storeFor = (store: InMemoryStore, _options?: OpenOptions) => store,
): StorageUnderTest {
  return {
    async open() {
      let openings = 0;
      const openOn = (store: InMemoryStore): OpenedStorage => {
        const nothing = async () => undefined;
        const storage = new (class extends Storage {
          override open = nothing;
          override close = nothing;
          override check = nothing;
        })();
        return {
          ...look(store, ++openings),
          storage,
          events: async () => store.events,
          openAgain: async (options) => openOn(storeFor(store, options)),
          dispose: nothing,
        };
      };
      return openOn(new InMemoryStore());
    },
  };
}

/** What is wrong with a storage that is opened once more. */
export const REOPENING_FAULTS: Readonly<Record<string, Fault>> = {
  'a storage that has forgotten everything when it is opened again': {
    caughtBy: 'the storage as a whole when it is opened again, has everything that was committed before it was closed',
    storage: reopenable(honest, () => new InMemoryStore()),
  },
  'a storage that begins anew where it was asked not to migrate': {
    caughtBy: 'the storage as a whole when it is opened again, works without migrating too, when its schema is current',
    storage: reopenable(honest, (store, options) => (options?.migrate === false ? new InMemoryStore() : store)),
  },
  'identifiers that are counted from what is there when it is opened again': {
    caughtBy:
      'the storage as a whole when it is opened again, continues its identifiers after the last one, also when its row was deleted',
    storage: reopenable((store, opening) => {
      const { work, reader } = honest(store, opening);
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
      'the storage as a whole when it is opened again, shows each instance the changes of the other as soon as they are committed',
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
    caughtBy:
      'the storage as a whole when it is opened again, sells no unit twice when two instances sell concurrently',
    storage: reopenable((store) => {
      const unguarded = { mutex: new Mutex(), tables: store.tables } as unknown as InMemoryStore;
      return { work: new InMemoryUnitOfWork(unguarded), reader: new InMemoryReader(store) };
    }),
  },
};
