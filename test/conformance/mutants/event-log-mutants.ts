import { InMemoryEventLog } from '../../../src/adapters/in-memory/event-log.ts';
import type { InMemoryStore } from '../../../src/adapters/in-memory/store.ts';
import { type EventLog, EventsExpired } from '../../../src/application/ports/event-log.ts';
import { altered, inMemory, type Mutant, scoped } from './mutant-storage.ts';

const logged = (alter: (log: EventLog, store: InMemoryStore) => Partial<EventLog>) =>
  inMemory({
    rest(store) {
      const log = new InMemoryEventLog(store);
      return { eventLog: altered<EventLog>(log, alter(log, store)) };
    },
  });

/** Faults of reading and purging the event log. */
export const EVENT_LOG_MUTANTS: Readonly<Record<string, Mutant>> = {
  'a log that ignores which types are asked for': {
    caughtBy: 'a storage EventLog returns only events of the types that are asked for',
    storage: logged((log) => ({ read: ({ after, limit }) => log.read({ after, limit }) })),
  },
  'a log that includes the event at the position after which it reads': {
    caughtBy: 'a storage EventLog returns the events after a position, in batches that follow each other',
    storage: logged((log) => ({
      read: ({ after, ...request }) =>
        log.read({ ...request, after: after === undefined ? after : Math.max(0, after - 1) }),
    })),
  },
  'a log that reports its last position where a batch ends before it': {
    caughtBy: 'a storage EventLog returns the events after a position, in batches that follow each other',
    storage: logged((log) => ({
      async read(request) {
        const batch = await log.read(request);
        return { ...batch, position: Math.max(batch.position, batch.last) };
      },
    })),
  },
  'a log that skips removed events without an error': {
    caughtBy:
      'a storage EventLog refuses to read after a position that a purge has removed, and names the oldest available one',
    storage: logged((log) => ({
      read: (request) =>
        log.read(request).catch((error: unknown) => {
          if (!(error instanceof EventsExpired)) throw error;
          return log.read({ ...request, after: undefined });
        }),
    })),
  },
  'positions that begin anew after everything was purged': {
    caughtBy: 'a storage EventLog never assigns a position again, also after everything was purged',
    storage: logged((log, store) => ({
      async range() {
        const { oldest, last } = await log.range();
        return oldest > last && store.events.length === 0 ? { oldest: 1, last: 0 } : { oldest, last };
      },
    })),
  },
  'a log that lags behind what was acknowledged': {
    caughtBy: 'a storage EventLog contains what was acknowledged before it was read',
    storage: logged((log) => ({
      async read(request) {
        const { last } = await log.range();
        const batch = await log.read(request);
        return { ...batch, events: batch.events.filter(({ position }) => position < last) };
      },
    })),
  },
  'a log that calls no subscriber': {
    caughtBy: 'a storage EventLog calls each subscriber when there are events to read, until its subscription ends',
    storage: logged(() => ({ subscribe: () => () => undefined })),
    timeout: 500,
  },
  'a log whose subscriptions never end': {
    caughtBy: 'a storage EventLog calls each subscriber when there are events to read, until its subscription ends',
    storage: logged((log) => ({
      subscribe(listener) {
        log.subscribe(listener);
        return () => undefined;
      },
    })),
  },
  'a purge that removes old events between newer ones': {
    caughtBy:
      'a storage EventLog loses its oldest events to a purge, by age and by position, up to the first that must be kept',
    storage: scoped(({ outbox }, store) => ({
      outbox: altered(outbox, {
        async purge(retention, most) {
          const expired = store.events.filter(
            ({ at, position }) => at < retention.before || position <= retention.upTo,
          );
          const last = expired.at(Math.min(most, expired.length) - 1)?.position ?? 0;
          return outbox.purge({ before: Number.MIN_SAFE_INTEGER, upTo: last }, most);
        },
      }),
    })),
  },
  'a purge that removes more than it is allowed in one step': {
    caughtBy:
      'a storage EventLog loses its oldest events to a purge, by age and by position, up to the first that must be kept',
    storage: scoped(({ outbox }) => ({
      outbox: altered(outbox, { purge: (retention) => outbox.purge(retention, 1_000) }),
    })),
  },
};
