import { Mutex } from '../../../src/adapters/in-memory/mutex.ts';
import { InMemoryReader } from '../../../src/adapters/in-memory/reader.ts';
import type { InMemoryStore } from '../../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../../src/adapters/in-memory/unit-of-work.ts';
import type { IdempotencyRecord } from '../../../src/application/ports/idempotency-store.ts';
import type { CategoryFilter, CategorySort, PageRequest } from '../../../src/application/ports/reader.ts';
import { Storage } from '../../../src/application/ports/storage.ts';
import type { WriteScope } from '../../../src/application/ports/unit-of-work.ts';
import type { ApiKey } from '../../../src/domain/api-key.ts';
import type { Category } from '../../../src/domain/category.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { InventoryItem, type InventoryItemSnapshot } from '../../../src/domain/inventory-item.ts';
import type { Order } from '../../../src/domain/order.ts';
import { yieldToEventLoop } from '../../support/promises.ts';
import { altered, inMemory, type Mutant, scoped, writing } from './mutant-storage.ts';

/** A storage that collects what its units of work pass to a port, and does something with it when they end. */
function collecting<Thing>(
  watch: (scope: WriteScope, things: Thing[]) => Partial<WriteScope>,
  end: (scope: WriteScope, things: readonly Thing[], how: 'well' | 'badly') => Promise<void>,
) {
  return inMemory({
    work: (_, own) =>
      writing(async (work) => {
        const things: Thing[] = [];
        try {
          return await own.write(async (scope) => {
            const result = await work({ ...scope, ...watch(scope, things) });
            await end(scope, things, 'well');
            return result;
          });
        } catch (error) {
          await own.write((scope) => end(scope, things, 'badly')).catch(() => undefined);
          throw error;
        }
      }),
  });
}

