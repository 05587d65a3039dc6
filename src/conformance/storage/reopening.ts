import assert from 'node:assert/strict';
import type { Reader } from '../../application/ports/reader.ts';
import type { OpenOptions } from '../../application/ports/storage.ts';
import type { WriteScope } from '../../application/ports/unit-of-work.ts';
import { CategoryNameTaken, DomainError, InsufficientStock, PetNotAvailable } from '../../domain/refusals.ts';
import { assertInstance } from '../assertions.ts';
import { yieldToEventLoop } from '../scheduling.ts';
import { itUnless, type TestFunctions } from '../test-functions.ts';
import { desksOn, eventsIn, pictureOf } from './shop.ts';
import type { OpenedStorage, StorageUnderTest } from './storage-under-test.ts';

/** Opens the same data once more for `act`, and disposes of that opening. */
async function withAnother(
  storage: OpenedStorage,
  act: (other: OpenedStorage) => Promise<void>,
  options?: OpenOptions,
): Promise<void> {
  assert.ok(
    storage.openAgain,
    'there is no `openAgain`; if the adapter cannot support it, declare the gap "openAgain"',
  );
  const other = await storage.openAgain(options);
  try {
    await act(other);
  } finally {
    await other.dispose();
  }
}

/** For each kind of row, a change that makes one of its values larger by one, and by how much that value has grown. */
const INCREMENTS: Readonly<
  Record<string, { change(scope: WriteScope): Promise<void>; totalIn(reader: Reader): Promise<number> }>
> = {
  'a category': {
    async change({ categories }) {
      const category = await categories.lock(1);
      await yieldToEventLoop();
      category?.rename(`${category.name}x`);
      if (category) await categories.save(category);
    },
    totalIn: async (reader) => ((await reader.category(1))?.name.length ?? 0) - 'Dogs'.length,
  },
  'a pet': {
    async change({ inventory, pets }) {
      await inventory.lock(2);
      const pet = await pets.find(2);
      await yieldToEventLoop();
      pet?.rename(`${pet.name}x`);
      if (pet) await pets.save(pet);
    },
    totalIn: async (reader) => ((await reader.pet(2))?.name.length ?? 0) - 'Bello'.length,
  },
  'a stock count': {
    async change({ inventory }) {
      const item = await inventory.lock(2);
      await yieldToEventLoop();
      item?.count(item.quantity + 1);
      if (item) await inventory.save(item);
    },
    totalIn: async (reader) => ((await reader.inventoryItem(2))?.quantity ?? 0) - 1,
  },
  'an order': {
    async change({ orders }) {
      const order = await orders.lock(1);
      await yieldToEventLoop();
      order?.reschedule((order.shipDate ?? 0) + 1);
      if (order) await orders.save(order);
    },
    totalIn: async (reader) => (await reader.order(1))?.shipDate ?? 0,
  },
};

