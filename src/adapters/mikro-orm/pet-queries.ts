import type { Page, PageRequest, PetFilter, PetSort, PetView } from '../../application/ports/reader.ts';
import { nameKey } from '../../domain/text.ts';
import { type AccessPath, countRows } from './access-path.ts';
import type { Condition, Dialect } from './dialect.ts';
import { pageOf, readRows } from './keyset-paging.ts';
import type { ReadSession } from './session.ts';
import { TableText } from './table-text.ts';

const PETS = new TableText('pets');
const COLUMNS = PETS.columns({ id: 'id', name: 'name', categoryId: 'categoryId', status: 'status' });

/** For each sort, the index that also begins with the columns that a filter compares for equality. */
const INDEXES = {
  id: { all: undefined, category: 'pets_category_id_index', status: 'pets_by_status', both: 'pets_by_category_status' },
  name: {
    all: 'pets_by_name',
    category: 'pets_by_category_name',
    status: 'pets_by_status_name',
    both: 'pets_by_category_status_name',
  },
} as const;

export async function petList(
  session: ReadSession,
  filter: PetFilter,
  page: PageRequest<PetSort>,
): Promise<Page<PetView>> {
  const { by, descending = false } = page.sort;
  const byName = by === 'name';
  const sortedBy = PETS.column(byName ? 'nameKey' : 'id');
  const listing = { table: PETS.name, columns: COLUMNS, sortedBy, descending };
  const matches = !byName && isRange(filter) ? pathOf(filter, 'name', session.dialect) : undefined;
  const rows = await readRows(session, listing, pathOf(filter, by, session.dialect), page, matches);
  return pageOf(
    rows,
    page,
    ({ id, name }) => ({ key: byName ? nameKey(name) : id, id }),
    (row) => row,
  );
}

export function countPets(session: ReadSession, filter: PetFilter, most?: number): Promise<number> {
  const byName = isRange(filter) || (filter.status === undefined && filter.categoryId === undefined);
  return countRows(session, PETS.name, pathOf(filter, byName ? 'name' : 'id', session.dialect), most);
}

/** Whether the matches are one range of the names, in whose order a list by identifier is not. */
function isRange({ name, ids }: PetFilter): boolean {
  return name !== undefined && !ids;
}

function pathOf(filter: PetFilter, by: PetSort['by'], dialect: Dialect): AccessPath {
  const { status, categoryId, name, ids } = filter;
  const range = name === undefined ? undefined : PETS.beginsWith('nameKey', nameKey(name));
  if (ids) return { index: undefined, range, conditions: conditionsOf(dialect, filter) };
  const columns = status
    ? categoryId === undefined
      ? 'status'
      : 'both'
    : categoryId === undefined
      ? 'all'
      : 'category';
  return {
    index: INDEXES[by][columns],
    branches: status && [...new Set(status)].map((value) => PETS.equals('status', value)),
    range,
    conditions: conditionsOf(dialect, { categoryId }),
  };
}

function conditionsOf(dialect: Dialect, { status, categoryId, ids }: Omit<PetFilter, 'name'>): Condition[] {
  const conditions: Condition[] = [];
  if (ids) conditions.push(PETS.isOneOf(dialect, 'id', ids));
  if (categoryId !== undefined) conditions.push(PETS.equals('categoryId', categoryId));
  if (status) conditions.push(PETS.isOneOf(dialect, 'status', status));
  return conditions;
}
