import { Mutex } from '../../../src/adapters/in-memory/mutex.ts';
import { InMemoryReader } from '../../../src/adapters/in-memory/reader.ts';
import { InMemoryStorage } from '../../../src/adapters/in-memory/storage.ts';
import { InMemoryStore, type PetRow } from '../../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../../src/adapters/in-memory/unit-of-work.ts';
import type { EventLog, StoredEvent } from '../../../src/application/ports/event-log.ts';
import type { InventoryView } from '../../../src/application/ports/reader.ts';
import { type OpenOptions, type Storage, StorageRefused } from '../../../src/application/ports/storage.ts';
import { StorageUnavailable, type WriteScope } from '../../../src/application/ports/unit-of-work.ts';
import type {
  OpenedStorage,
  StorageUnderTest,
  UnopenedStorage,
} from '../../../src/conformance/storage/storage-under-test.ts';
import type { StockRecord } from '../../../src/domain/audit.ts';
import type { CategorySnapshot } from '../../../src/domain/category.ts';
import type { OrderSnapshot } from '../../../src/domain/order.ts';
import { latch } from '../../support/promises.ts';
import { altered, logOf, type Mutant, writing } from './mutant-storage.ts';

/** The ports of one opening of a store. */
type Look = (store: InMemoryStore, opening: number) => Pick<OpenedStorage, 'work' | 'reader'>;

