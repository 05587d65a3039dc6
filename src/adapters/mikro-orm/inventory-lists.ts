import type {
  InventoryFilter,
  InventorySort,
  InventoryView,
  Page,
  PageRequest,
} from '../../application/ports/reader.ts';
import { type Condition, columnsOf, countRows, isOneOf, type Path, pageOf, readRows } from './listing.ts';
import type { PreparedStatements } from './sqlite-database.ts';

const COLUMNS = columnsOf({ petId: 'id', quantity: 'quantity', reserved: 'reserved', status: 'status' });

export function inventoryList(
  statements: PreparedStatements,
  filter: InventoryFilter,
  page: PageRequest<InventorySort>,
): Page<InventoryView> {
  const byQuantity = page.sort.endsWith('quantity');
  const listing = {
    table: 'pets',
    columns: COLUMNS,
    sortedBy: byQuantity ? 'quantity' : 'id',
    descending: page.sort.startsWith('-'),
  };
  const { path, rest } = pathOf(filter, byQuantity);
  const rows = readRows<InventoryView>(statements, listing, path, rest, { limit: page.limit + 1, after: page.after });
  return pageOf(rows, page, ({ petId, quantity }) => ({ key: byQuantity ? quantity : petId, id: petId }));
}

export function countInventory(statements: PreparedStatements, filter: InventoryFilter): number {
  return countRows(statements, 'pets', conditionsOf(filter));
}

function pathOf(filter: InventoryFilter, byQuantity: boolean): { path: Path; rest: Condition[] } {
  const { status, petIds, below } = filter;
  if (petIds) return { path: { index: undefined }, rest: conditionsOf(filter) };
  if (status) {
    const index = byQuantity ? 'pets_by_status_quantity' : 'pets_by_status';
    const branches = [...new Set(status)].map((value) => ({ sql: 'status = ?', values: [value] }));
    return { path: { index, branches }, rest: conditionsOf({ below }) };
  }
  return { path: { index: byQuantity ? 'pets_by_quantity' : undefined }, rest: conditionsOf(filter) };
}

function conditionsOf({ status, petIds, below }: InventoryFilter): Condition[] {
  const conditions: Condition[] = [];
  if (petIds) conditions.push(isOneOf('id', petIds));
  if (status) conditions.push(isOneOf('status', status));
  if (below !== undefined) conditions.push({ sql: 'quantity < ?', values: [below] });
  return conditions;
}
