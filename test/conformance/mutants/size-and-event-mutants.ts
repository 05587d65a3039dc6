import type { StoredEvent } from '../../../src/application/ports/event-log.ts';
import { InventoryItem } from '../../../src/domain/inventory-item.ts';
import { CategoryNameTaken } from '../../../src/domain/refusals.ts';
import { altered, inMemory, logOf, type Mutant, scoped } from './mutant-storage.ts';

/** Faults in large values and in events. */
export const SIZE_AND_EVENT_MUTANTS: Readonly<Record<string, Mutant>> = {
  'identifiers of four bytes': {
    caughtBy: 'a storage OrderRepository assigns the largest identifier that every client represents exactly',
    storage: scoped(({ orders }) => ({
      orders: altered(orders, { nextId: async () => (await orders.nextId()) % 2 ** 31 }),
    })),
  },
  'units in numbers of four bytes': {
    caughtBy:
      'a storage WriteScope stores large values completely, so it stores the largest numbers of units, and calculates with them exactly',
    storage: scoped(({ inventory }) => ({
      inventory: altered(inventory, {
        save: (item) => {
          const { reserved, ...facts } = item.snapshot();
          return inventory.save(InventoryItem.recall({ ...facts, reserved: Math.fround(reserved) }));
        },
      }),
    })),
  },
  'a batch that is cut after five hundred pets': {
    caughtBy: 'a storage WriteScope stores large values completely, so it stores every pet of a batch of a thousand',
    storage: scoped(({ pets, ledger }) => {
      let added = 0;
      const isKept = () => added <= 500;
      return {
        pets: altered(pets, { add: async (pet, item) => void (++added && isKept() && (await pets.add(pet, item))) }),
        ledger: { append: async (entry) => void (isKept() && (await ledger.append(entry))) },
      };
    }),
  },
  'names that are compared by their first hundred UTF-16 units': {
    caughtBy:
      'a storage WriteScope stores large values completely, so it distinguishes names by the last of their hundred characters',
    storage: (() => {
      const taken = new Set<string>();
      return scoped(({ categories }) => ({
        categories: altered(categories, {
          async add(category) {
            const beginning = category.name.slice(0, 100);
            if (taken.has(beginning)) throw new CategoryNameTaken(category.name);
            taken.add(beginning);
            await categories.add(category);
          },
        }),
      }));
    })(),
  },
  'an event that is stored twice': {
    caughtBy: 'a storage Outbox contains every concurrent change once, causes before effects',
    storage: scoped(({ outbox }) => ({
      outbox: altered(outbox, {
        async append(event) {
          await outbox.append(event);
          if (event.type === 'order.placed') await outbox.append(event);
        },
      }),
    })),
  },
  'two events at one position': {
    caughtBy: 'a storage Outbox assigns each a unique position, and those of a unit in their order, under concurrency',
    storage: inMemory({
      rest: (store) => ({
        eventLog: logOf(store, ({ events }) =>
          events.map((event) => ({ ...event, position: Math.ceil(event.position / 2) })),
        ),
      }),
    }),
  },
  'events in the order of their types': {
    caughtBy: 'a storage Outbox returns those of a later unit of work after those of an earlier one',
    storage: inMemory({
      rest: (store) => ({
        eventLog: logOf(store, ({ events }) => events.toSorted((one, other) => (one.type < other.type ? -1 : 1))),
      }),
    }),
  },
  'events without their data': {
    caughtBy: 'a storage Outbox returns the data and the instant of each as they were appended',
    storage: inMemory({
      rest: (store) => ({
        eventLog: logOf(store, ({ events }) =>
          events.map((event) => ({ ...event, data: { id: 1 } }) as unknown as StoredEvent),
        ),
      }),
    }),
  },
  'instants of events that are rounded to seconds': {
    caughtBy: 'a storage Outbox returns the data and the instant that a use case states',
    storage: inMemory({
      rest: (store) => ({
        eventLog: logOf(store, ({ events }) =>
          events.map((event) => ({ ...event, at: Math.floor(event.at / 1000) * 1000 })),
        ),
      }),
    }),
  },
};
