import type {
  CategoryFilter,
  CategorySnapshot,
  CategorySort,
  InventoryFilter,
  InventorySort,
  InventoryView,
  OrderFilter,
  OrderSnapshot,
  OrderSort,
  PetFilter,
  PetSort,
  PetView,
  Sort,
} from '../../application/ports/reader.ts';
import { InventoryItem } from '../../domain/inventory-item.ts';
import { Order } from '../../domain/order.ts';
import { PET_STATUSES, type PetStatus, statusOf } from '../../domain/pet-status.ts';
import { nameKey } from '../../domain/text.ts';
import type { TestFunctions } from '../test-functions.ts';
import { type ListUnderTest, listChecks } from './list-checks.ts';
import { desksOn } from './shop.ts';
import type { OpenedStorage } from './storage-under-test.ts';

/** Names that a storage may sort or match wrongly: ties, cases, accents, wildcards, quotes, and both ends of Unicode. */
const NAMES = [
  ...['Rex', 'rex', 'REX', 'Rexine', 'Re', 'Ärger', 'ärger', 'Arger', 'Straße', 'STRASSEN', 'strasbourg', 'ΟΔΟΣ 7'],
  ...['100%', '100x', '%', '_', 'a_b', 'axb', 'a%b', 'ab', 'a*b', 'a?b', '[ab]', "O'Malley", 'back\\slash', '"Q"'],
  ...['\u{1F600}', '\u{1F600} cat', '\uFF5Ewave', '\u{10FFFF}', '\u{10FFFF}\u{10FFFF}a', 'a\u{10FFFF}', 'a\u{10FFFF}b'],
  ...['\uD7FFx', '\uE000y', 'Éclair', 'éclair', 'Rex', '\uFD3Ewave', 'Re\u200Bxi', '\uFF32\uFF25x', 'ﬁn', 'F\u0130n'],
  '\u200B',
];

/** Prefixes to search for: in another case or normal form, and with characters that are wildcards elsewhere. */
const BEGINNINGS = [
  ...['', 'r', 'REX', 'rexi', 'rexines', 'ä', 'STRASS', 'straß', 'οδοσ', '100%', '%', '_', 'a_', 'a%', 'A', 'a*', '['],
  ...["o'm", 'back\\', '"', '\u{1F600}', '\uFF5E', '\u{10FFFF}', 'a\u{10FFFF}', '\uD7FF', '\uE000', 'E\u0301CL', 'x y'],
  ...['\uFD3E', 'ﬁ', '\uFF52', '\u200B', 're\u00AD'],
];

const rising = <Field extends string>(by: Field): Sort<Field> => ({ by });
const falling = <Field extends string>(by: Field): Sort<Field> => ({ by, descending: true });

const TOP = Number.MAX_SAFE_INTEGER;

const statusOfPet = (i: number): PetStatus => PET_STATUSES[i % 3] as PetStatus;
const begins = (name: string, prefix: string | undefined) =>
  prefix === undefined || nameKey(name).startsWith(nameKey(prefix));
const among = <Value>(value: Value, values: readonly Value[] | undefined) => !values || values.includes(value);

const pets: ListUnderTest<PetView, PetFilter, PetSort> = {
  rows: NAMES.map((name, i) => ({ id: i + 1, name, categoryId: 1 + (i % 2), status: statusOfPet(i) })),
  sorts: [rising('id'), falling('id'), rising('name'), falling('name')],
  filters: [
    {},
    { status: ['available'] },
    { status: ['pending', 'sold'] },
    { status: ['sold', 'available', 'pending'] },
    { status: ['sold', 'sold'] },
    { status: [] },
    { categoryId: 1 },
    { categoryId: 99 },
    { categoryId: TOP },
    { ids: [] },
    { ids: [7] },
    { ids: [30, 2, 2, 99, TOP, 11, 5] },
    { ids: Array.from({ length: 100 }, (_, i) => i + 20) },
    { name: 'rex', status: ['available', 'pending'] },
    { name: 'a', categoryId: 2 },
    { name: 'a', categoryId: 2, status: ['sold', 'pending'], ids: [20, 21, 22, 23, 24] },
    { categoryId: 1, status: ['pending'] },
    { name: undefined, status: undefined, categoryId: undefined, ids: undefined },
    ...BEGINNINGS.map((name) => ({ name })),
  ],
  between: [
    [rising('id'), { key: 7, id: 7 }],
    [rising('name'), { key: 'B', id: 0 }],
    [falling('name'), { key: 'B', id: 0 }],
    [rising('name'), { key: 'REX', id: 2 }],
    [rising('name'), { key: '\u{1F600}', id: TOP }],
    [falling('name'), { key: '\uFF5E', id: TOP }],
  ],
  async fill(storage) {
    const { categories, pets } = desksOn(storage);
    for (const name of ['Dogs', 'Cats']) await categories.create({ name });
    await pets.createAll(this.rows);
  },
  read: ({ reader }, filter, page) => reader.pets(filter, page),
  count: ({ reader }, filter, most) => reader.countPets(filter, most),
  matches: (pet, { status, categoryId, name, ids }) =>
    among(pet.status, status) &&
    (categoryId === undefined || pet.categoryId === categoryId) &&
    begins(pet.name, name) &&
    among(pet.id, ids),
  positionOf: ({ id, name }, field) => ({ key: field === 'name' ? nameKey(name) : id, id }),
  async addMore(storage) {
    const more = ['!', 'rex', 'Mmm', '\u{10FFFF}\u{10FFFF}\u{10FFFF}'].map((name) => ({ name, categoryId: 1 }));
    await desksOn(storage).pets.createAll(more);
  },
  remove: (storage, id) => desksOn(storage).pets.delete(id),
  move: (storage, id, end) =>
    desksOn(storage).pets.change(id, { name: end === 'first' ? '!' : '\u{10FFFF}'.repeat(9) }),
};

