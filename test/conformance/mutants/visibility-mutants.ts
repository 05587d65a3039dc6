import { InMemoryReader } from '../../../src/adapters/in-memory/reader.ts';
import type { StockRecord } from '../../../src/domain/audit.ts';
import { yieldToEventLoop } from '../../support/promises.ts';
import { altered, inMemory, type Mutant, writing } from './mutant-storage.ts';

/** Faults in what readers see, and when. */
export const VISIBILITY_MUTANTS: Readonly<Record<string, Mutant>> = {
  'a dirty read by id: a pet has its new name before that is committed': {
    caughtBy:
      'a storage UnitOfWork is invisible until it is committed, so that a reader reads by id sees the previous state while one is in progress, and does not wait for it',
    storage: (() => {
      const uncommitted = new Map<number, string>();
      return inMemory({
        work: (_, own) =>
          writing((work) =>
            own
              .write(({ pets, ...scope }) => {
                const save: typeof pets.save = async (pet) => {
                  await pets.save(pet);
                  uncommitted.set(pet.id, pet.name);
                };
                return work({ ...scope, pets: altered(pets, { save }) });
              })
              .finally(() => uncommitted.clear()),
          ),
        reader: (store) =>
          new (class extends InMemoryReader {
            override async pet(id: number) {
              const pet = await super.pet(id);
              return pet && { ...pet, name: uncommitted.get(id) ?? pet.name };
            }
          })(store),
      });
    })(),
  },
  'a read by id that waits for the unit of work in progress': {
    caughtBy:
      'a storage UnitOfWork is invisible until it is committed, so that a reader reads by id sees the previous state while one is in progress, and does not wait for it',
    timeout: 300,
    storage: inMemory({
      reader: (store) =>
        new (class extends InMemoryReader {
          override async order(id: number) {
            await store.mutex.idle();
            return super.order(id);
          }
        })(store),
    }),
  },
  'a pet whose stock is from a later moment': {
    caughtBy:
      'a storage UnitOfWork is invisible until it is committed, so that a reader sees a pet, its category and its stock from one moment',
    storage: inMemory({
      reader: (store) =>
        new (class extends InMemoryReader {
          override async storePet(id: number, expand: { category: boolean; inventory: boolean }) {
            const pet = await super.storePet(id, expand);
            if (!expand.inventory) return pet;
            await yieldToEventLoop();
            const inventory = await super.inventoryItem(id);
            return pet && { ...pet, ...(inventory && { inventory }) };
          }
        })(store),
    }),
  },
  'an audit that reads the stock of a pet and its orders at different moments': {
    caughtBy:
      'a storage UnitOfWork is invisible until it is committed, so that a reader reads each stock record from one moment, while stock changes',
    storage: inMemory({
      reader: (store) =>
        new (class extends InMemoryReader {
          override async *stockRecords(): AsyncGenerator<StockRecord> {
            for await (const record of super.stockRecords()) {
              await yieldToEventLoop(2);
              const now = await super.inventoryItem(record.petId);
              yield now ? { ...record, reserved: now.reserved } : record;
            }
          }
        })(store),
    }),
  },
};
