import type { Page, PageRequest, PetFilter, PetSort, PetView } from '../../application/ports/reader.ts';
import { nameKey } from '../../domain/text.ts';
import { beginsWith, columnsOf, countRows, type Path, pageOf, readRows } from './listing.ts';
import type { Condition, Dialect, ReadSession } from './session.ts';

const COLUMNS = columnsOf({ id: 'id', name: 'name', categoryId: 'category_id', status: 'status' });

export async function petList(
  session: ReadSession,
  filter: PetFilter,
  page: PageRequest<PetSort>,
): Promise<Page<PetView>> {
  const descending = page.sort.startsWith('-');
  const byName = page.sort.endsWith('name');
  const { path, rest } = byName ? pathByName(session.dialect, filter) : pathById(session.dialect, filter);
  const listing = { table: 'pets', columns: COLUMNS, sortedBy: byName ? 'name_key' : 'id', descending };
  const rows = await readRows<PetView>(session, listing, path, rest, { limit: page.limit + 1, after: page.after });
  return pageOf(rows, page, ({ id, name }) => ({ key: byName ? nameKey(name) : id, id }));
}

export function countPets(session: ReadSession, filter: PetFilter): Promise<number> {
  return countRows(session, 'pets', conditionsOf(session.dialect, filter));
}

function pathByName(dialect: Dialect, filter: PetFilter): { path: Path; rest: Condition[] } {
  const rest = conditionsOf(dialect, filter);
  if (filter.ids) return { path: { index: undefined }, rest };
  return { path: { index: filter.categoryId === undefined ? 'pets_by_name' : 'pets_by_category_name' }, rest };
}

function pathById(dialect: Dialect, filter: PetFilter): { path: Path; rest: Condition[] } {
  const { status, categoryId, name, ids } = filter;
  if (ids) return { path: { index: undefined }, rest: conditionsOf(dialect, filter) };
  // Few names share a beginning, so sorting those is cheaper than looking for them among all.
  if (name !== undefined) return { path: pathByName(dialect, filter).path, rest: conditionsOf(dialect, filter) };
  if (status) {
    const index = categoryId === undefined ? 'pets_by_status' : 'pets_by_category_status';
    const branches = [...new Set(status)].map((value) => ({ sql: 'status = ?', values: [value] }));
    return { path: { index, branches }, rest: conditionsOf(dialect, { categoryId }) };
  }
  const index = categoryId === undefined ? undefined : 'pets_category_id_index';
  return { path: { index }, rest: conditionsOf(dialect, filter) };
}

function conditionsOf(dialect: Dialect, { status, categoryId, name, ids }: PetFilter): Condition[] {
  const conditions: Condition[] = [];
  if (ids) conditions.push(dialect.isOneOf('id', ids));
  if (categoryId !== undefined) conditions.push({ sql: 'category_id = ?', values: [categoryId] });
  if (name !== undefined) conditions.push(beginsWith('name_key', nameKey(name)));
  if (status) conditions.push(dialect.isOneOf('status', status));
  return conditions;
}
