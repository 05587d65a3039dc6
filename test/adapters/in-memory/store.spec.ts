import { expect } from 'chai';
import fc from 'fast-check';
import { InMemoryReader } from '../../../src/adapters/in-memory/reader.ts';
import { SortedList } from '../../../src/adapters/in-memory/sorted-list.ts';
import { InMemoryStorage } from '../../../src/adapters/in-memory/storage.ts';
import { InMemoryStore } from '../../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../../src/adapters/in-memory/unit-of-work.ts';
import { StorageUnavailable } from '../../../src/application/ports/unit-of-work.ts';
import { desksOn } from '../../conformance/storage/storage-under-test.ts';
import { failureOf, latch, yieldToEventLoop } from '../../support/promises.ts';

/* What the in-memory adapter promises beyond the ports. */

function openStore() {
  const store = new InMemoryStore();
  const storage = new InMemoryStorage(store);
  const work = new InMemoryUnitOfWork(store);
  const reader = new InMemoryReader(store);
  const desks = desksOn({ work, reader });
  return { store, storage, work, reader, desks };
}

describe('An in-memory store', () => {
  it('shows the committed events with their data, from position 1', async () => {
    const { store, desks } = openStore();
    await desks.categories.create({ name: 'Dogs' });
    await failureOf(desks.categories.create({ name: 'DOGS' }));
    await desks.pets.create({ name: 'Rex', categoryId: 1 });

    const at = desks.clock.now();
    expect(store.events).to.deep.equal([
      { position: 1, type: 'category.created', data: { id: 1, name: 'Dogs' }, at },
      { position: 2, type: 'pet.created', data: { id: 1, name: 'Rex', categoryId: 1, status: 'available' }, at },
    ]);
  });

  it('is one store for every unit of work and reader on it', async () => {
    const { store, work } = openStore();
    const trace: string[] = [];
    const unit = (on: InMemoryUnitOfWork, name: string) =>
      on.write(async ({ categories }) => {
        trace.push(name);
        await categories.exists(1);
        trace.push(name);
      });

    await Promise.all([unit(work, 'A'), unit(new InMemoryUnitOfWork(store), 'B')]);

    expect(trace.join('')).to.equal('AABB');
  });

  it('aborts a unit of work that would never end when it is closed', async () => {
    const { storage, work } = openStore();
    const begun = latch();
    const stuck = work.write(async () => {
      begun.open();
      await new Promise(() => {});
    });
    const failure = failureOf(stuck);
    await begun.opened;

    await storage.close();

    expect(await failure).to.be.instanceOf(StorageUnavailable);
  });

  it('is closed only after the waiting units of work were rejected', async () => {
    const { storage, work } = openStore();
    const begun = latch();
    let left = 7;
    const unit = async () => {
      begun.open();
      await new Promise(() => {});
    };
    for (let i = 0; i < 7; i++) void failureOf(work.write(unit)).then(() => left--);
    await begun.opened;

    await storage.close();

    expect(left).to.equal(0);
  });

  it('is empty when it is opened again', async () => {
    const { store, storage, reader, desks } = openStore();
    await desks.categories.create({ name: 'Dogs' });

    await storage.close();
    await storage.open();

    expect(await reader.countCategories({})).to.equal(0);
    expect(store.events).to.deep.equal([]);
    expect(await desks.categories.create({ name: 'Dogs' })).to.include({ id: 1 });
  });

  it('does not keep the process alive for a unit of work that does not end', async () => {
    const { storage, work } = openStore();
    await yieldToEventLoop();
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    const begun = latch();
    const stuck = failureOf(
      work.write(async () => {
        begun.open();
        await new Promise(() => {});
      }),
    );
    await begun.opened;

    expect(timers()).to.equal(before);

    await storage.close();
    await stuck;
  });
});

describe('A sorted list', () => {
  it('equals a sorted array after any insertions and removals', () => {
    const numbers = fc.array(fc.integer({ min: 0, max: 9_999 }), { minLength: 4_000, maxLength: 8_000, size: 'max' });

    fc.assert(
      fc.property(numbers, numbers, fc.array(fc.integer({ min: -1, max: 10_000 })), (added, removed, places) => {
        const list = new SortedList<number>((a, b) => a - b);
        const wanted = new Set(added);
        for (const number of wanted) list.add(number);
        for (const number of removed) {
          list.remove(number);
          wanted.delete(number);
        }

        const sorted = [...wanted].sort((a, b) => a - b);
        expect([...list.ascending()]).to.deep.equal(sorted);
        expect([...list.descending()]).to.deep.equal(sorted.toReversed());
        for (const place of places) {
          expect([...list.ascending(place)]).to.deep.equal(sorted.filter((number) => number > place));
          expect([...list.descending(place)]).to.deep.equal(sorted.toReversed().filter((number) => number < place));
        }
        for (const number of wanted) list.remove(number);
        expect([...list.ascending(), ...list.descending()]).to.deep.equal([]);
      }),
      { numRuns: 10 },
    );
  });
});
