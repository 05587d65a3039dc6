import type { Page, PageRequest, PetFilter, PetSort, PetView } from '../../application/ports/reader.ts';
import { nameKey } from '../../domain/text.ts';
import { beginsWith, type Condition, columnsOf, countRows, isOneOf, type Path, pageOf, readRows } from './listing.ts';
import type { PreparedStatements } from './sqlite-database.ts';

const COLUMNS = columnsOf({ id: 'id', name: 'name', categoryId: 'category_id', status: 'status' });

export function petList(statements: PreparedStatements, filter: PetFilter, page: PageRequest<PetSort>): Page<PetView> {
  const descending = page.sort.startsWith('-');
  const byName = page.sort.endsWith('name');
  const { path, rest } = byName ? pathByName(filter) : pathById(filter);
  const listing = { table: 'pets', columns: COLUMNS, sortedBy: byName ? 'name_key' : 'id', descending };
  const rows = readRows<PetView>(statements, listing, path, rest, { limit: page.limit + 1, after: page.after });
  return pageOf(rows, page, ({ id, name }) => ({ key: byName ? nameKey(name) : id, id }));
}

export function countPets(statements: PreparedStatements, filter: PetFilter): number {
  return countRows(statements, 'pets', conditionsOf(filter));
}

function pathByName(filter: PetFilter): { path: Path; rest: Condition[] } {
  const rest = conditionsOf(filter);
  if (filter.ids) return { path: { index: undefined }, rest };
  return { path: { index: filter.categoryId === undefined ? 'pets_by_name' : 'pets_by_category_name' }, rest };
}

function pathById(filter: PetFilter): { path: Path; rest: Condition[] } {
  const { status, categoryId, name, ids } = filter;
  if (ids) return { path: { index: undefined }, rest: conditionsOf(filter) };
  // Few names share a beginning, so sorting those is cheaper than looking for them among all.
  if (name !== undefined) return { path: pathByName(filter).path, rest: conditionsOf(filter) };
  if (status) {
    const index = categoryId === undefined ? 'pets_by_status' : 'pets_by_category_status';
    const branches = [...new Set(status)].map((value) => ({ sql: 'status = ?', values: [value] }));
    return { path: { index, branches }, rest: conditionsOf({ categoryId }) };
  }
  const index = categoryId === undefined ? undefined : 'pets_category_id_index';
  return { path: { index }, rest: conditionsOf(filter) };
}

function conditionsOf({ status, categoryId, name, ids }: PetFilter): Condition[] {
  const conditions: Condition[] = [];
  if (ids) conditions.push(isOneOf('id', ids));
  if (categoryId !== undefined) conditions.push({ sql: 'category_id = ?', values: [categoryId] });
  if (name !== undefined) conditions.push(beginsWith('name_key', nameKey(name)));
  if (status) conditions.push(isOneOf('status', status));
  return conditions;
}
