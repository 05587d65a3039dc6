import type {
  InventoryFilter,
  InventorySort,
  InventoryView,
  Page,
  PageRequest,
} from '../../application/ports/reader.ts';
import type { Condition, Dialect } from './dialect.ts';
import { type AccessPath, countRows, pageOf, readRows, TableText } from './keyset-paging.ts';
import type { ReadSession } from './session.ts';

const PETS = new TableText('pets');
const COLUMNS = PETS.columns({ petId: 'id', quantity: 'quantity', reserved: 'reserved', status: 'status' });

export async function inventoryList(
  session: ReadSession,
  filter: InventoryFilter,
  page: PageRequest<InventorySort>,
): Promise<Page<InventoryView>> {
  const { by, descending = false } = page.sort;
  const byQuantity = by === 'quantity';
  const sortedBy = PETS.column(byQuantity ? 'quantity' : 'id');
  const { path, rest } = pathOf(session.dialect, filter, byQuantity);
  const rows = await readRows(session, { table: PETS.name, columns: COLUMNS, sortedBy, descending }, path, rest, page);
  return pageOf(
    rows,
    page,
    ({ petId, quantity }) => ({ key: byQuantity ? quantity : petId, id: petId }),
    (row) => row,
  );
}

export function countInventory(session: ReadSession, filter: InventoryFilter): Promise<number> {
  return countRows(session, PETS.name, conditionsOf(session.dialect, filter));
}

function pathOf(
  dialect: Dialect,
  filter: InventoryFilter,
  byQuantity: boolean,
): { path: AccessPath; rest: Condition[] } {
  const { status, petIds, below } = filter;
  if (petIds) return { path: { index: undefined }, rest: conditionsOf(dialect, filter) };
  if (status) {
    const index = byQuantity ? 'pets_by_status_quantity' : 'pets_by_status';
    const branches = [...new Set(status)].map((value) => PETS.compare('status', '=', value));
    return { path: { index, branches }, rest: conditionsOf(dialect, { below }) };
  }
  return { path: { index: byQuantity ? 'pets_by_quantity' : undefined }, rest: conditionsOf(dialect, filter) };
}

function conditionsOf(dialect: Dialect, { status, petIds, below }: InventoryFilter): Condition[] {
  const conditions: Condition[] = [];
  if (petIds) conditions.push(PETS.isOneOf(dialect, 'id', petIds));
  if (status) conditions.push(PETS.isOneOf(dialect, 'status', status));
  if (below !== undefined) conditions.push(PETS.compare('quantity', '<', below));
  return conditions;
}
