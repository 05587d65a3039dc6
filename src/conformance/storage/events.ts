import assert from 'node:assert/strict';
import type { WriteScope } from '../../application/ports/unit-of-work.ts';
import type { DomainEvent } from '../../domain/events.ts';
import { EARLIEST_INSTANT, LATEST_INSTANT } from '../../domain/limits.ts';
import { assertWhole, failureOf } from '../assertions.ts';
import { latch, yieldToEventLoop } from '../scheduling.ts';
import type { TestFunctions } from '../test-functions.ts';
import { desksOn, eventsIn } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

const CATEGORY = ['category.created', 'category.updated', 'category.deleted'] as const;
const PET = ['pet.created', 'pet.updated', 'pet.deleted'] as const;
const ORDER = ['order.placed', 'order.updated', 'order.completed', 'order.cancelled'] as const;

function eventOf(type: (typeof CATEGORY | typeof PET | typeof ORDER)[number]): DomainEvent {
  switch (type) {
    case 'category.created':
    case 'category.updated':
    case 'category.deleted':
      return { type, data: { id: 1, name: 'Dogs' }, at: 0 };
    case 'pet.created':
    case 'pet.updated':
    case 'pet.deleted':
      return { type, data: { id: 1, name: 'Rex', categoryId: 1, status: 'available' }, at: 0 };
    default:
      return { type, data: { id: 1, petId: 1, quantity: 1, complete: false }, at: 0 };
  }
}

const typesOf = async (storage: OpenedStorage) => (await eventsIn(storage)).map(({ type }) => type);

export function eventsChecks(storage: OpenedStorage, { describe, it }: TestFunctions): void {
  describe('Outbox', () => {
    const append =
      (types: readonly Parameters<typeof eventOf>[0][]) =>
      async ({ outbox }: WriteScope): Promise<void> => {
        for (const type of types) {
          await outbox.append(eventOf(type));
          await yieldToEventLoop();
        }
      };

    it('returns those of one unit of work in the order in which they were appended', async () => {
      const types = [...ORDER, ...CATEGORY, ...PET].toReversed();

      await storage.work.write(append(types));

      assert.deepEqual(await typesOf(storage), types);
    });

    it('returns the data and the instant of each as they were appended', async () => {
      const top = Number.MAX_SAFE_INTEGER;
      const text = '\u{1f600} "\u1f48" \'\\ \ufb01 e\u0301';
      const category = { id: top, name: text, description: '' };
      const pet = { id: top, name: text, categoryId: top, status: 'pending' } as const;
      const order = { id: 1, petId: top, quantity: 1_000_000, shipDate: -1, complete: true };
      const stock = { petId: top, quantity: 1_000_000_000, reserved: 0, status: 'available' } as const;
      const appended: readonly DomainEvent[] = [
        { type: 'category.created', data: category, at: EARLIEST_INSTANT },
        { type: 'category.updated', data: { id: 1, name: 'x' }, at: -1 },
        { type: 'pet.status_changed', data: pet, at: 0 },
        { type: 'order.placed', data: order, at: 1_795_000_000_001 },
        { type: 'order.completed', data: { id: 2, petId: 1, quantity: 1, complete: false }, at: 1 },
        { type: 'inventory.counted', data: stock, at: LATEST_INSTANT },
      ];

      await storage.work.write(async ({ outbox }) => {
        for (const event of appended) await outbox.append(event);
      });

      const events = await eventsIn(storage);
      assert.deepEqual(
        events.map(({ position: _, ...event }) => event),
        appended,
      );
      for (const { position } of events) assertWhole(position, 1);
    });

    it('returns the data and the instant that a use case states', async () => {
      const { clock, categories } = desksOn(storage);
      clock.set(1_795_000_000_123);
      const created = await categories.create({ name: 'Dogs', description: 'They bark.' });

      const [event] = await eventsIn(storage);

      assert.partialDeepStrictEqual(event, { type: 'category.created', data: { ...created }, at: 1_795_000_000_123 });
    });

    it('returns those of a later unit of work after those of an earlier one', async () => {
      const types = Array.from({ length: 30 }, (_, i) => [PET, ORDER, CATEGORY].flat()[(i * 7) % 10] ?? 'pet.created');

      for (const type of types) await storage.work.write(append([type]));

      assert.deepEqual(await typesOf(storage), types);
    });

    it('assigns each a unique position, and those of a unit in their order, under concurrency', async () => {
      await Promise.all([ORDER, CATEGORY, PET].map((types) => storage.work.write(append(types))));

      const events = await eventsIn(storage);
      for (const types of [ORDER, CATEGORY, PET]) {
        const own = events.map(({ type }) => type).filter((type) => types.some((one) => one === type));
        assert.deepEqual(own, types);
      }
      const positions = events.map(({ position }) => position);
      assert.deepEqual(
        positions,
        [...new Set(positions)].sort((a, b) => a - b),
      );
    });

    it('contains every concurrent change once, causes before effects', async () => {
      const { categories, pets, orders } = desksOn(storage);
      await categories.create({ name: 'Dogs' });

      await Promise.all(
        Array.from({ length: 8 }, async () => {
          const { id } = await pets.create({ name: 'Rex', categoryId: 1 });
          await orders.place({ petId: id, quantity: 1, complete: true });
        }),
      );

      const types = await typesOf(storage);
      for (const type of ['pet.created', 'pet.status_changed', 'order.placed', 'order.completed']) {
        assert.equal(types.filter((one) => one === type).length, 8, type);
      }
      const balance = { 'pet.created': 0, 'order.placed': 0, 'order.completed': 0 } as Record<string, number>;
      for (const type of types) {
        balance[type] = (balance[type] ?? 0) + 1;
        const [created = 0, placed = 0, completed = 0] = Object.values(balance);
        assert.ok(created >= placed && placed >= completed, `${type} came before what caused it`);
      }
    });

    it('contains nothing of a unit of work that failed or is in progress', async () => {
      const appended = latch();
      const mayEnd = latch();
      const failing = storage.work.write(async (scope) => {
        await append(['pet.created', 'order.placed'])(scope);
        appended.open();
        await mayEnd.opened;
        throw new Error('undone');
      });
      await appended.opened;

      const meanwhile = await typesOf(storage).finally(mayEnd.open);
      await failureOf(failing);
      await storage.work.write(append(['category.created']));

      assert.deepEqual(meanwhile, []);
      assert.deepEqual(await typesOf(storage), ['category.created']);
    });
  });
}
