import assert from 'node:assert/strict';
import type { OpenOptions } from '../../application/ports/storage.ts';
import { InsufficientStock, PetNotAvailable } from '../../domain/refusals.ts';
import { itUnless, type TestFunctions } from '../test-functions.ts';
import { desksOn, pictureOf } from './shop.ts';
import type { OpenedStorage, StorageUnderTest } from './storage-under-test.ts';

/** Does something with another opening of what is kept, and lets go of that. */
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
