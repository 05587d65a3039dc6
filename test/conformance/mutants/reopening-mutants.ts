import { Mutex } from '../../../src/adapters/in-memory/mutex.ts';
import { InMemoryReader } from '../../../src/adapters/in-memory/reader.ts';
import { InMemoryStorage } from '../../../src/adapters/in-memory/storage.ts';
import { InMemoryStore, type PetRow } from '../../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../../src/adapters/in-memory/unit-of-work.ts';
import type { InventoryView } from '../../../src/application/ports/reader.ts';
import { type OpenOptions, type Storage, StorageRefused } from '../../../src/application/ports/storage.ts';
import { StorageUnavailable, type WriteScope } from '../../../src/application/ports/unit-of-work.ts';
import type {
  OpenedStorage,
  StorageUnderTest,
  StoredEvent,
  UnopenedStorage,
} from '../../../src/conformance/storage/storage-under-test.ts';
import type { StockRecord } from '../../../src/domain/audit.ts';
import { latch } from '../../support/promises.ts';
import { altered, type Mutant, writing } from './mutant-storage.ts';

/** How one opening of a store sees it. */
type Look = (store: InMemoryStore, opening: number, workLimit: number) => Pick<OpenedStorage, 'work' | 'reader'>;

const honest: Look = (store, _, workLimit) => ({
  work: new InMemoryUnitOfWork(store, workLimit),
  reader: new InMemoryReader(store),
});

interface Parts {
  readonly look?: Look;
  readonly storeFor?: (store: InMemoryStore, options?: OpenOptions) => InMemoryStore;
  /** `before`: how many events there were when this opening began. */
  readonly eventsOf?: (store: InMemoryStore, opening: number, before: number) => readonly StoredEvent[];
  readonly open?: typeof openPlace;
}

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

/** What a place in memory holds. */
type Content = 'nothing' | 'something foreign' | 'a store';

/** Opens a store in a place of memory, as it is correct. */
const openPlace = (content: Content, { migrate = true }: OpenOptions = {}): Content => {
  if (content === 'something foreign')
    throw new StorageRefused('The place belongs to another program; choose another.');
  if (content === 'nothing' && !migrate) throw new StorageRefused('There is no store; start the service to create it.');
  return 'a store';
};

async function unopenedIn(content: Content, open: typeof openPlace): Promise<UnopenedStorage> {
  let [place, isOpen] = [content, false];
  const storage = altered<Storage>(new InMemoryStorage(new InMemoryStore()), {
    async open(options) {
      place = open(place, options);
      isOpen = true;
    },
    async check() {
      if (!isOpen) throw new StorageUnavailable('It is not open.');
    },
    isThere: async () => place === 'a store',
  });
  return { storage, content: async () => place, dispose: () => storage.close() };
}

