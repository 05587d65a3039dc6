import type { OrderFilter, OrderSort, OrderView, Page, PageRequest } from '../../application/ports/reader.ts';
import { columnsOf, countRows, pageOf, readRows, showPage } from './listing.ts';
import { type OrderRow, showOrder } from './order-rows.ts';
import type { Condition, ReadSession } from './session.ts';

const COLUMNS = columnsOf({
  id: 'id',
  petId: 'pet_id',
  quantity: 'quantity',
  shipDate: 'ship_date',
  complete: 'complete',
});

export async function orderList(
  session: ReadSession,
  filter: OrderFilter,
  page: PageRequest<OrderSort>,
): Promise<Page<OrderView>> {
  const byShipDate = page.sort.endsWith('shipDate');
  const listing = {
    table: 'orders',
    columns: COLUMNS,
    sortedBy: byShipDate ? 'ship_date' : 'id',
    descending: page.sort.startsWith('-'),
    nullable: byShipDate,
  };
  const path = { index: indexFor(filter, byShipDate) };
  const rows = await readRows<OrderRow>(session, listing, path, conditionsOf(filter), {
    limit: page.limit + 1,
    after: page.after,
  });
  const positionOf = ({ id, shipDate }: OrderRow) => ({ key: byShipDate ? shipDate : id, id });
  return showPage(pageOf(rows, page, positionOf), showOrder);
}

export function countOrders(session: ReadSession, filter: OrderFilter): Promise<number> {
  const index = filter.petId === undefined ? undefined : 'orders_pet_id_index';
  return countRows(session, 'orders', conditionsOf(filter), index);
}

function indexFor({ petId, complete }: OrderFilter, byShipDate: boolean): string | undefined {
  if (petId !== undefined) return 'orders_pet_id_index';
  if (byShipDate) return 'orders_by_ship_date';
  return complete === undefined ? undefined : 'orders_by_complete';
}

function conditionsOf({ petId, complete, shipDateFrom, shipDateTo }: OrderFilter): Condition[] {
  const conditions: Condition[] = [];
  if (petId !== undefined) conditions.push({ sql: 'pet_id = ?', values: [petId] });
  if (complete !== undefined) conditions.push({ sql: 'complete = ?', values: [complete ? 1 : 0] });
  if (shipDateFrom !== undefined) conditions.push({ sql: 'ship_date >= ?', values: [shipDateFrom] });
  if (shipDateTo !== undefined) conditions.push({ sql: 'ship_date < ?', values: [shipDateTo] });
  return conditions;
}