/** Faults in the beginning, the end and the isolation of units of work. */
export const UNIT_MUTANTS: Readonly<Record<string, Mutant>> = {
  'a storage that closes before its running units of work have ended': {
    caughtBy: 'a storage Storage while it is open and after, ends the units of work that run or wait when it is closed',
    storage: inMemory({
      rest: () => ({
        storage: new (class extends Storage {
          override open = async () => undefined;
          override close = async () => undefined;
          override check = async () => undefined;
        })(),
      }),
    }),
  },
  'lost updates: concurrent units of work commit without a lock': {
    caughtBy: 'a storage UnitOfWork is isolated, so that no update is lost between reading and saving',
    storage: inMemory({
      work: (store) =>
        writing((work) => {
          const unguarded = {
            mutex: new Mutex(),
            tables: store.tables,
            eventsAppended: store.eventsAppended,
          } as unknown as InMemoryStore;
          return new InMemoryUnitOfWork(unguarded).write(work);
        }),
    }),
  },
  'overselling in a batch: a second lock in a unit of work returns the state of the first': {
    caughtBy:
      'a storage UnitOfWork is consistent in batches, so that orders of one pet in one batch sell no unit twice',
    storage: scoped(({ inventory }) => {
      const first = new Map<number, InventoryItemSnapshot | undefined>();
      return {
        inventory: altered(inventory, {
          async lock(petId) {
            if (!first.has(petId)) first.set(petId, (await inventory.lock(petId))?.snapshot());
            const facts = first.get(petId);
            return facts && InventoryItem.recall(facts);
          },
        }),
      };
    }),
  },
  'no rollback: a failed unit of work keeps its changes': {
    caughtBy: 'a storage UnitOfWork is all or nothing, so it keeps nothing when the work throws, at any step',
    storage: inMemory({
      work: (_, own) =>
        writing(async (work) => {
          const outcome = await own.write((scope) => Promise.allSettled([work(scope)]));
          if (outcome[0].status === 'rejected') throw outcome[0].reason;
          return outcome[0].value;
        }),
    }),
  },
  'a partial rollback: a failed unit of work keeps its events': {
    caughtBy: 'a storage Outbox contains nothing of a unit of work that failed or is in progress',
    storage: collecting<DomainEvent>(
      ({ outbox }, appended) => ({
        outbox: altered(outbox, {
          async append(event) {
            appended.push(event);
            await outbox.append(event);
          },
        }),
      }),
      async ({ outbox }, appended, how) => {
        if (how === 'badly') for (const event of appended) await outbox.append(event);
      },
    ),
  },
  'a partial rollback: a failed unit of work keeps its idempotency record': {
    caughtBy: 'a storage IdempotencyStore commits a record together with the changes, or neither',
    storage: collecting<[string, IdempotencyRecord]>(
      ({ idempotency }, kept) => ({
        idempotency: altered(idempotency, {
          async save(requestId, record) {
            kept.push([requestId, record]);
            await idempotency.save(requestId, record);
          },
        }),
      }),
      async ({ idempotency }, kept, how) => {
        if (how === 'badly') for (const [requestId, record] of kept) await idempotency.save(requestId, record);
      },
    ),
  },
  'no copy of a saved entity: it is stored as it is when the unit of work ends': {
    caughtBy:
      'a storage UnitOfWork returns and accepts copies, so that changing a saved entity changes nothing until it is saved again',
    storage: collecting<Order>(
      ({ orders }, saved) => ({
        orders: altered(orders, {
          async save(order) {
            saved.push(order);
            await orders.save(order);
          },
        }),
      }),
      async ({ orders }, saved) => {
        for (const order of saved) await orders.save(order);
      },
    ),
  },
  'no copy of a returned entity: it is saved without a call': {
    caughtBy:
      'a storage UnitOfWork returns and accepts copies, so that changing a returned entity changes nothing until it is saved',
    storage: collecting<Category>(
      ({ categories }, seen) => ({
        categories: altered(categories, {
          async lock(id) {
            const category = seen.find((one) => one.id === id) ?? (await categories.lock(id));
            if (category) seen.push(category);
            return category;
          },
        }),
      }),
      async ({ categories }, seen) => {
        for (const category of seen) await categories.save(category);
      },
    ),
  },
  'events of a unit of work in reverse order': {
    caughtBy: 'a storage Outbox returns those of one unit of work in the order in which they were appended',
    storage: collecting<DomainEvent>(
      ({ outbox }, appended) => ({
        outbox: altered(outbox, { append: async (event) => void appended.unshift(structuredClone(event)) }),
      }),
      async ({ outbox }, appended, how) => {
        if (how === 'well') for (const event of appended) await outbox.append(event);
      },
    ),
  },
  'a swallowed error: a failed unit of work resolves': {
    caughtBy: 'a storage UnitOfWork is all or nothing, so it rethrows an error unchanged',
    storage: inMemory({
      work: (_, own) => writing((work) => own.write(work).catch(() => undefined as never)),
    }),
  },
  'a wrapped error: a refusal becomes a failure of the storage': {
    caughtBy: 'a storage UnitOfWork is all or nothing, so it rethrows a refusal unchanged',
    storage: inMemory({
      work: (_, own) =>
        writing((work) =>
          own.write(work).catch((cause: unknown) => {
            throw new Error('The transaction failed.', { cause });
          }),
        ),
    }),
  },
  'a scope that still works after its unit of work has ended': {
    caughtBy: 'a storage UnitOfWork has a scope that throws and does nothing after its unit has ended well',
    storage: inMemory({
      work: (_, own) =>
        writing((work) =>
          own.write((scope) => {
            const exists = (id: number) =>
              scope.categories.exists(id).catch(() => own.write(({ categories }) => categories.exists(id)));
            return work({ ...scope, categories: altered(scope.categories, { exists }) });
          }),
        ),
    }),
  },
  'an early acknowledgement: a unit of work resolves before it is committed': {
    caughtBy:
      'a storage UnitOfWork is isolated, so that the changes of each are visible as soon as it has ended, while others are in progress',
    storage: inMemory({
      work: (_, own) =>
        writing(
          (work) =>
            new Promise((resolve, reject) => {
              const later = own.write(async (scope) => {
                resolve(await work(scope));
                await yieldToEventLoop(2);
              });
              later.catch(reject);
            }),
        ),
    }),
  },
  'a dirty read in a list: a category has its new name before that is committed': {
    caughtBy:
      'a storage UnitOfWork is invisible until it is committed, so that a reader sees the previous state while one is in progress, and does not wait for it',
    storage: (() => {
      const unkept = new Map<number, string>();
      return inMemory({
        work: (_, own) =>
          writing((work) =>
            own
              .write(({ categories, ...scope }) => {
                const save = async (category: Category) => {
                  await categories.save(category);
                  unkept.set(category.id, category.name);
                };
                return work({ ...scope, categories: altered(categories, { save }) });
              })
              .finally(() => unkept.clear()),
          ),
        reader: (store) =>
          new (class extends InMemoryReader {
            override async categories(filter: CategoryFilter, page: PageRequest<CategorySort>) {
              const { rows, next } = await super.categories(filter, page);
              return { rows: rows.map((row) => ({ ...row, name: unkept.get(row.id) ?? row.name })), next };
            }
          })(store),
      });
    })(),
  },
  'a dirty read of an API key': {
    caughtBy: 'a storage ApiKeyRepository is visible as soon as its unit of work has ended, and not before',
    storage: (() => {
      const unkept = new Map<number, ApiKey>();
      return inMemory({
        work: (_, own) =>
          writing((work) =>
            own
              .write(({ apiKeys, ...scope }) => {
                const add = async (key: ApiKey) => {
                  await apiKeys.add(key);
                  unkept.set(key.id, key);
                };
                return work({ ...scope, apiKeys: altered(apiKeys, { add }) });
              })
              .finally(() => unkept.clear()),
          ),
        reader: (store) =>
          new (class extends InMemoryReader {
            override async apiKey(id: number) {
              return unkept.get(id)?.snapshot() ?? super.apiKey(id);
            }
          })(store),
      });
    })(),
  },
  'a reader that waits for the unit of work in progress': {
    caughtBy:
      'a storage UnitOfWork is invisible until it is committed, so that a reader sees the previous state while one is in progress, and does not wait for it',
    timeout: 300,
    storage: inMemory({
      reader: (store) =>
        new (class extends InMemoryReader {
          override async summary() {
            await store.mutex.idle();
            return super.summary();
          }
        })(store),
    }),
  },
  'a unit of work that ignores its signal': {
    caughtBy:
      'a storage UnitOfWork whose signal is aborted while it never ends is rolled back and rejected with the reason, and the ones after it run',
    timeout: 600,
    storage: inMemory({ work: (_, own) => writing((work) => own.write(work)) }),
  },
  'a unit of work that looks at its signal only before it begins': {
    caughtBy:
      'a storage UnitOfWork whose signal is aborted right before the commit is rejected with the reason, and changes nothing',
    storage: inMemory({
      work: (_, own) =>
        writing(async (work, { signal } = {}) => {
          signal?.throwIfAborted();
          return own.write(work);
        }),
    }),
  },
  'a unit of work that is executed although its signal was aborted before': {
    caughtBy:
      'a storage UnitOfWork whose signal is aborted before it begins is rejected with the reason, and not executed',
    storage: inMemory({
      work: (_, own) =>
        writing((work, options) =>
          options?.signal?.aborted
            ? own.write(work).then(() => Promise.reject(options.signal?.reason))
            : own.write(work, options),
        ),
    }),
  },
  'a group commit in which one failed unit of work fails another': {
    caughtBy: 'a storage UnitOfWork is isolated, so that one that fails does not affect the others',
    storage: inMemory({
      work: (_, own) => {
        let failing: Promise<unknown> = Promise.resolve();
        return writing(async (work) => {
          const before = failing;
          const unit = own.write(async (scope) => {
            const result = await work(scope);
            await before;
            return result;
          });
          failing = unit.finally(() => {
            failing = Promise.resolve();
          });
          failing.catch(() => undefined);
          return unit;
        });
      },
    }),
  },
};
