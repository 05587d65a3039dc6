import { expect } from 'chai';
import fc from 'fast-check';
import type { CategorySnapshot } from '../../src/domain/category.ts';
import type { DomainEvent, PetView } from '../../src/domain/events.ts';
import type { OrderSnapshot } from '../../src/domain/order.ts';
import { PET_STATUSES } from '../../src/domain/pet-status.ts';
import { DomainError } from '../../src/domain/refusals.ts';
import { Shop } from './shop.ts';

/** Few identifiers and small numbers, so that the operations meet on the same things. */
const id = fc.integer({ min: 1, max: 4 });
const categoryId = fc.integer({ min: 1, max: 3 });
const name = fc.constantFrom('Rex', 'REX', ' Rex ', 'Tom', 'Zoe\u0301', 'Zoé');
const status = fc.constantFrom(...PET_STATUSES);
const units = fc.integer({ min: 1, max: 5 });
const shipDate = fc.integer({ min: 1_790_000_000_000, max: 1_800_000_000_000 });
const description = fc.constantFrom('', 'Who bark', 'Who purr');

/** A change of some fields; it removes no field. */
function some<Fields>(fields: { [Field in keyof Fields]: fc.Arbitrary<Fields[Field]> }) {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Partial<Fields>>;
}

type Operation = readonly [what: string, how: (shop: Shop) => Promise<unknown>];

const pet = fc.record({ name, categoryId, status });
const order = fc.record({
  petId: id,
  quantity: units,
  shipDate: fc.option(shipDate, { nil: undefined }),
  complete: fc.boolean(),
});
const operations: fc.Arbitrary<Operation> = fc.oneof(
  fc
    .record({ name, description })
    .map((wish): Operation => ['create category', ({ categories }) => categories.create(wish)]),
  fc
    .tuple(categoryId, some({ name, description: fc.option(description) }))
    .map(([which, change]): Operation => ['change category', ({ categories }) => categories.change(which, change)]),
  categoryId.map((which): Operation => ['delete category', ({ categories }) => categories.delete(which)]),
  pet.map((wish): Operation => ['create pet', ({ pets }) => pets.create(wish)]),
  fc.array(pet, { maxLength: 3 }).map((wishes): Operation => ['create pets', ({ pets }) => pets.createAll(wishes)]),
  {
    weight: 2,
    arbitrary: fc
      .tuple(id, some({ name, categoryId, status }))
      .map(([which, change]): Operation => ['change pet', ({ pets }) => pets.change(which, change)]),
  },
  id.map((which): Operation => ['delete pet', ({ pets }) => pets.delete(which)]),
  { weight: 4, arbitrary: order.map((wish): Operation => ['place', ({ orders }) => orders.place(wish)]) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(id, some({ quantity: units, shipDate: fc.option(shipDate), complete: fc.boolean() }))
      .map(([which, change]): Operation => ['change order', ({ orders }) => orders.change(which, change)]),
  },
  id.map((which): Operation => ['cancel', ({ orders }) => orders.cancel(which)]),
  {
    weight: 2,
    arbitrary: fc
      .tuple(id, fc.nat(12))
      .map(([which, quantity]): Operation => ['count', ({ stock }) => stock.count(which, quantity)]),
  },
);

type Picture = Awaited<ReturnType<Shop['picture']>>;

/** What the shop shows, without what it wrote about it. */
function shown({ categories, pets, orders, stock }: Picture) {
  return { categories, pets, orders, stock };
}

/** The state of the shop as its events alone describe it. */
function stateFrom(events: readonly DomainEvent[]) {
  const categories = new Map<number, CategorySnapshot>();
  const pets = new Map<number, PetView>();
  const orders = new Map<number, OrderSnapshot>();
  const quantities = new Map<number, number>();
  for (const event of events) {
    switch (event.type) {
      case 'pet.created':
        quantities.set(event.data.id, event.data.status === 'sold' ? 0 : 1);
        pets.set(event.data.id, event.data);
        break;
      case 'pet.updated':
      case 'pet.status_changed':
        pets.set(event.data.id, event.data);
        break;
      case 'pet.deleted':
        pets.delete(event.data.id);
        break;
      case 'category.created':
      case 'category.updated':
        categories.set(event.data.id, event.data);
        break;
      case 'category.deleted':
        categories.delete(event.data.id);
        break;
      case 'order.completed':
        quantities.set(event.data.petId, (quantities.get(event.data.petId) ?? 0) - event.data.quantity);
        orders.set(event.data.id, event.data);
        break;
      case 'order.placed':
      case 'order.updated':
        orders.set(event.data.id, event.data);
        break;
      case 'order.cancelled':
        orders.delete(event.data.id);
        break;
      case 'inventory.counted':
      case 'inventory.written_off':
      case 'inventory.restocked':
        quantities.set(event.data.petId, event.data.quantity);
        break;
    }
  }
  const reservedOf = (petId: number) =>
    [...orders.values()].reduce(
      (sum, order) => sum + (order.petId === petId && !order.complete ? order.quantity : 0),
      0,
    );
  const inventory = Array.from(pets.values(), ({ id: petId, status }) => {
    return { petId, quantity: quantities.get(petId), reserved: reservedOf(petId), status };
  });
  return { categories: [...categories.values()], pets: [...pets.values()], orders: [...orders.values()], inventory };
}

