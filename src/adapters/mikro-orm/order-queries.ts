import type { OrderFilter, OrderSnapshot, OrderSort, Page, PageRequest } from '../../application/ports/reader.ts';
import type { Condition } from './dialect.ts';
import { countRows, pageOf, readRows, TableText } from './keyset-paging.ts';
import type { ReadSession } from './session.ts';
import { statement } from './statement.ts';
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

export async function orderList(
  session: ReadSession,
  filter: OrderFilter,
  page: PageRequest<OrderSort>,
): Promise<Page<OrderSnapshot>> {
  const { by, descending = false } = page.sort;
  const byShipDate = by === 'shipDate';
  const sortedBy = ORDERS.column(by);
  const listing = { table: ORDERS.name, columns: COLUMNS, sortedBy, descending, nullable: byShipDate };
  const path = { index: indexFor(filter, byShipDate) };
  const rows = await readRows(session, listing, path, conditionsOf(filter), page);
  return pageOf(rows, page, ({ id, shipDate }) => ({ key: byShipDate ? shipDate : id, id }), showOrder);
}

export function countOrders(session: ReadSession, filter: OrderFilter): Promise<number> {
  const index = filter.petId === undefined ? undefined : 'orders_pet_id_index';
  return countRows(session, ORDERS.name, conditionsOf(filter), index);
}

function indexFor({ petId, complete }: OrderFilter, byShipDate: boolean): string | undefined {
  if (petId !== undefined) return 'orders_pet_id_index';
  if (byShipDate) return 'orders_by_ship_date';
  return complete === undefined ? undefined : 'orders_by_complete';
}

function conditionsOf({ petId, complete, shipDateFrom, shipDateTo }: OrderFilter): Condition[] {
  const conditions: Condition[] = [];
  if (petId !== undefined) conditions.push(ORDERS.compare('petId', '=', petId));
  if (complete !== undefined) conditions.push(ORDERS.compare('complete', '=', complete ? 1 : 0));
  if (shipDateFrom !== undefined) conditions.push(ORDERS.compare('shipDate', '>=', shipDateFrom));
  if (shipDateTo !== undefined) conditions.push(ORDERS.compare('shipDate', '<', shipDateTo));
  return conditions;
}

export function showOrder({ id, petId, quantity, shipDate, complete }: RowOf<'orders'>): OrderSnapshot {
  const order = { id, petId, quantity, complete: complete === 1 };
  return shipDate === null ? order : { ...order, shipDate };
}
