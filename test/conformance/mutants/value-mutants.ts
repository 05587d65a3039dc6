import { InMemoryReader } from '../../../src/adapters/in-memory/reader.ts';
import type { PageBounds, PetView } from '../../../src/application/ports/reader.ts';
import { Category } from '../../../src/domain/category.ts';
import { LimitExceeded } from '../../../src/domain/limits.ts';
import { Order } from '../../../src/domain/order.ts';
import { Pet } from '../../../src/domain/pet.ts';
import { altered, inMemory, type Mutant, scoped, writing } from './mutant-storage.ts';

/** Faults in the values that are stored and returned. */
export const VALUE_MUTANTS: Readonly<Record<string, Mutant>> = {
  'a rounded identifier, which finds its neighbour': {
    caughtBy: 'a storage WriteScope stores the largest identifiers and numbers exactly',
    storage: inMemory({
      reader: (store) =>
        new (class extends InMemoryReader {
          override async pet(id: number) {
            return (await super.pet(id)) ?? (await super.pet(Number(BigInt(id) + 1n)));
          }
        })(store),
    }),
  },
  'a pet without movements that counts as missing': {
    caughtBy: 'a storage Reader shows a pet without movements, whose list is empty',
    storage: inMemory({
      reader: (store) =>
        new (class extends InMemoryReader {
          override async movements(petId: number, page: PageBounds) {
            const found = await super.movements(petId, page);
            return found?.rows.length === 0 ? undefined : found;
          }
        })(store),
    }),
  },
  'an identifier that is reused after its pet was deleted': {
    caughtBy: 'a storage PetRepository never reuses the identifier of a deleted entity',
    storage: scoped(({ pets }, store) => {
      let last = Math.max(0, ...Array.from(store.tables.pets.all(), ({ id }) => id));
      return { pets: altered(pets, { nextId: async () => (last += 1) }) };
    }),
  },
  'descending identifiers: a unit of work gets those that a batch left': {
    caughtBy:
      'a storage CategoryRepository assigns a larger identifier than every one that was acknowledged before, also after batches',
    storage: (() => {
      const spare = new WeakMap<object, number[]>();
      return scoped(({ categories }, store) => {
        const ahead: number[] = [];
        const left = spare.get(store) ?? [];
        spare.set(store, left);
        const nextId = async () => {
          // Each unit of work but the first takes two at a time, and keeps one of them for later.
          const first = left.length > 2 ? left.shift() : undefined;
          if (first !== undefined) return first;
          const id = (ahead.at(-1) ?? (await categories.nextId()) - 1) + 2;
          ahead.push(id);
          left.push(id - 1);
          return id;
        };
        return { categories: altered(categories, { nextId }) };
      });
    })(),
  },
  'a ship date that counts as missing because its number is 0': {
    caughtBy:
      'a storage Reader distinguishes the earliest instant from none, so that an order is sorted by that ship date, and disappears when it is cancelled',
    storage: scoped(({ orders }) => {
      const save: typeof orders.save = (order) =>
        orders.save(Order.recall({ ...order.snapshot(), shipDate: order.snapshot().shipDate || undefined }));
      return { orders: altered(orders, { save }) };
    }),
  },
  'a missing pet as an error in a unit of work': {
    caughtBy: 'a storage UnitOfWork has a scope that returns undefined, false or nothing for what does not exist',
    storage: scoped(({ pets }) => {
      const find: typeof pets.find = async (id) => {
        const pet = await pets.find(id);
        if (!pet) throw new Error(`No pet ${id}.`);
        return pet;
      };
      return { pets: altered(pets, { find }) };
    }),
  },
  'a missing order as null in a reader': {
    caughtBy: 'a storage Reader shows undefined for what does not exist',
    storage: inMemory({
      reader: (store) =>
        new (class extends InMemoryReader {
          override async order(id: number) {
            return (await super.order(id)) ?? (null as never);
          }
        })(store),
    }),
  },
  'a reader that returns its own rows instead of copies': {
    caughtBy:
      'a storage UnitOfWork returns and accepts copies, so that changing the rows of a reader changes no later result',
    storage: inMemory({
      reader: (store) => {
        const given = new Map<number, PetView>();
        return new (class extends InMemoryReader {
          override async pet(id: number) {
            const pet = given.get(id) ?? (await super.pet(id));
            if (pet) given.set(id, pet);
            return pet;
          }
        })(store);
      },
    }),
  },
  'a property with the value undefined for a missing fact': {
    caughtBy: 'a storage Reader shows categories and orders without absent facts',
    storage: inMemory({
      reader: (store) =>
        new (class extends InMemoryReader {
          override async order(id: number) {
            const order = await super.order(id);
            return order && { ...order, shipDate: order.shipDate };
          }
        })(store),
    }),
  },
  'a large value that is cut at 64 KiB': {
    caughtBy: 'a storage IdempotencyStore stores large responses exactly, with any characters',
    storage: scoped(({ idempotency }) => ({
      idempotency: altered(idempotency, {
        save: (id, record) => idempotency.save(id, { ...record, response: record.response.slice(0, 65_536) }),
      }),
    })),
  },
  'a name that is cut after a hundred UTF-16 units': {
    caughtBy:
      'a storage WriteScope stores large values completely, so it stores the longest texts that the rules allow, to the last character',
    storage: scoped(({ categories }) => ({
      categories: altered(categories, {
        add: (category) => {
          const facts = category.snapshot();
          return categories.add(Category.recall({ ...facts, name: facts.name.slice(0, 100) }));
        },
      }),
    })),
  },
  'a request id in another normal form': {
    caughtBy: 'a storage IdempotencyStore distinguishes requests by their normal form in the id',
    storage: scoped(({ idempotency }) => ({
      idempotency: altered(idempotency, {
        lock: (id) => idempotency.lock(id.normalize('NFC')),
        save: (id, record) => idempotency.save(id.normalize('NFC'), record),
      }),
    })),
  },
  'request ids that are compared regardless of case': {
    caughtBy: 'a storage IdempotencyStore distinguishes requests by their case in the id',
    storage: scoped(({ idempotency }) => ({
      idempotency: altered(idempotency, {
        lock: (id) => idempotency.lock(id.toLowerCase()),
        save: (id, record) => idempotency.save(id.toLowerCase(), record),
      }),
    })),
  },
  'deletion of the records that were saved at the instant itself': {
    caughtBy: 'a storage IdempotencyStore deletes the records saved before an instant, and returns their number',
    storage: scoped(({ idempotency }) => ({
      idempotency: altered(idempotency, {
        deleteExpired: (savedBefore, most) => idempotency.deleteExpired(savedBefore + 1, most),
      }),
    })),
  },
  'deletion of more records than requested': {
    caughtBy: 'a storage IdempotencyStore deletes no more than requested, the oldest first',
    storage: scoped(({ idempotency }) => ({
      idempotency: altered(idempotency, {
        deleteExpired: (savedBefore) => idempotency.deleteExpired(savedBefore, 1_000),
      }),
    })),
  },
  'sums in numbers of four bytes': {
    caughtBy: 'a storage WriteScope never rounds a sum of units',
    storage: inMemory({
      reader: (store) =>
        new (class extends InMemoryReader {
          override async summary() {
            const { available, ...others } = await super.summary();
            return { ...others, available: { ...available, units: Math.fround(available.units) } };
          }
        })(store),
    }),
  },
  'an order for a missing pet that is accepted': {
    caughtBy:
      'a storage WriteScope keeps references intact, so that a unit of work fails if an order is added for no pet',
    storage: scoped(({ orders }) => ({
      orders: altered(orders, { add: (order) => orders.add(order).catch(() => undefined) }),
    })),
  },
  'a reader that responds after the storage was closed': {
    caughtBy:
      'a storage Storage while it is open and after, rejects every call with StorageUnavailable once it is closed',
    storage: inMemory({
      reader: (store) =>
        new (class extends InMemoryReader {
          override async countOrders(filter: object) {
            return super.countOrders(filter).catch(() => 0);
          }
        })(store),
    }),
  },
  'counts that do not stop': {
    caughtBy: 'a storage Reader lists pets, and the list without changes counts the rows that match, for every filter',
    storage: inMemory({
      reader: (store) =>
        new (class extends InMemoryReader {
          override async countPets(filter: object) {
            return super.countPets(filter);
          }
        })(store),
    }),
  },
  'names that are normalised': {
    caughtBy:
      'a storage WriteScope stores text to the letter, so it returns names and descriptions with letters with their marks apart as they were saved',
    storage: scoped(({ categories }) => ({
      categories: altered(categories, {
        save: (category) =>
          categories.save(Category.recall({ ...category.snapshot(), name: category.name.normalize('NFC') })),
      }),
    })),
  },
  'descriptions that are trimmed': {
    caughtBy:
      'a storage WriteScope stores text to the letter, so it returns names and descriptions with white space at both ends as they were saved',
    storage: scoped(({ categories }) => ({
      categories: altered(categories, {
        save: (category) =>
          categories.save(Category.recall({ ...category.snapshot(), description: category.description?.trim() })),
      }),
    })),
  },
  'names of digits that become numbers': {
    caughtBy:
      'a storage WriteScope stores text to the letter, so it returns names and descriptions with a number as they were saved',
    storage: scoped(({ pets }) => ({
      pets: altered(pets, {
        save: (pet) =>
          pets.save(Pet.recall({ ...pet.snapshot(), name: /^\d+$/.test(pet.name) ? `${Number(pet.name)}` : pet.name })),
      }),
    })),
  },
  'a limit of its own for names: 255 bytes': {
    caughtBy:
      'a storage WriteScope stores large values completely, so it stores the longest texts that the rules allow, to the last character',
    storage: scoped(({ pets }) => ({
      pets: altered(pets, {
        async add(pet, item) {
          if (Buffer.byteLength(pet.name) > 255) throw new Error('value too long for type character varying(255)');
          await pets.add(pet, item);
        },
      }),
    })),
  },
  'an error of its own for a value beyond the limits': {
    caughtBy:
      'a storage WriteScope stores large values completely, so it rejects a unit of work whose value is beyond a limit with LimitExceeded, and keeps nothing of it',
    storage: inMemory({
      work: (_, own) =>
        writing((work) =>
          own.write(work).catch((error: unknown) => {
            throw error instanceof LimitExceeded ? new Error('value too long for type character varying(100)') : error;
          }),
        ),
    }),
  },
};
