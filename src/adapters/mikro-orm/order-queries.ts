import type { OrderFilter, OrderSnapshot, OrderSort, Page, PageRequest } from '../../application/ports/reader.ts';
import { type AccessPath, countRows } from './access-path.ts';
import { pageOf, readRows } from './keyset-paging.ts';
import type { ReadSession } from './session.ts';
import { statement } from './statement.ts';
import { TableText } from './table-text.ts';
import type { RowOf } from './tables.ts';

const FACTS = ['id', 'petId', 'quantity', 'shipDate', 'complete'] as const;

export const ORDER = statement((db, { id }: { id: number }) =>
  db.selectFrom('orders').select(FACTS).where('id', '=', id),
);

export const LOCK_ORDER = statement((db, { id }: { id: number }, { locksRows }) =>
  db
    .selectFrom('orders')
    .select(FACTS)
    .where('id', '=', id)
    .$if(locksRows, (query) => query.forUpdate()),
);

const ORDERS = new TableText('orders');
const COLUMNS = ORDERS.columns({
  id: 'id',
  petId: 'petId',
  quantity: 'quantity',
  shipDate: 'shipDate',
  complete: 'complete',
});

/**
 * For each sort, the indexes of all orders and of those for one pet. Both begin with `complete`, so that one index serves
 * lists with and without that filter.
 */
const INDEXES = {
  id: { all: undefined, complete: 'orders_by_complete', pet: 'orders_by_pet_complete' },
  shipDate: {
    all: 'orders_by_complete_ship_date',
    complete: 'orders_by_complete_ship_date',
    pet: 'orders_by_pet_complete_ship_date',
  },
} as const;

export async function orderList(
  session: ReadSession,
  filter: OrderFilter,
  page: PageRequest<OrderSort>,
): Promise<Page<OrderSnapshot>> {
  const { by, descending = false } = page.sort;
  const byShipDate = by === 'shipDate';
  const sortedBy = ORDERS.column(by);
  const listing = { table: ORDERS.name, columns: COLUMNS, sortedBy, descending, nullable: byShipDate };
  const matches = !byShipDate && isRange(filter) ? pathOf(filter, 'shipDate') : undefined;
  const rows = await readRows(session, listing, pathOf(filter, by), page, matches);
  return pageOf(rows, page, ({ id, shipDate }) => ({ key: byShipDate ? shipDate : id, id }), showOrder);
}

export function countOrders(session: ReadSession, filter: OrderFilter, most?: number): Promise<number> {
  const byShipDate = isRange(filter) || (filter.petId === undefined && filter.complete === undefined);
  return countRows(session, ORDERS.name, pathOf(filter, byShipDate ? 'shipDate' : 'id'), most);
}

/** Whether the matches are ranges of the ship dates, in whose order a list by identifier is not. */
function isRange({ shipDateFrom, shipDateTo }: OrderFilter): boolean {
  return shipDateFrom !== undefined || shipDateTo !== undefined;
}

function pathOf(filter: OrderFilter, by: OrderSort['by']): AccessPath {
  const { petId, complete, shipDateFrom, shipDateTo } = filter;
  const index = INDEXES[by][petId !== undefined ? 'pet' : complete !== undefined ? 'complete' : 'all'];
  const range = isRange(filter) ? ORDERS.range('shipDate', { least: shipDateFrom, below: shipDateTo }) : undefined;
  const conditions = petId === undefined ? [] : [ORDERS.equals('petId', petId)];
  if (index === undefined) return { index, range, conditions };
  const values = complete === undefined ? ([0, 1] as const) : [complete ? (1 as const) : (0 as const)];
  return { index, branches: values.map((value) => ORDERS.equals('complete', value)), range, conditions };
}

export function showOrder({ id, petId, quantity, shipDate, complete }: RowOf<'orders'>): OrderSnapshot {
  const order = { id, petId, quantity, complete: complete === 1 };
  return shipDate === null ? order : { ...order, shipDate };
}
