import { InMemoryEventLog } from '../../../src/adapters/in-memory/event-log.ts';
import { InMemoryReader } from '../../../src/adapters/in-memory/reader.ts';
import { InMemoryStorage } from '../../../src/adapters/in-memory/storage.ts';
import { InMemoryStore } from '../../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../../src/adapters/in-memory/unit-of-work.ts';
import type { EventLog, StoredEvent } from '../../../src/application/ports/event-log.ts';
import { UnitOfWork, type WriteOptions, type WriteScope } from '../../../src/application/ports/unit-of-work.ts';
import { FailingUnitOfWork } from '../../../src/conformance/failing-unit-of-work.ts';
import type { OpenedStorage, StorageUnderTest } from '../../../src/conformance/storage/storage-under-test.ts';

/** An adapter with one fault. */
export interface Mutant {
  /** The check that must catch it: its headings and its name. */
  readonly caughtBy: string;
  readonly storage: StorageUnderTest;
  /** How many milliseconds the check may take, where the fault is that it never ends. */
  readonly timeout?: number;
}

interface Parts {
  readonly work?: (store: InMemoryStore, own: UnitOfWork) => UnitOfWork;
  readonly reader?: (store: InMemoryStore) => InMemoryReader;
  readonly rest?: (store: InMemoryStore) => Partial<OpenedStorage>;
}

/** The in-memory adapter, with some parts of it replaced. */
export function inMemory({ work, reader, rest }: Parts = {}): StorageUnderTest {
  return {
    gaps: { openAgain: 'Its data is lost when it is closed.', unopened: 'It stores nothing outside of its process.' },
    async open() {
      const store = new InMemoryStore();
      const storage = new InMemoryStorage(store);
      const own = new InMemoryUnitOfWork(store);
      return {
        work: work?.(store, own) ?? own,
        reader: reader?.(store) ?? new InMemoryReader(store),
        eventLog: new InMemoryEventLog(store),
        storage,
        dispose: () => storage.close(),
        ...rest?.(store),
      };
    },
  };
}

type Write = <Result>(work: (scope: WriteScope) => Promise<Result>, options?: WriteOptions) => Promise<Result>;

/** A unit of work with another `write`. */
export function writing(write: Write): UnitOfWork {
  return new (class extends UnitOfWork {
    override write = write;
  })();
}

/** A storage whose scopes are altered, anew for each unit of work. */
export function scoped(alter: (scope: WriteScope, store: InMemoryStore) => Partial<WriteScope>): StorageUnderTest {
  return inMemory({
    work: (store, own) =>
      writing((work, options) => own.write((scope) => work({ ...scope, ...alter(scope, store) }), options)),
  });
}

/** A log of events that are computed from those of the store. */
export function logOf(store: InMemoryStore, eventsOf: (store: InMemoryStore) => readonly StoredEvent[]): EventLog {
  const log = new InMemoryEventLog(store);
  return altered<EventLog>(log, {
    async read({ after, types, limit }) {
      const { last } = await log.read({ after, limit: 1 });
      const matches = ({ position, type }: StoredEvent) => position > (after ?? 0) && (types?.includes(type) ?? true);
      const events = eventsOf(store).filter(matches);
      const position = events.length > limit ? (events[limit - 1]?.position ?? 0) : Math.max(after ?? 0, last);
      return { events: events.slice(0, limit), position, last };
    },
  });
}

/** A port with some of its methods replaced. */
export function altered<Port extends object>(port: Port, changes: Partial<Port>): Port {
  return new Proxy(port, {
    get: (_, name) => {
      const member: unknown = Reflect.get(changes, name) ?? Reflect.get(port, name, port);
      return typeof member === 'function' ? member.bind(port) : member;
    },
  });
}

/**
 * A correct storage that executes every unit of work twice. The first execution is disturbed at one of its first calls, or at
 * its end; what it did is rolled back, and what it threw is ignored.
 */
export function executingTwice(): StorageUnderTest {
  return inMemory({
    work: (_, own) => {
      let units = 0;
      return writing(async (work, options) => {
        const disturbed = new FailingUnitOfWork(own, 1 + (units++ % 7), 'after');
        await disturbed
          .write(async (scope) => {
            await Promise.allSettled([(async () => work(scope))()]);
            throw disturbed.injectedFault;
          }, options)
          .catch((error: unknown) => {
            if (error !== disturbed.injectedFault) throw error;
          });
        return own.write(work, options);
      });
    },
  });
}