const categories: ListUnderTest<CategorySnapshot, CategoryFilter, CategorySort> = {
  rows: Array.from(new Map(NAMES.map((name) => [nameKey(name), name])).values(), (name, i) => ({
    id: i + 1,
    name,
    ...(i % 2 && { description: `What ${name} means` }),
  })),
  sorts: [rising('id'), falling('id'), rising('name'), falling('name')],
  filters: [{}, { name: undefined }, ...BEGINNINGS.map((name) => ({ name }))],
  between: [
    [falling('id'), { key: 9, id: 9 }],
    [rising('name'), { key: 'B', id: 0 }],
    [falling('name'), { key: '\u{1F600}', id: 1 }],
  ],
  async fill(storage) {
    for (const { name, description } of this.rows) await desksOn(storage).categories.create({ name, description });
  },
  read: ({ reader }, filter, page) => reader.categories(filter, page),
  count: ({ reader }, filter, most) => reader.countCategories(filter, most),
  matches: (category, { name }) => begins(category.name, name),
  positionOf: ({ id, name }, field) => ({ key: field === 'name' ? nameKey(name) : id, id }),
  async addMore(storage) {
    const { categories } = desksOn(storage);
    const unique = await categories.count({});
    for (const name of ['!', 'rex', 'Mmm', '\u{10FFFF}\u{10FFFF}'])
      await categories.create({ name: `${name}${unique}` });
  },
  remove: (storage, id) => desksOn(storage).categories.delete(id),
  move: (storage, id, end) =>
    desksOn(storage).categories.change(id, { name: `${end === 'first' ? '!' : '\u{10FFFF}'.repeat(9)}${id}` }),
};

/** Ship dates with ties, with none, at the epoch, before it, and at the ends of the calendar. */
const SHIP_DATES = [
  ...[undefined, 0, 1, -1, 1_795_000_000_000, undefined, 1_795_000_000_000, 253_402_300_799_999, -62_135_596_800_000],
  ...[1_795_000_000_000, undefined, 1_795_000_000_001, 0, undefined, -1],
];

const orders: ListUnderTest<OrderSnapshot, OrderFilter, OrderSort> = {
  rows: SHIP_DATES.map((shipDate, i) => ({
    id: i + 1,
    petId: 1 + (i % 2),
    quantity: i + 1,
    ...(shipDate !== undefined && { shipDate }),
    complete: i % 4 > 1,
  })),
  sorts: [rising('id'), falling('id'), rising('shipDate'), falling('shipDate')],
  filters: [
    {},
    { petId: 1 },
    { petId: 99 },
    { petId: TOP },
    { complete: true },
    { complete: false },
    { petId: 2, complete: false },
    { shipDateFrom: 0 },
    { shipDateTo: 0 },
    { shipDateFrom: 0, shipDateTo: 1 },
    { shipDateFrom: 1, shipDateTo: 1 },
    { shipDateFrom: 5, shipDateTo: -5 },
    { shipDateFrom: -62_135_596_800_000 },
    { shipDateTo: 253_402_300_799_999 },
    { shipDateFrom: 1_795_000_000_000, shipDateTo: 1_795_000_000_001, complete: false },
    { petId: 1, shipDateFrom: 1, complete: true },
    { petId: undefined, complete: undefined, shipDateFrom: undefined, shipDateTo: undefined },
  ],
  between: [
    [rising('shipDate'), { key: 500, id: 1 }],
    [falling('shipDate'), { key: 500, id: 1 }],
    [rising('shipDate'), { key: 1_795_000_000_000, id: 6 }],
    [rising('shipDate'), { key: 253_402_300_799_999, id: TOP }],
    [falling('shipDate'), { key: -62_135_596_800_000, id: 1 }],
    [rising('shipDate'), { key: null, id: 2 }],
    [falling('shipDate'), { key: null, id: 8 }],
  ],
  async fill(storage) {
    const { categories, pets } = desksOn(storage);
    await categories.create({ name: 'Dogs' });
    await pets.createAll(['Rex', 'Bello'].map((name) => ({ name, categoryId: 1 })));
    await addOrders(storage, this.rows);
  },
  read: ({ reader }, filter, page) => reader.orders(filter, page),
  count: ({ reader }, filter, most) => reader.countOrders(filter, most),
  matches: ({ petId, complete, shipDate }, filter) =>
    (filter.petId === undefined || petId === filter.petId) &&
    (filter.complete === undefined || complete === filter.complete) &&
    (filter.shipDateFrom === undefined || (shipDate !== undefined && shipDate >= filter.shipDateFrom)) &&
    (filter.shipDateTo === undefined || (shipDate !== undefined && shipDate < filter.shipDateTo)),
  positionOf: ({ id, shipDate }, field) => ({ key: field === 'shipDate' ? (shipDate ?? null) : id, id }),
  addMore: (storage) =>
    addOrders(
      storage,
      [undefined, 0, 1_795_000_000_000, -62_135_596_800_000, 253_402_300_799_999].map((shipDate) => ({
        petId: 1,
        quantity: 1,
        shipDate,
        complete: false,
      })),
    ),
  remove: ({ work }, id) => work.write((scope) => scope.orders.delete(id)),
  move: (storage, id, end) =>
    desksOn(storage).orders.change(id, { shipDate: end === 'first' ? -62_135_596_800_000 : 253_402_300_799_999 }),
};