const honest: Look = (store) => ({
  work: new InMemoryUnitOfWork(store),
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
function opening({ work, reader }: Pick<OpenedStorage, 'work' | 'reader'>, log: EventLog) {
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
    eventLog: altered(log, {
      async read(request) {
        assertOpen();
        return log.read(request);
      },
      async range() {
        assertOpen();
        return log.range();
      },
    }),
    work: writing(async (act, options) => {
      assertOpen();
      const unit = work.write(act, options);
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
    async open() {
      let openings = 0;
      const openOn = (store: InMemoryStore): OpenedStorage => {
        const number = ++openings;
        const before = store.events.length;
        const log = logOf(store, () => eventsOf(store, number, before));
        const opened = opening(look(store, number), log);
        return {
          ...opened,
          openAgain: async (options) => openOn(storeFor(store, options)),
          dispose: () => opened.storage.close(),
        };
      };
      return openOn(new InMemoryStore());
    },
  };
}

/** Faults in a storage that is opened more than once. */
export const REOPENING_MUTANTS: Readonly<Record<string, Mutant>> = {
  'a storage that is empty when it is opened again': {
    caughtBy: 'a storage Storage when it is opened again, has everything that was committed before it was closed',
    storage: reopenable({ storeFor: () => new InMemoryStore() }),
  },
  'a storage that is empty when it is opened without migrating': {
    caughtBy: 'a storage Storage when it is opened again, works without migrating too, when its schema is current',
    storage: reopenable({
      storeFor: (store, options) => (options?.migrate === false ? new InMemoryStore() : store),
    }),
  },
  'identifiers that continue after the existing rows when it is opened again': {
    caughtBy:
      'a storage Storage when it is opened again, continues its identifiers after the last one, also when its row was deleted',
    storage: reopenable({
      look(store, opening) {
        const { work, reader } = honest(store, opening);
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
  'an opening with a cache that other openings do not invalidate': {
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
  'openings that do not lock against each other': {
    caughtBy: 'a storage Storage when it is opened again, sells no unit twice when two instances sell concurrently',
    storage: reopenable({
      look: (store) => ({ work: new InMemoryUnitOfWork(unguarded(store)), reader: new InMemoryReader(store) }),
    }),
  },
  'positions of events that restart when it is opened again': {
    caughtBy: 'a storage Storage when it is opened again, continues the positions of its events after the last one',
    storage: reopenable({
      eventsOf: (store, opening, before) =>
        store.events.map((event, i) => (opening > 1 && i >= before ? { ...event, position: i - before + 1 } : event)),
    }),
  },
  'openings that detect conflicts, but not about categories': {
    caughtBy:
      'a storage Storage when it is opened again, uses a name once when two instances create categories concurrently',
    storage: optimistic({
      exclusive: ['pets.nextId', 'orders.nextId', 'ledger.append'],
      versionOf: (kind, row) => kind !== 'category' && row,
    }),
  },
  'openings that detect conflicts, but not about the facts of a pet': {
    caughtBy: 'a storage Storage when it is opened again, loses no change when two instances change a pet concurrently',
    storage: optimistic({
      versionOf: (kind, row) => (kind === 'pet' ? [row.quantity, row.reserved, row.held] : row),
    }),
  },
  'openings that detect conflicts, but not about stock counts': {
    caughtBy:
      'a storage Storage when it is opened again, loses no change when two instances change a stock count concurrently',
    storage: optimistic({
      versionOf: (kind, row) => (kind === 'pet' ? [row.name, row.categoryId, row.reserved] : row),
    }),
  },
  'a store that is created although it was opened without migrating': {
    caughtBy:
      'a storage that is not open yet Storage where no store exists, refuses to open without migrating, and creates nothing',
    storage: reopenable({ open: (content) => openPlace(content) }),
  },
  'an error of its own where no store exists': {
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
  return { mutex: new Mutex(), tables: store.tables, eventsAppended: store.eventsAppended } as unknown as InMemoryStore;
}

type Call = 'pets.nextId' | 'orders.nextId' | 'ledger.append' | 'outbox.append';

/**
 * Openings that run units of work at the same time as each other, and detect conflicts when they commit: a unit of work that made one of the
 * calls in `exclusive` conflicts with every other one; otherwise with one that changed what `versionOf` returns of a row that
 * it locked. After a conflict it is executed again, alone.
 */
function optimistic({
  exclusive = ['pets.nextId', 'orders.nextId', 'ledger.append', 'outbox.append'],
  versionOf,
}: {
  readonly exclusive?: readonly Call[];
  versionOf(kind: 'category' | 'pet' | 'order', row: PetRow & CategorySnapshot & OrderSnapshot): unknown;
}): StorageUnderTest {
  const conflict = new Error('conflict');
  const states = new WeakMap<InMemoryStore, { readonly mutex: Mutex; commits: number }>();
  const look: Look = (store) => {
    const state = states.get(store) ?? { mutex: new Mutex(), commits: 0 };
    states.set(store, state);
    const versionIn = (kind: 'category' | 'pet' | 'order', id: number) => {
      const { categories, pets, orders } = store.tables;
      const row: unknown = { category: categories, pet: pets, order: orders }[kind].get(id);
      return row && JSON.stringify(versionOf(kind, row as Parameters<typeof versionOf>[1]));
    };
    const attempt = async <Result>(work: (scope: WriteScope) => Promise<Result>, isAlone: boolean): Promise<Result> => {
      const ended = latch();
      const enter = () =>
        new Promise<void>((resolve) => {
          void state.mutex.runExclusive(undefined, () => {
            resolve();
            return ended.opened;
          });
        });
      if (isAlone) await enter();
      const began = state.commits;
      const unit = new InMemoryUnitOfWork(unguarded(store)).write(async (scope) => {
        let mustBeAlone = false;
        const locked = new Map<string, () => boolean>();
        const note = (kind: 'category' | 'pet' | 'order', id: number) => {
          const version = versionIn(kind, id);
          locked.set(`${kind} ${id}`, () => versionIn(kind, id) === version);
        };
        const noting = <Port extends object>(port: Port, name: string): Port =>
          new Proxy(port, {
            get(_, method) {
              const member: unknown = Reflect.get(port, method, port);
              if (typeof member !== 'function') return member;
              return (...facts: unknown[]) => {
                const call = `${name}.${String(method)}`;
                mustBeAlone ||= exclusive.some((one) => one === call);
                if (call === 'inventory.lock') note('pet', Number(facts[0]));
                if (call === 'categories.lock') note('category', Number(facts[0]));
                if (call === 'orders.lock') note('order', Number(facts[0]));
                return member.apply(port, facts) as unknown;
              };
            },
          });
        const ports = Object.entries(scope).map(([name, port]) => [name, noting(port as object, name)]);
        const result = await work(Object.fromEntries(ports) as WriteScope);
        if (!isAlone) await enter();
        if (mustBeAlone && state.commits !== began) throw conflict;
        for (const isSame of locked.values()) if (!isSame()) throw conflict;
        state.commits += 1;
        return result;
      });
      return unit.finally(ended.open);
    };
    const local = new Mutex();
    return {
      work: writing((work) =>
        local.runExclusive(undefined, () =>
          attempt(work, false).catch((error: unknown) => {
            if (error instanceof StorageUnavailable) throw error;
            // Whatever it was refused for, it may have been because it saw another one in part.
            return attempt(work, true);
          }),
        ),
      ),
      reader: new InMemoryReader(store),
    };
  };
  return reopenable({ look });
}
