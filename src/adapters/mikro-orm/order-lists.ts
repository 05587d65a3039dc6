import type { OrderFilter, OrderSort, OrderView, Page, PageRequest } from '../../application/ports/reader.ts';
import { type Condition, columnsOf, countRows, type Path, pageOf, readRows, showPage } from './listing.ts';
import type { PreparedStatements } from './sqlite-database.ts';

export interface OrderRow {
  readonly id: number;
  readonly petId: number;
  readonly quantity: number;
  readonly shipDate: number | null;
  readonly complete: number;
}

export const ORDER =
  'select id, pet_id as "petId", quantity, ship_date as "shipDate", complete from orders where id = ?';

const COLUMNS = columnsOf({
  id: 'id',
  petId: 'pet_id',
  quantity: 'quantity',
  shipDate: 'ship_date',
  complete: 'complete',
});

export function showOrder({ id, petId, quantity, shipDate, complete }: OrderRow): OrderView {
  const order = { id, petId, quantity, complete: complete === 1 };
  return shipDate === null ? order : { ...order, shipDate };
}

export function orderList(
  statements: PreparedStatements,
  filter: OrderFilter,
  page: PageRequest<OrderSort>,
): Page<OrderView> {
  const byShipDate = page.sort.endsWith('shipDate');
  const rows = byShipDate ? rowsByShipDate(statements, filter, page) : rowsById(statements, filter, page);
  const positionOf = ({ id, shipDate }: OrderRow) => ({ key: byShipDate ? shipDate : id, id });
  return showPage(pageOf(rows, page, positionOf), showOrder);
}

export function countOrders(statements: PreparedStatements, filter: OrderFilter): number {
  const index = filter.petId === undefined ? undefined : 'orders_pet_id_index';
  return countRows(statements, 'orders', conditionsOf(filter), index);
}

function rowsById(statements: PreparedStatements, filter: OrderFilter, page: PageRequest<OrderSort>): OrderRow[] {
  const listing = { table: 'orders', columns: COLUMNS, sortedBy: 'id', descending: page.sort.startsWith('-') };
  const index = filter.complete === undefined ? undefined : 'orders_by_complete';
  const path: Path = { index: filter.petId === undefined ? index : 'orders_pet_id_index' };
  return readRows(statements, listing, path, conditionsOf(filter), { limit: page.limit + 1, after: page.after });
}

/** The orders with a ship date, and after the last of them those without one, by identifier in the same direction. */
function rowsByShipDate(statements: PreparedStatements, filter: OrderFilter, page: PageRequest<OrderSort>): OrderRow[] {
  const descending = page.sort.startsWith('-');
  const index = filter.petId === undefined ? 'orders_by_ship_date' : 'orders_pet_id_index';
  const conditions = conditionsOf(filter);
  const limit = page.limit + 1;
  const { after } = page;

  const dated: OrderRow[] =
    after?.key === null
      ? []
      : readRows(
          statements,
          { table: 'orders', columns: COLUMNS, sortedBy: 'ship_date', descending },
          { index },
          [...conditions, { sql: 'ship_date is not null', values: [] }],
          { limit, after },
        );
  if (dated.length === limit) return dated;
  const undated = readRows<OrderRow>(
    statements,
    { table: 'orders', columns: COLUMNS, sortedBy: 'id', descending },
    { index },
    [...conditions, { sql: 'ship_date is null', values: [] }],
    { limit: limit - dated.length, after: after?.key === null ? after : undefined },
  );
  return [...dated, ...undated];
}

function conditionsOf({ petId, complete, shipDateFrom, shipDateTo }: OrderFilter): Condition[] {
  const conditions: Condition[] = [];
  if (petId !== undefined) conditions.push({ sql: 'pet_id = ?', values: [petId] });
  if (complete !== undefined) conditions.push({ sql: 'complete = ?', values: [complete ? 1 : 0] });
  if (shipDateFrom !== undefined) conditions.push({ sql: 'ship_date >= ?', values: [shipDateFrom] });
  if (shipDateTo !== undefined) conditions.push({ sql: 'ship_date < ?', values: [shipDateTo] });
  return conditions;
}