/** A storage in memory that can be opened as often as one likes; parts of it can be replaced. */
export function reopenable({
  look = honest,
  storeFor = (store) => store,
  eventsOf = (store) => store.events,
  open: openIn = openPlace,
}: Parts = {}): StorageUnderTest {
  return {
    unopened: (content) => unopenedIn(content, openIn),
    async open({ workLimit } = { workLimit: 15_000 }) {
      let openings = 0;
      const openOn = (store: InMemoryStore): OpenedStorage => {
        const opened = opening(look(store, ++openings, workLimit));
        const number = openings;
        const before = store.events.length;
        return {
          ...opened,
          workLimit,
          events: async () => eventsOf(store, number, before),
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
    storage: reopenable({ storeFor: () => new InMemoryStore() }),
  },
  'a storage that begins anew where it was asked not to migrate': {
    caughtBy: 'a storage Storage when it is opened again, works without migrating too, when its schema is current',
    storage: reopenable({
      storeFor: (store, options) => (options?.migrate === false ? new InMemoryStore() : store),
    }),
  },
  'identifiers that are counted from what is there when it is opened again': {
    caughtBy:
      'a storage Storage when it is opened again, continues its identifiers after the last one, also when its row was deleted',
    storage: reopenable({
      look(store, opening, workLimit) {
        const { work, reader } = honest(store, opening, workLimit);
        if (opening === 1) return { work, reader };
        let last = Math.max(0, ...Array.from(store.tables.pets.all(), ({ id }) => id));
        const nextId = async () => (last += 1);
        return {
          work: writing((act) => work.write((scope) => act({ ...scope, pets: altered(scope.pets, { nextId }) }))),
          reader,
        };
      },
    }),
  },
  'an opening that remembers what it has read, though another one has changed it': {
    caughtBy:
      'a storage Storage when it is opened again, shows each instance the changes of the other as soon as they are committed',
    storage: reopenable({
      look(store) {
        const read = new Map<number, InventoryView>();
        const reader = new (class extends InMemoryReader {
          override async inventoryItem(petId: number) {
            const item = read.get(petId) ?? (await super.inventoryItem(petId));
            if (item) read.set(petId, item);
            return item;
          }
        })(store);
        return { work: new InMemoryUnitOfWork(store), reader };
      },
    }),
  },
  'openings that do not wait for each other': {
    caughtBy: 'a storage Storage when it is opened again, sells no unit twice when two instances sell concurrently',
    storage: reopenable({
      look: (store) => ({ work: new InMemoryUnitOfWork(unguarded(store)), reader: new InMemoryReader(store) }),
    }),
  },
  'positions of events that begin anew when it is opened again': {
    caughtBy: 'a storage Storage when it is opened again, continues the positions of its events after the last one',
    storage: reopenable({
      eventsOf: (store, opening, before) =>
        store.events.map((event, i) => (opening > 1 && i >= before ? { ...event, position: i - before + 1 } : event)),
    }),
  },
  'openings that detect conflicts, but not about categories': {
    caughtBy:
      'a storage Storage when it is opened again, uses a name once when two instances create categories concurrently',
    storage: optimistic({ guards: ['pets', 'orders'], compares: (row) => row }),
  },
  'openings that detect conflicts, but not about the facts of a pet': {
    caughtBy: 'a storage Storage when it is opened again, loses no change when two instances change a pet concurrently',
    storage: optimistic({
      guards: ['categories', 'pets', 'orders'],
      compares: ({ quantity, reserved, held }) => ({ quantity, reserved, held }),
    }),
  },
  'openings that detect conflicts, but not about stock counts': {
    caughtBy:
      'a storage Storage when it is opened again, loses no change when two instances change a stock count concurrently',
    storage: optimistic({
      guards: ['categories', 'pets', 'orders'],
      compares: ({ name, categoryId, reserved }) => ({ name, categoryId, reserved }),
    }),
  },
  'a store that is created where it was asked not to migrate': {
    caughtBy:
      'a storage that is not open yet Storage where no store exists, refuses to open without migrating, and creates nothing',
    storage: reopenable({ open: (content) => openPlace(content) }),
  },
  'an error of its own where there is no store': {
    caughtBy:
      'a storage that is not open yet Storage where no store exists, refuses to open without migrating, and creates nothing',
    storage: reopenable({
      open(content, options) {
        if (content === 'nothing' && options?.migrate === false) throw new Error('ENOENT: no such file or directory');
        return openPlace(content, options);
      },
    }),
  },
  'a store that is created over the data of another program': {
    caughtBy:
      'a storage that is not open yet Storage where something of another program is, refuses to open with migrating, and changes nothing',
    storage: reopenable({
      open: (content, options) => (options?.migrate === false ? openPlace(content, options) : 'a store'),
    }),
  },
};

/** The tables of a store, with a mutex of their own: units of work of other openings do not wait for it. */
function unguarded(store: InMemoryStore): InMemoryStore {
  return { mutex: new Mutex(), tables: store.tables } as unknown as InMemoryStore;
}

/**
 * Openings that run units of work at the same time. One that takes an identifier of a kind in `guards` excludes the others from
 * then on. When one ends, it is executed again if what `compares` returns of a pet that it locked has changed.
 */
function optimistic({
  guards,
  compares,
}: {
  readonly guards: readonly ('categories' | 'pets' | 'orders')[];
  compares(row: PetRow): unknown;
}): StorageUnderTest {
  const conflict = new Error('conflict');
  const mutexes = new WeakMap<object, Mutex>();
  const look: Look = (store, _, workLimit) => {
    const own = new InMemoryUnitOfWork(unguarded(store), workLimit);
    const shared = mutexes.get(store) ?? new Mutex();
    mutexes.set(store, shared);
    const versionOf = (petId: number) => {
      const row = store.tables.pets.get(petId);
      return row && JSON.stringify(compares(row));
    };
    const attempt = async <Result>(work: (scope: WriteScope) => Promise<Result>): Promise<Result> => {
      const ended = latch();
      let entered: Promise<void> | undefined;
      const enter = () => {
        entered ??= new Promise((resolve) => {
          void shared.runExclusive(workLimit, () => {
            resolve();
            return ended.opened;
          });
        });
        return entered;
      };
      const unit = own.write(async (scope) => {
        const locked = new Map<number, string | undefined>();
        const guarded = guards.map((kind) => {
          const nextId = async () => {
            await enter();
            return scope[kind].nextId();
          };
          return [kind, altered<WriteScope[typeof kind]>(scope[kind], { nextId })] as const;
        });
        const inventory = altered(scope.inventory, {
          async lock(petId) {
            if (!locked.has(petId)) locked.set(petId, versionOf(petId));
            return scope.inventory.lock(petId);
          },
        });
        const result = await work({ ...scope, ...Object.fromEntries(guarded), inventory });
        await enter();
        for (const [petId, version] of locked) if (versionOf(petId) !== version) throw conflict;
        return result;
      });
      return unit.finally(ended.open);
    };
    const write: typeof attempt = (work) =>
      attempt(work).catch((error: unknown) => {
        if (error !== conflict) throw error;
        return write(work);
      });
    return { work: writing(write), reader: new InMemoryReader(store) };
  };
  return reopenable({ look });
}
