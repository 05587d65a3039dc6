import assert from 'node:assert/strict';
import { EventsExpired } from '../../application/ports/event-log.ts';
import type { DomainEvent, EventType } from '../../domain/events.ts';
import { assertInstance, failureOf } from '../assertions.ts';
import type { TestFunctions } from '../test-functions.ts';
import { eventsIn } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

const CATEGORY_TYPES = ['category.created', 'category.updated', 'category.deleted'] as const;

/** Events of categories 1, 2, 3 …, which happened at 1, 2, 3 … milliseconds. */
function eventsOf(count: number, first = 1): DomainEvent[] {
  return Array.from({ length: count }, (_, i) => {
    const id = first + i;
    return { type: CATEGORY_TYPES[id % 3] ?? 'category.created', data: { id, name: `Category ${id}` }, at: id };
  });
}

/** Appends events, one unit of work for each. */
export async function append({ work }: Pick<OpenedStorage, 'work'>, events: readonly DomainEvent[]): Promise<void> {
  for (const event of events) await work.write(({ outbox }) => outbox.append(event));
}

const instantsIn = async (storage: OpenedStorage) => (await eventsIn(storage)).map(({ at }) => at);

export function eventLogChecks(storage: OpenedStorage, { describe, it }: TestFunctions): void {
  describe('EventLog', () => {
    const purge = (before: number, upTo: number, most = 1_000) =>
      storage.work.write(({ outbox }) => outbox.purge({ before, upTo }, most));
    const positions = async () => (await eventsIn(storage)).map(({ position }) => position);

    it('is empty at first', async () => {
      assert.deepEqual(await storage.eventLog.range(), { oldest: 1, last: 0 });
      assert.deepEqual(await storage.eventLog.read({ limit: 1 }), { events: [], position: 0, last: 0 });
      assert.deepEqual(await storage.eventLog.read({ after: 0, limit: 1 }), { events: [], position: 0, last: 0 });
    });

    it('returns the events after a position, in batches that follow each other', async () => {
      await append(storage, eventsOf(7));
      const all = await positions();

      for (const limit of [1, 2, 3, 7, 8]) {
        assert.deepEqual(
          (await eventsIn(storage, limit)).map(({ at }) => at),
          [1, 2, 3, 4, 5, 6, 7],
        );
      }
      for (const [i, after] of all.entries()) {
        const { events, position, last } = await storage.eventLog.read({ after, limit: 3 });
        assert.deepEqual(
          events.map((event) => event.position),
          all.slice(i + 1, i + 4),
        );
        assert.equal(position, i < 4 ? all[i + 3] : all.at(-1));
        assert.equal(last, all.at(-1));
      }
    });

    it('returns nothing after its last position, and continues there', async () => {
      await append(storage, eventsOf(2));
      const { last } = await storage.eventLog.range();

      for (const after of [last, last + 1, Number.MAX_SAFE_INTEGER]) {
        assert.deepEqual(await storage.eventLog.read({ after, limit: 5 }), { events: [], position: after, last });
      }
    });

    it('returns only events of the types that are asked for', async () => {
      await append(storage, eventsOf(9));
      const { last } = await storage.eventLog.range();
      const read = async (types: readonly EventType[], after?: number, limit = 100) => {
        const batch = await storage.eventLog.read({ after, types, limit });
        return { ...batch, events: batch.events.map(({ at }) => at) };
      };

      assert.partialDeepStrictEqual(await read(['category.created']), { events: [3, 6, 9], position: last });
      assert.deepEqual((await read(['category.deleted', 'category.created'])).events, [2, 3, 5, 6, 8, 9]);
      assert.deepEqual(await read(['order.placed', 'inventory.restocked']), { events: [], position: last, last });
      const first = await read(['category.updated'], undefined, 2);
      assert.deepEqual(first.events, [1, 4]);
      assert.deepEqual((await read(['category.updated'], first.position, 2)).events, [7]);
    });

    it('contains what was acknowledged before it was read', async () => {
      for (let count = 1; count <= 20; count++) {
        await append(storage, eventsOf(1, count));

        const { last } = await storage.eventLog.range();
        const { events } = await storage.eventLog.read({ after: last - 1, limit: 10 });
        assert.deepEqual(
          events.map(({ at }) => at),
          [count],
        );
      }
    });

    it('loses its oldest events to a purge, by age and by position, up to the first that must be kept', async () => {
      await append(storage, [...eventsOf(6), ...eventsOf(1), ...eventsOf(1, 8)]);
      const all = await positions();

      assert.equal(await purge(0, 0), 0);
      assert.equal(await purge(3, 0), 2);
      assert.deepEqual(await instantsIn(storage), [3, 4, 5, 6, 1, 8]);
      assert.equal(await purge(0, all[2] ?? 0), 1);
      assert.deepEqual(await instantsIn(storage), [4, 5, 6, 1, 8]);
      assert.equal(await purge(7, 0, 2), 2);
      assert.deepEqual(await instantsIn(storage), [6, 1, 8]);
      assert.equal(await purge(Number.MAX_SAFE_INTEGER, all[3] ?? 0, 1), 1);
      assert.deepEqual(await instantsIn(storage), [1, 8]);
      assert.deepEqual(await positions(), all.slice(-2));
    });

    it('refuses to read after a position that a purge has removed, and names the oldest available one', async () => {
      await append(storage, eventsOf(5));
      const all = await positions();
      await purge(4, 0);

      const oldest = (all[2] ?? 0) + 1;
      assert.deepEqual(await storage.eventLog.range(), { oldest, last: all.at(-1) });
      for (const after of [0, all[0], all[1]]) {
        const refusal = await failureOf(storage.eventLog.read({ after, limit: 1 }));
        assertInstance(refusal, EventsExpired, `after ${after}`);
        assert.equal(refusal.oldest, oldest);
      }
      for (const after of [undefined, all[2]]) {
        const { events } = await storage.eventLog.read({ after, limit: 9 });
        assert.deepEqual(
          events.map(({ at }) => at),
          [4, 5],
        );
      }
    });

    it('never assigns a position again, also after everything was purged', async () => {
      await append(storage, eventsOf(4));
      const all = await positions();
      const last = all.at(-1) ?? 0;
      assert.equal(await purge(Number.MAX_SAFE_INTEGER, 0), 4);

      assert.deepEqual(await storage.eventLog.range(), { oldest: last + 1, last });
      assert.deepEqual(await storage.eventLog.read({ limit: 1 }), { events: [], position: last, last });
      await append(storage, eventsOf(2, 5));

      assert.deepEqual(await instantsIn(storage), [5, 6]);
      for (const position of await positions()) assert.ok(position > last, `${position} was assigned before`);
      const { events } = await storage.eventLog.read({ after: last, limit: 9 });
      assert.equal(events.length, 2);
    });

    it('keeps what a failed unit of work purged', async () => {
      await append(storage, eventsOf(3));
      const before = await eventsIn(storage);

      await failureOf(
        storage.work.write(async ({ outbox }) => {
          await outbox.purge({ before: 9, upTo: 0 }, 9);
          throw new Error('undone');
        }),
      );

      assert.deepEqual(await eventsIn(storage), before);
      assert.deepEqual(await storage.eventLog.read({ after: 0, limit: 9 }).then(({ events }) => events), before);
    });

    it('calls each subscriber when there are events to read, until its subscription ends', async () => {
      const { eventLog } = storage;
      let callsAfterEnd = 0;
      let hasEnded = false;
      const end = eventLog.subscribe(() => {
        if (hasEnded) callsAfterEnd += 1;
      });
      await appendAndWait(storage, 1);

      end();
      hasEnded = true;
      await appendAndWait(storage, 2);

      assert.equal(callsAfterEnd, 0);
    });
  });
}

/** Appends an event, and resolves when a subscriber was called and can read it. */
async function appendAndWait({ work, eventLog }: OpenedStorage, id: number): Promise<void> {
  const before = (await eventLog.range()).last;
  const { promise: isReadable, resolve, reject } = Promise.withResolvers<void>();
  const end = eventLog.subscribe(() => {
    eventLog.range().then(({ last }) => {
      if (last > before) resolve();
    }, reject);
  });
  try {
    await append({ work }, eventsOf(1, id));
    await isReadable;
  } finally {
    end();
  }
}