/** What the ledger says that each order has taken from the stock, and still holds. */
function heldByOrders({ movements }: Picture) {
  const sums = new Map<number, { quantity: number; reserved: number }>();
  for (const { orderId, quantity, reserved } of movements) {
    if (orderId === undefined) continue;
    const sum = sums.get(orderId) ?? { quantity: 0, reserved: 0 };
    sums.set(orderId, { quantity: sum.quantity + quantity, reserved: sum.reserved + reserved });
  }
  return sums;
}

async function outcomeOf(doing: () => Promise<unknown>): Promise<string> {
  try {
    await doing();
    return 'done';
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

describe('The rules of the store', () => {
  it('hold after every operation, whatever came before it', async () => {
    const seen = new Set<string>();

    await fc.assert(
      fc.asyncProperty(fc.array(operations, { minLength: 20, maxLength: 40 }), async (wishes) => {
        const shop = new Shop();
        await shop.categories.create({ name: 'Dogs' });
        await shop.categories.create({ name: 'Cats' });
        await shop.pets.createAll([
          { name: 'Rex', categoryId: 1 },
          { name: 'Max', categoryId: 1 },
          { name: 'Tom', categoryId: 2, status: 'sold' },
        ]);
        await shop.stock.count(1, 5);
        await shop.stock.count(2, 3);
        await shop.orders.place({ petId: 1, quantity: 2 });

        let before = await shop.picture();
        for (const [what, how] of wishes) {
          shop.clock.set(shop.clock.now() + 1);
          const outcome = await outcomeOf(() => how(shop));
          const after = await shop.picture();

          const changed = JSON.stringify(shown(after)) !== JSON.stringify(shown(before));
          if (outcome !== 'done') expect(after).to.deep.equal(before);
          expect(after.events.length > before.events.length, `${what} tells exactly what it changed`).to.equal(changed);
          expect((await shop.auditor.audit()).findings).to.deep.equal([]);
          seen.add(`${what}: ${outcome}`);
          before = after;
        }

        const { pets, categories, orders, inventory, events } = before;
        const computed = stateFrom(events);
        expect(computed.pets).to.have.deep.members(pets);
        expect(computed.categories).to.have.deep.members(categories);
        expect(computed.orders).to.have.deep.members(orders);
        expect(computed.inventory).to.have.deep.members(inventory);
        const held = heldByOrders(before);
        for (const { id, quantity, complete } of orders) {
          const expected = complete ? { quantity: -quantity, reserved: 0 } : { quantity: 0, reserved: quantity };
          expect(held.get(id)).to.deep.equal(expected);
          held.delete(id);
        }
        for (const sums of held.values())
          expect(sums, 'a cancelled order holds nothing').to.deep.equal({ quantity: 0, reserved: 0 });
      }),
      { seed: 20261121, numRuns: 100 },
    );

    expect([...seen].sort()).to.deep.equal([
      'cancel: done',
      'cancel: order_already_complete',
      'cancel: order_not_found',
      'change category: category_name_taken',
      'change category: category_not_found',
      'change category: done',
      'change order: done',
      'change order: insufficient_stock',
      'change order: order_already_complete',
      'change order: order_not_found',
      'change order: pet_not_available',
      'change pet: done',
      'change pet: invalid_status_transition',
      'change pet: pet_not_found',
      'change pet: status_managed_by_orders',
      'change pet: unknown_category',
      'count: done',
      'count: pet_not_found',
      'count: stock_below_reserved',
      'create category: category_name_taken',
      'create category: done',
      'create pet: done',
      'create pet: unknown_category',
      'create pets: done',
      'create pets: unknown_category',
      'delete category: category_in_use',
      'delete category: category_not_found',
      'delete category: done',
      'delete pet: done',
      'delete pet: pet_has_orders',
      'delete pet: pet_not_found',
      'place: done',
      'place: insufficient_stock',
      'place: pet_not_available',
      'place: unknown_pet',
    ]);
  });
});