/** Adds the orders as rows, without moving stock for them. */
function addOrders({ work }: OpenedStorage, rows: readonly Omit<OrderSnapshot, 'id'>[]): Promise<void> {
  return work.write(async (scope) => {
    for (const row of rows) await scope.orders.add(Order.recall({ ...row, id: await scope.orders.nextId() }));
  });
}

const STOCKS = [
  ...[0, 1, 1, 5, 5, 5, 1_000_000_000, 0, 999_999_999, 2, 10, 9, 1_000_000_000, 100].map((quantity, i) => ({
    quantity,
    reserved: i % 3 === 1 ? quantity : 0,
    held: i % 4 === 3,
  })),
  { quantity: 7, reserved: 3, held: false },
];

const inventory: ListUnderTest<InventoryView, InventoryFilter, InventorySort> = {
  rows: STOCKS.map(({ quantity, reserved, held }, i) => ({
    petId: i + 1,
    quantity,
    reserved,
    status: statusOf({ quantity, reserved, held }),
  })),
  sorts: [rising('petId'), falling('petId'), rising('quantity'), falling('quantity')],
  filters: [
    {},
    { status: ['available'] },
    { status: ['pending', 'sold'] },
    { status: [] },
    { petIds: [] },
    { petIds: [15, 1, 1, 8, 99, TOP] },
    { below: 0 },
    { below: 1 },
    { below: 5 },
    { below: 6 },
    { below: 1_000_000_000 },
    { below: 1_000_000_001 },
    { below: 6, status: ['available', 'pending'], petIds: [2, 3, 4, 5, 6, 15] },
    { below: undefined, status: undefined, petIds: undefined },
  ],
  between: [
    [rising('petId'), { key: 4, id: 4 }],
    [rising('quantity'), { key: 3, id: 1 }],
    [falling('quantity'), { key: 3, id: 1 }],
    [rising('quantity'), { key: 5, id: 5 }],
    [falling('quantity'), { key: 1_000_000_000, id: 7 }],
  ],
  async fill(storage) {
    await desksOn(storage).categories.create({ name: 'Dogs' });
    await addStock(storage, STOCKS);
  },
  read: ({ reader }, filter, page) => reader.inventory(filter, page),
  count: ({ reader }, filter, most) => reader.countInventory(filter, most),
  matches: ({ petId, status, quantity }, filter) =>
    among(status, filter.status) &&
    among(petId, filter.petIds) &&
    (filter.below === undefined || quantity < filter.below),
  positionOf: ({ petId, quantity }, field) => ({ key: field === 'quantity' ? quantity : petId, id: petId }),
  addMore: (storage) =>
    addStock(
      storage,
      [0, 5, 1_000_000_000].map((quantity) => ({ quantity, reserved: 0, held: false })),
    ),
  remove: (storage, petId) => desksOn(storage).pets.delete(petId),
  move: ({ work }, petId, end) => {
    const quantity = end === 'first' ? 0 : 1_000_000_000;
    return work.write(({ inventory }) =>
      inventory.save(InventoryItem.recall({ petId, quantity, reserved: 0, held: false })),
    );
  },
};

async function addStock(storage: OpenedStorage, stocks: typeof STOCKS): Promise<void> {
  const names = stocks.map(() => ({ name: 'Rex', categoryId: 1 }));
  const welcomed = await desksOn(storage).pets.createAll(names);
  await storage.work.write(async (scope) => {
    for (const [i, { id }] of welcomed.entries()) {
      const stock = stocks[i];
      if (stock) await scope.inventory.save(InventoryItem.recall({ petId: id, ...stock }));
    }
  });
}

export function everyListChecks(storage: OpenedStorage, test: TestFunctions): void {
  const { describe } = test;
  describe('lists pets, and the list', () => listChecks(storage, pets, test));
  describe('lists categories, and the list', () => listChecks(storage, categories, test));
  describe('lists orders, and the list', () => listChecks(storage, orders, test));
  describe('lists inventory entries, and the list', () => listChecks(storage, inventory, test));
}