export function reopeningChecks(storage: OpenedStorage, gaps: StorageUnderTest['gaps'], test: TestFunctions): void {
  const { describe, beforeEach } = test;
  const it = itUnless(gaps?.openAgain, test);
  describe('when it is opened again,', () => {
    beforeEach(async () => {
      const { categories, pets, stock, orders } = desksOn(storage);
      await categories.create({ name: 'Dogs', description: 'They bark.' });
      await pets.createAll(['Rex', 'Bello'].map((name) => ({ name, categoryId: 1 })));
      await stock.count(1, 60);
      await orders.place({ petId: 1, quantity: 10 });
    });

    it('has everything that was committed before it was closed', async () => {
      const before = await pictureOf(storage);
      await storage.storage.close();

      await withAnother(storage, async (other) => assert.deepEqual(await pictureOf(other), before));
    });

    it('works without migrating too, when its schema is current', async () => {
      const before = await pictureOf(storage);

      await withAnother(
        storage,
        async (other) => {
          assert.deepEqual(await pictureOf(other), before);
          await desksOn(other).stock.count(1, 61);
          assert.partialDeepStrictEqual(await storage.reader.inventoryItem(1), { quantity: 61 });
        },
        { migrate: false },
      );
    });

    it('continues its identifiers after the last one, also when its row was deleted', async () => {
      await desksOn(storage).pets.delete(2);
      await storage.storage.close();

      await withAnother(storage, async (other) => {
        const { categories, pets, orders } = desksOn(other);
        assert.equal((await categories.create({ name: 'Cats' })).id, 2);
        assert.equal((await pets.create({ name: 'Tom', categoryId: 2 })).id, 3);
        assert.equal((await orders.place({ petId: 3, quantity: 1 })).id, 2);
      });
    });

    it('shows each instance the changes of the other as soon as they are committed', async () => {
      await withAnother(storage, async (other) => {
        for (let count = 61; count < 71; count++) {
          const [one, two] = count % 2 ? [storage, other] : [other, storage];
          await desksOn(one).stock.count(1, count);

          assert.partialDeepStrictEqual(await two.reader.inventoryItem(1), { quantity: count });
        }
      });
    });

    it('continues the positions of its events after the last one', async () => {
      const before = await eventsIn(storage);
      await storage.storage.close();

      await withAnother(storage, async (other) => {
        await desksOn(other).categories.create({ name: 'Cats' });

        const events = await eventsIn(other);
        assert.deepEqual(events.slice(0, -1), before);
        assert.equal(events.length, before.length + 1);
        const [last, next] = events.slice(-2);
        assert.ok((next?.position ?? 0) > (last?.position ?? 0), `${next?.position} comes after ${last?.position}`);
      });
    });

    it('continues the positions of its events also when all of them were purged before it was closed', async () => {
      const { last } = await storage.eventLog.range();
      await storage.work.write(({ outbox }) => outbox.purge({ before: Number.MAX_SAFE_INTEGER, upTo: last }, 1_000));
      await storage.storage.close();

      await withAnother(storage, async (other) => {
        assert.deepEqual(await other.eventLog.range(), { oldest: last + 1, last });
        await desksOn(other).categories.create({ name: 'Cats' });

        const [event] = await eventsIn(other);
        assert.ok((event?.position ?? 0) > last, `${event?.position} comes after ${last}`);
      });
    });

    it('tells the subscribers of an instance what another one has appended', async () => {
      await withAnother(storage, async (other) => {
        const { last: before } = await other.eventLog.range();
        const { promise: isReadable, resolve, reject } = Promise.withResolvers<void>();
        const end = other.eventLog.subscribe(() => {
          other.eventLog.range().then(({ last }) => {
            if (last > before) resolve();
          }, reject);
        });

        await desksOn(storage).categories.create({ name: 'Cats' });

        await isReadable.finally(end);
      });
    });

    it('assigns positions and identifiers once when two instances write concurrently', async () => {
      await withAnother(storage, async (other) => {
        const before = (await eventsIn(storage)).length;
        const desks = [desksOn(storage), desksOn(other)] as const;

        const created = await Promise.all(
          Array.from({ length: 20 }, (_, i) => desks[i % 2 ? 1 : 0].pets.create({ name: `Pet ${i}`, categoryId: 1 })),
        );

        assert.equal(new Set(created.map(({ id }) => id)).size, 20, 'an identifier was assigned twice');
        const events = await eventsIn(other);
        assert.equal(events.length, before + 20);
        assert.equal(
          new Set(events.map(({ position }) => position)).size,
          events.length,
          'a position was assigned twice',
        );
        assert.equal(await storage.reader.countPets({}), 22);
      });
    });

    it('uses a name once when two instances create categories concurrently', async () => {
      await withAnother(storage, async (other) => {
        const desks = [desksOn(storage), desksOn(other)] as const;

        const settled = await Promise.allSettled(
          Array.from({ length: 20 }, (_, i) =>
            desks[i % 2 ? 1 : 0].categories.create({ name: i % 3 ? 'Cats' : 'CATS' }),
          ),
        );

        assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1);
        for (const each of settled) if (each.status === 'rejected') assertInstance(each.reason, CategoryNameTaken);
        assert.equal(await storage.reader.countCategories({}), 2);
      });
    });

    it('deletes a category or puts a pet into it when two instances try both', async () => {
      await withAnother(storage, async (other) => {
        for (let round = 0; round < 10; round++) {
          const [one, two] = round % 2 ? [storage, other] : [other, storage];
          const { id } = await desksOn(one).categories.create({ name: `Category ${round}` });
          const acts = [
            () => desksOn(one).categories.delete(id),
            () => desksOn(two).pets.create({ name: 'Tom', categoryId: id }),
          ];

          const settled = await Promise.allSettled((round % 3 ? acts : acts.toReversed()).map((act) => act()));

          assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1, 'both or none succeeded');
          for (const each of settled) if (each.status === 'rejected') assertInstance(each.reason, DomainError);
        }
        assert.deepEqual((await desksOn(other).auditor.audit()).findings, []);
      });
    });

    it('orders a pet or deletes it when two instances try both', async () => {
      await withAnother(storage, async (other) => {
        for (let round = 0; round < 10; round++) {
          const [one, two] = round % 2 ? [storage, other] : [other, storage];
          const { id } = await desksOn(one).pets.create({ name: 'Wuff', categoryId: 1 });
          const acts = [
            () => desksOn(one).pets.delete(id),
            () => desksOn(two).orders.place({ petId: id, quantity: 1 }),
          ];

          const settled = await Promise.allSettled((round % 3 ? acts : acts.toReversed()).map((act) => act()));

          assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1, 'both or none succeeded');
          for (const each of settled) if (each.status === 'rejected') assertInstance(each.reason, DomainError);
        }
        assert.deepEqual((await desksOn(other).auditor.audit()).findings, []);
      });
    });

    for (const [what, increment] of Object.entries(INCREMENTS)) {
      it(`loses no change when two instances change ${what} concurrently`, async () => {
        await withAnother(storage, async (other) => {
          await Promise.all(
            Array.from({ length: 20 }, (_, i) => (i % 2 ? storage : other).work.write(increment.change)),
          );

          for (const { reader } of [storage, other]) assert.equal(await increment.totalIn(reader), 20);
        });
      });
    }

    it('sells no unit twice when two instances sell concurrently', async () => {
      await withAnother(storage, async (other) => {
        const [one, two] = [desksOn(storage), desksOn(other)];

        const settled = await Promise.allSettled(
          Array.from({ length: 80 }, (_, i) => (i % 2 ? one : two).orders.place({ petId: 1, quantity: 1 })),
        );

        for (const each of settled) {
          if (each.status === 'fulfilled') continue;
          assert.ok(
            each.reason instanceof PetNotAvailable || each.reason instanceof InsufficientStock,
            String(each.reason),
          );
        }
        const ids = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value.id] : []));
        assert.equal(ids.length, 50);
        assert.equal(new Set(ids).size, 50, 'an identifier was given twice');
        assert.partialDeepStrictEqual(await other.reader.inventoryItem(1), { quantity: 60, reserved: 60 });
        assert.deepEqual((await desksOn(other).auditor.audit()).findings, []);
      });
    });
  });
}
