import type {
  InventoryFilter,
  InventorySort,
  InventoryView,
  Page,
  PageRequest,
} from '../../application/ports/reader.ts';
import { type AccessPath, countRows } from './access-path.ts';
import type { Condition, Dialect } from './dialect.ts';
import { pageOf, readRows } from './keyset-paging.ts';
import type { ReadSession } from './session.ts';
import { TableText } from './table-text.ts';

const PETS = new TableText('pets');
const COLUMNS = PETS.columns({ petId: 'id', quantity: 'quantity', reserved: 'reserved', status: 'status' });

/** For each sort, the indexes of all pets and of those with a status. */
const INDEXES = {
  petId: { all: undefined, status: 'pets_by_status' },
  quantity: { all: 'pets_by_quantity', status: 'pets_by_status_quantity' },
} as const;

export async function inventoryList(
  session: ReadSession,
  filter: InventoryFilter,
  page: PageRequest<InventorySort>,
): Promise<Page<InventoryView>> {
  const { by, descending = false } = page.sort;
  const byQuantity = by === 'quantity';
  const sortedBy = PETS.column(byQuantity ? 'quantity' : 'id');
  const listing = { table: PETS.name, columns: COLUMNS, sortedBy, descending };
  const matches = !byQuantity && isRange(filter) ? pathOf(filter, 'quantity', session.dialect) : undefined;
  const rows = await readRows(session, listing, pathOf(filter, by, session.dialect), page, matches);
  return pageOf(
    rows,
    page,
    ({ petId, quantity }) => ({ key: byQuantity ? quantity : petId, id: petId }),
    (row) => row,
  );
}

export function countInventory(session: ReadSession, filter: InventoryFilter, most?: number): Promise<number> {
  const byQuantity = isRange(filter) || filter.status === undefined;
  return countRows(session, PETS.name, pathOf(filter, byQuantity ? 'quantity' : 'petId', session.dialect), most);
}

/** Whether the matches are ranges of the quantities, in whose order a list by identifier is not. */
function isRange({ below, petIds }: InventoryFilter): boolean {
  return below !== undefined && !petIds;
}

function pathOf(filter: InventoryFilter, by: InventorySort['by'], dialect: Dialect): AccessPath {
  const { status, petIds, below } = filter;
  const range = below === undefined ? undefined : PETS.range('quantity', { below });
  if (petIds) return { index: undefined, range, conditions: conditionsOf(dialect, filter) };
  return {
    index: INDEXES[by][status ? 'status' : 'all'],
    branches: status && [...new Set(status)].map((value) => PETS.equals('status', value)),
    range,
    conditions: [],
  };
}

function conditionsOf(dialect: Dialect, { status, petIds }: InventoryFilter): Condition[] {
  const conditions: Condition[] = [];
  if (petIds) conditions.push(PETS.isOneOf(dialect, 'id', petIds));
  if (status) conditions.push(PETS.isOneOf(dialect, 'status', status));
  return conditions;
}
