import type {
  CategoryFilter,
  CategorySnapshot,
  CategorySort,
  Page,
  PageRequest,
} from '../../application/ports/reader.ts';
import { nameKey } from '../../domain/text.ts';
import { type AccessPath, countRows } from './access-path.ts';
import { pageOf, readRows } from './keyset-paging.ts';
import type { ReadSession } from './session.ts';
import { statement } from './statement.ts';
import { TableText } from './table-text.ts';
import type { RowOf } from './tables.ts';

export const CATEGORY = statement((db, { id }: { id: number }) =>
  db.selectFrom('categories').select(['id', 'name', 'description']).where('id', '=', id),
);

const CATEGORIES = new TableText('categories');
const COLUMNS = CATEGORIES.columns({ id: 'id', name: 'name', nameKey: 'nameKey', description: 'description' });

export async function categoryList(
  session: ReadSession,
  filter: CategoryFilter,
  page: PageRequest<CategorySort>,
): Promise<Page<CategorySnapshot>> {
  const { by, descending = false } = page.sort;
  const byName = by === 'name';
  const sortedBy = CATEGORIES.column(byName ? 'nameKey' : 'id');
  const listing = { table: CATEGORIES.name, columns: COLUMNS, sortedBy, descending };
  const matches = !byName && filter.name !== undefined ? pathOf(filter, 'name') : undefined;
  const rows = await readRows(session, listing, pathOf(filter, by), page, matches);
  return pageOf(rows, page, ({ id, nameKey: key }) => ({ key: byName ? key : id, id }), showCategory);
}

export function countCategories(session: ReadSession, filter: CategoryFilter, most?: number): Promise<number> {
  return countRows(session, CATEGORIES.name, pathOf(filter, 'name'), most);
}

function pathOf({ name }: CategoryFilter, by: CategorySort['by']): AccessPath {
  return {
    index: by === 'name' ? 'categories_name_key' : undefined,
    range: name === undefined ? undefined : CATEGORIES.beginsWith('nameKey', nameKey(name)),
    conditions: [],
  };
}

export function showCategory({ id, name, description }: Omit<RowOf<'categories'>, 'nameKey'>): CategorySnapshot {
  return description === null ? { id, name } : { id, name, description };
}
