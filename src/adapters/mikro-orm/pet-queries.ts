import type { Page, PageRequest, PetFilter, PetSort, PetView } from '../../application/ports/reader.ts';
import { nameKey } from '../../domain/text.ts';
import type { Condition, Dialect } from './dialect.ts';
import { type AccessPath, countRows, pageOf, readRows, TableText } from './keyset-paging.ts';
import type { ReadSession } from './session.ts';

const PETS = new TableText('pets');
const COLUMNS = PETS.columns({ id: 'id', name: 'name', categoryId: 'categoryId', status: 'status' });

export async function petList(
  session: ReadSession,
  filter: PetFilter,
  page: PageRequest<PetSort>,
): Promise<Page<PetView>> {
  const { by, descending = false } = page.sort;
  const byName = by === 'name';
  const { path, rest } = byName ? pathByName(session.dialect, filter) : pathById(session.dialect, filter);
  const sortedBy = PETS.column(byName ? 'nameKey' : 'id');
  const rows = await readRows(session, { table: PETS.name, columns: COLUMNS, sortedBy, descending }, path, rest, page);
  return pageOf(
    rows,
    page,
    ({ id, name }) => ({ key: byName ? nameKey(name) : id, id }),
    (row) => row,
  );
}

export function countPets(session: ReadSession, filter: PetFilter): Promise<number> {
  return countRows(session, PETS.name, conditionsOf(session.dialect, filter));
}

function pathByName(dialect: Dialect, filter: PetFilter): { path: AccessPath; rest: Condition[] } {
  const rest = conditionsOf(dialect, filter);
  if (filter.ids) return { path: { index: undefined }, rest };
  return { path: { index: filter.categoryId === undefined ? 'pets_by_name' : 'pets_by_category_name' }, rest };
}

function pathById(dialect: Dialect, filter: PetFilter): { path: AccessPath; rest: Condition[] } {
  const { status, categoryId, name, ids } = filter;
  if (ids) return { path: { index: undefined }, rest: conditionsOf(dialect, filter) };
  // Few names share a prefix, so sorting the matches is cheaper than filtering all pets.
  if (name !== undefined) return { path: pathByName(dialect, filter).path, rest: conditionsOf(dialect, filter) };
  if (status) {
    const index = categoryId === undefined ? 'pets_by_status' : 'pets_by_category_status';
    const branches = [...new Set(status)].map((value) => PETS.compare('status', '=', value));
    return { path: { index, branches }, rest: conditionsOf(dialect, { categoryId }) };
  }
  const index = categoryId === undefined ? undefined : 'pets_category_id_index';
  return { path: { index }, rest: conditionsOf(dialect, filter) };
}

function conditionsOf(dialect: Dialect, { status, categoryId, name, ids }: PetFilter): Condition[] {
  const conditions: Condition[] = [];
  if (ids) conditions.push(PETS.isOneOf(dialect, 'id', ids));
  if (categoryId !== undefined) conditions.push(PETS.compare('categoryId', '=', categoryId));
  if (name !== undefined) conditions.push(PETS.beginsWith('nameKey', nameKey(name)));
  if (status) conditions.push(PETS.isOneOf(dialect, 'status', status));
  return conditions;
}
