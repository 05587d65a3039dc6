import type {
  CategoryFilter,
  CategorySnapshot,
  CategorySort,
  Page,
  PageRequest,
} from '../../application/ports/reader.ts';
import { nameKey } from '../../domain/text.ts';
import type { Condition } from './dialect.ts';
import { countRows, pageOf, readRows, TableText } from './keyset-paging.ts';
import type { ReadSession } from './session.ts';
import { statement } from './statement.ts';
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
  const path = { index: byName || filter.name !== undefined ? 'categories_name_key' : undefined };
  const rows = await readRows(session, listing, path, conditionsOf(filter), page);
  return pageOf(rows, page, ({ id, nameKey: key }) => ({ key: byName ? key : id, id }), showCategory);
}

export function countCategories(session: ReadSession, filter: CategoryFilter): Promise<number> {
  return countRows(session, CATEGORIES.name, conditionsOf(filter));
}

function conditionsOf({ name }: CategoryFilter): Condition[] {
  return name === undefined ? [] : [CATEGORIES.beginsWith('nameKey', nameKey(name))];
}

export function showCategory({ id, name, description }: Omit<RowOf<'categories'>, 'nameKey'>): CategorySnapshot {
  return description === null ? { id, name } : { id, name, description };
}
