import { InventoryItem } from '../../../src/domain/inventory-item.ts';
import { CategoryNameTaken } from '../../../src/domain/refusals.ts';
import { altered, type Fault, inMemory, scoped } from './faulty-storage.ts';

/** What is wrong with values that are large, and with what is told of them. */
export const SIZE_AND_EVENT_FAULTS: Readonly<Record<string, Fault>> = {
  'identifiers of four bytes': {
    caughtBy: 'a repository of orders gives the last identifier that every client holds exactly',
    storage: scoped(({ orders }) => ({
      orders: altered(orders, { nextId: async () => (await orders.nextId()) % 2 ** 31 }),
    })),
  },
  'units in numbers of four bytes': {
    caughtBy:
      'a repository of whatever size keeps all of it, so it keeps the greatest numbers of units, and counts with them exactly',
    storage: scoped(({ inventory }) => ({
      inventory: altered(inventory, {
        save: (item) => {
          const { reserved, ...facts } = item.snapshot();
          return inventory.save(InventoryItem.recall({ ...facts, reserved: Math.fround(reserved) }));
        },
      }),
    })),
  },
  'a batch of which only the first five hundred are kept': {
    caughtBy: 'a repository of whatever size keeps all of it, so it keeps a batch of a thousand, every one of them',
    storage: scoped(({ pets, ledger }) => {
      let added = 0;
      const isKept = () => added <= 500;
      return {
        pets: altered(pets, { add: async (pet, item) => void (++added && isKept() && (await pets.add(pet, item))) }),
        ledger: { append: async (entry) => void (isKept() && (await ledger.append(entry))) },
      };
    }),
  },
  'names of which only the beginning is compared': {
    caughtBy:
      'a repository of whatever size keeps all of it, so it tells names apart by the last of their hundred characters',
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
  'an event that is told twice': {
    caughtBy:
      'a repository of events tells of everything that was done at once, of each thing once, what caused it before what came of it',
    storage: scoped(({ outbox }) => ({
      outbox: {
        async append(event) {
          await outbox.append(event);
          if (event.type === 'order.placed') await outbox.append(event);
        },
      },
    })),
  },
  'two events at one position': {
    caughtBy:
      'a repository of events gives each a position of its own, and those of a unit in their order, however many append at once',
    storage: inMemory({
      rest: (store) => ({
        events: async () => store.events.map(({ position, type }) => ({ type, position: Math.ceil(position / 2) })),
      }),
    }),
  },
  'events in the order of what they are about': {
    caughtBy: 'a repository of events gives those of a later unit of work behind those of an earlier one',
    storage: inMemory({
      rest: (store) => ({
        events: async () => store.events.toSorted((one, other) => (one.type < other.type ? -1 : 1)),
      }),
    }),
  },
};
