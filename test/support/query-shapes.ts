import type { Call, Operation } from '../../src/api/operation.ts';
import type { PageResponse } from '../../src/api/paging.ts';
import type { Position } from '../../src/application/ports/reader.ts';
import type { Shop } from '../../src/application/shop.ts';

/* Every query that a list of the interface can be asked, generated from the operations. */

const MINUTE = 60_000;
const FIRST_SHIP_DATE = Date.UTC(2026, 0, 1);
/** As a handler gets a date-time. */
const instant = (minutes: number) => FIRST_SHIP_DATE + minutes * MINUTE;

/** One query: an operation with its parameters, and where its page begins if it is not the first. */
export interface Shape {
  readonly name: string;
  readonly operation: Operation;
  readonly path: Readonly<Record<string, number>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly after?: Position;
  readonly wantsTotal: boolean;
}

type Samples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * For each list, values of its filters in a store of so many rows (see `shapes-store.ts`): some match all or many rows,
 * some few or none, and `late` ones only rows with the highest identifiers.
 */
function samplesIn(rows: number): Readonly<Record<string, Samples>> {
  const names = { all: 'p', late: 'm', few: 'zo', none: 'q' };
  const status = { many: ['available'], few: ['pending'], two: ['available', 'sold'] };
  const ids = { three: [1, Math.ceil(rows / 2), rows] };
  const pets = { status, categoryId: { half: 1, few: 2, none: 3 }, name: names, id: ids };
  return {
    listPets: pets,
    listCategories: { name: names },
    listOrders: {
      petId: { half: 1, few: rows, none: rows + 1 },
      complete: { many: true, few: false },
      shipDateFrom: { all: instant(-2 * rows), few: instant(rows - 10), none: instant(2 * rows) },
      shipDateTo: { all: instant(2 * rows), late: instant(0), none: instant(-2 * rows) },
    },
    listInventory: { status, petId: ids, below: { all: 1_000_000, late: 2, none: 0 } },
  };
}

/** What every list has beside its filters. */
const PAGING = ['sort', 'limit', 'cursor'];

/** A position in the middle of a list, by the field that it is sorted by. */
const MIDDLE: Readonly<Record<string, (rows: number) => Position>> = {
  id: (rows) => ({ key: rows / 2, id: rows / 2 }),
  petId: (rows) => ({ key: rows / 2, id: rows / 2 }),
  name: (rows) => ({ key: 'PET 5', id: rows / 2 }),
  quantity: (rows) => ({ key: 50, id: rows / 2 }),
  shipDate: (rows) => ({ key: FIRST_SHIP_DATE + (rows / 2) * MINUTE, id: rows / 2 }),
};

/** Every combination of filters, sort and total, each at its first page and in the middle. */
export function listShapes(operations: readonly Operation[], rows: number): Shape[] {
  const summary = operations
    .filter(({ operationId }) => operationId === 'getInventorySummary')
    .map((operation) => ({ name: operation.operationId, operation, path: {}, query: {}, wantsTotal: false }));
  return [...operations.filter(({ paged }) => paged).flatMap((operation) => shapesOf(operation, rows)), ...summary];
}

function shapesOf(operation: Operation, rows: number): Shape[] {
  const { operationId, query = {} } = operation;
  const samples = samplesIn(rows)[operationId] ?? {};
  const filters = Object.keys(query).filter((name) => !PAGING.includes(name) && name !== 'expand');
  const missing = filters.filter((name) => !samples[name]);
  if (missing.length > 0) throw new Error(`Add samples of ${missing.join(', ')} to ${operationId}.`);

  let queries: { readonly name: string; readonly query: Readonly<Record<string, unknown>> }[] = [
    { name: '', query: {} },
  ];
  for (const filter of filters) {
    const values = Object.entries(samples[filter] ?? {});
    const more = values.flatMap(([label, value]) =>
      queries.map(({ name, query }) => ({ name: `${name} ${filter}:${label}`, query: { ...query, [filter]: value } })),
    );
    queries = [...queries, ...more];
  }
  const sorts = (query['sort']?.schema['enum'] as readonly string[] | undefined) ?? ['-id'];
  const path = Object.fromEntries(Array.from(operation.path.matchAll(/\{(\w+)\}/g), ([, name = '']) => [name, 1]));
  return queries.flatMap(({ name, query: filter }) => {
    const total = {
      name: `${operationId}${name} total`,
      operation,
      path,
      query: { ...filter, limit: 1 },
      wantsTotal: true,
    };
    const pages = sorts.flatMap((sort) => {
      const shape = { operation, path, query: query['sort'] ? { ...filter, sort } : filter, wantsTotal: false };
      const middle = MIDDLE[sort.replace('-', '')]?.(rows);
      if (!middle) throw new Error(`Add a position in the middle of a list by ${sort}.`);
      const first = { ...shape, name: `${operationId}${name} by ${sort}` };
      const deep = { ...shape, name: `${operationId}${name} by ${sort}, deep`, after: middle };
      return sort.endsWith('shipDate')
        ? [first, deep, { ...deep, name: `${operationId}${name} by ${sort}, without`, after: { ...middle, key: null } }]
        : [first, deep];
    });
    return [...pages, total];
  });
}

/** Whether a filter is a range in whose order the list is not, so that the rows between two matches are without limit. */
export function isSearch({ query }: Shape): boolean {
  const sort = (query['sort'] as string | undefined) ?? 'id';
  const isOneByOne = query['id'] !== undefined || Array.isArray(query['petId']);
  const hasRange = ['name', 'shipDateFrom', 'shipDateTo', 'below'].some((name) => query[name] !== undefined);
  return hasRange && !isOneByOne && /^-?(id|petId)$/.test(sort);
}

/** Runs the operation as a request would. Returns how many rows are on the page, and their total. */
export async function run(
  { operation, path, query, after, wantsTotal }: Shape,
  shop: Shop,
): Promise<{ readonly rows: number; readonly total: number | undefined }> {
  const call = {
    path,
    query: after ? { ...query, cursor: 'after' } : query,
    body: undefined,
    cursors: { make: () => 'next', open: () => after },
    wantsTotal,
    options: {},
  };
  const result = await operation.handle(call as unknown as Call<never, never, never>, shop);
  if (!operation.paged) return { rows: 1, total: undefined };
  const { rows, total } = result as PageResponse<unknown>;
  return { rows: rows.length, total };
}
