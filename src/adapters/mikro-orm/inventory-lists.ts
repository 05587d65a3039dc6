import type {
  InventoryFilter,
  InventorySort,
  InventoryView,
  Page,
  PageRequest,
} from '../../application/ports/reader.ts';
import { columnsOf, countRows, type Path, pageOf, readRows } from './listing.ts';
import type { Condition, Dialect, ReadSession } from './session.ts';

const COLUMNS = columnsOf({ petId: 'id', quantity: 'quantity', reserved: 'reserved', status: 'status' });

export async function inventoryList(
  session: ReadSession,
  filter: InventoryFilter,
  page: PageRequest<InventorySort>,
): Promise<Page<InventoryView>> {
  const byQuantity = page.sort.endsWith('quantity');
  const listing = {
    table: 'pets',
    columns: COLUMNS,
    sortedBy: byQuantity ? 'quantity' : 'id',
    descending: page.sort.startsWith('-'),
  };
  const { path, rest } = pathOf(session.dialect, filter, byQuantity);
  const rows = await readRows<InventoryView>(session, listing, path, rest, {
    limit: page.limit + 1,
    after: page.after,
  });
  return pageOf(rows, page, ({ petId, quantity }) => ({ key: byQuantity ? quantity : petId, id: petId }));
}

export function countInventory(session: ReadSession, filter: InventoryFilter): Promise<number> {
  return countRows(session, 'pets', conditionsOf(session.dialect, filter));
}

function pathOf(dialect: Dialect, filter: InventoryFilter, byQuantity: boolean): { path: Path; rest: Condition[] } {
  const { status, petIds, below } = filter;
  if (petIds) return { path: { index: undefined }, rest: conditionsOf(dialect, filter) };
  if (status) {
    const index = byQuantity ? 'pets_by_status_quantity' : 'pets_by_status';
    const branches = [...new Set(status)].map((value) => ({ sql: 'status = ?', values: [value] }));
    return { path: { index, branches }, rest: conditionsOf(dialect, { below }) };
  }
  return { path: { index: byQuantity ? 'pets_by_quantity' : undefined }, rest: conditionsOf(dialect, filter) };
}

function conditionsOf(dialect: Dialect, { status, petIds, below }: InventoryFilter): Condition[] {
  const conditions: Condition[] = [];
  if (petIds) conditions.push(dialect.isOneOf('id', petIds));
  if (status) conditions.push(dialect.isOneOf('status', status));
  if (below !== undefined) conditions.push({ sql: 'quantity < ?', values: [below] });
  return conditions;
}
