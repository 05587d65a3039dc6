import { expect } from 'chai';
import { ApiKey } from '../../src/domain/api-key.ts';
import { Category } from '../../src/domain/category.ts';
import { InventoryItem } from '../../src/domain/inventory-item.ts';
import {
  EARLIEST_INSTANT,
  LARGEST_ID,
  LATEST_INSTANT,
  LimitExceeded,
  LONGEST_DESCRIPTION,
  LONGEST_NAME,
  MOST_ORDERED_UNITS,
  MOST_UNITS,
} from '../../src/domain/limits.ts';
import { Order } from '../../src/domain/order.ts';
import { Pet } from '../../src/domain/pet.ts';

/** Each has two UTF-16 units. */
const text = (length: number) => '\u{1f436}'.repeat(length);
const key = { id: 1, name: 'till', scopes: [], digest: 'd', createdAt: 0 };
const item = (quantity: number, reserved = 0) => InventoryItem.recall({ petId: 1, quantity, reserved, held: false });
const order = (quantity: number) => Order.recall({ id: 1, petId: 1, quantity, complete: false });

/** For each limit, how a value reaches an entity; those at the limit, and those beyond it. */
const LIMITS: Record<
  string,
  { readonly ways: readonly ((value: never) => unknown)[]; readonly kept: unknown[]; readonly refused: unknown[] }
> = {
  name: {
    ways: [
      (name: string) => Pet.create({ id: 1, name, categoryId: 1 }),
      (name: string) => Pet.recall({ id: 1, name, categoryId: 1 }),
      (name: string) => Pet.recall({ id: 1, name: 'Rex', categoryId: 1 }).rename(name),
      (name: string) => Category.create({ id: 1, name }),
      (name: string) => Category.recall({ id: 1, name }),
      (name: string) => Category.recall({ id: 1, name: 'Dogs' }).rename(name),
      (name: string) => ApiKey.issue({ ...key, name }),
      (name: string) => ApiKey.recall({ ...key, name }),
    ],
    kept: ['x', text(LONGEST_NAME), '\u200b'],
    refused: ['', text(LONGEST_NAME + 1), 'x'.repeat(LONGEST_NAME + 1), 'a\0b', 'a\nb', 'a\ud800'],
  },
  description: {
    ways: [
      (description: string) => Category.create({ id: 1, name: 'Dogs', description }),
      (description: string) => Category.recall({ id: 1, name: 'Dogs', description }),
      (description: string) => Category.recall({ id: 1, name: 'Dogs' }).describe(description),
    ],
    kept: ['', text(LONGEST_DESCRIPTION)],
    refused: [text(LONGEST_DESCRIPTION + 1), 'x'.repeat(10_000_000), 'a\tb', '\udc00'],
  },
  id: {
    ways: [
      (id: number) => Pet.recall({ id, name: 'Rex', categoryId: 1 }),
      (categoryId: number) => Pet.recall({ id: 1, name: 'Rex', categoryId }),
      (categoryId: number) => Pet.recall({ id: 1, name: 'Rex', categoryId: 2 }).moveTo(categoryId),
      (id: number) => Category.recall({ id, name: 'Dogs' }),
      (id: number) => Order.recall({ id, petId: 1, quantity: 1, complete: false }),
      (petId: number) => Order.recall({ id: 1, petId, quantity: 1, complete: false }),
      (petId: number) => InventoryItem.open(petId, 'available'),
      (id: number) => ApiKey.recall({ ...key, id }),
    ],
    kept: [1, LARGEST_ID],
    refused: [0, -1, 1.5, LARGEST_ID + 1, Number.NaN],
  },
  'number of units on hand': {
    ways: [(quantity: number) => item(quantity), (quantity: number) => item(7).count(quantity)],
    kept: [0, MOST_UNITS],
    refused: [MOST_UNITS + 1, 0.5, Number.POSITIVE_INFINITY],
  },
  'number of reserved units': {
    ways: [(reserved: number) => item(10, reserved)],
    kept: [0, 10],
    refused: [-1, 11, 0.5],
  },
  'number of ordered units': {
    ways: [
      (quantity: number) => Order.place({ id: 1, petId: 1, quantity }),
      order,
      (quantity: number) => order(7).resize(quantity),
      (quantity: number) => item(MOST_UNITS).reserve(quantity),
      (quantity: number) => item(MOST_UNITS, MOST_UNITS).release(quantity),
    ],
    kept: [1, MOST_ORDERED_UNITS],
    refused: [0, -1, 1.5, MOST_ORDERED_UNITS + 1],
  },
  instant: {
    ways: [
      (shipDate: number) => Order.place({ id: 1, petId: 1, quantity: 1, shipDate }),
      (shipDate: number) => order(1).reschedule(shipDate),
      (expiresAt: number) => ApiKey.issue({ ...key, expiresAt }),
      (expiresAt: number) => ApiKey.recall(key).expireAt(expiresAt),
    ],
    kept: [EARLIEST_INSTANT, 0, LATEST_INSTANT],
    refused: [EARLIEST_INSTANT - 1, LATEST_INSTANT + 1, 0.5],
  },
};

describe('The limits of the store', () => {
  it('are those of the published interface', () => {
    expect([LONGEST_NAME, LONGEST_DESCRIPTION, MOST_UNITS, MOST_ORDERED_UNITS]).to.deep.equal([
      100, 1_000, 1_000_000_000, 1_000_000,
    ]);
    expect(LARGEST_ID).to.equal(9_007_199_254_740_991);
    expect([EARLIEST_INSTANT, LATEST_INSTANT].map((instant) => new Date(instant).toISOString())).to.deep.equal([
      '0000-01-01T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
    ]);
  });

  for (const [what, { ways, kept, refused }] of Object.entries(LIMITS)) {
    it(`hold for a ${what}, wherever it enters an entity`, () => {
      for (const way of ways) {
        for (const value of kept) expect(() => way(value as never), way.toString()).to.not.throw();
        for (const value of refused) expect(() => way(value as never), way.toString()).to.throw(LimitExceeded);
      }
    });
  }

  it('leave an entity as it was when they refuse a change', () => {
    const category = Category.create({ id: 1, name: 'Dogs', description: 'They bark.' });

    expect(() => category.rename(text(101))).to.throw(LimitExceeded, 'A name must have 1 to 100 characters.');
    expect(() => category.describe('a\0')).to.throw(LimitExceeded);

    expect(category.snapshot()).to.deep.equal({ id: 1, name: 'Dogs', description: 'They bark.' });
  });
});
