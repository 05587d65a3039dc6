import type { CategoryFilter, CategorySort, CategoryView, Page, PageRequest } from '../../application/ports/reader.ts';
import { nameKey } from '../../domain/text.ts';
import { type CategoryRow, showCategory } from './category-rows.ts';
import { beginsWith, columnsOf, countRows, pageOf, readRows, showPage } from './listing.ts';
import type { Condition, ReadSession } from './session.ts';

/** A row of a list, with the key that it has there. */
interface ListedRow extends CategoryRow {
  readonly nameKey: string;
}

const COLUMNS = columnsOf({ id: 'id', name: 'name', nameKey: 'name_key', description: 'description' });

export async function categoryList(
  session: ReadSession,
  filter: CategoryFilter,
  page: PageRequest<CategorySort>,
): Promise<Page<CategoryView>> {
  const byName = page.sort.endsWith('name');
  const listing = {
    table: 'categories',
    columns: COLUMNS,
    sortedBy: byName ? 'name_key' : 'id',
    descending: page.sort.startsWith('-'),
  };
  const path = { index: byName || filter.name !== undefined ? 'categories_name_key' : undefined };
  const rows = await readRows<ListedRow>(session, listing, path, conditionsOf(filter), {
    limit: page.limit + 1,
    after: page.after,
  });
  const positionOf = ({ id, nameKey: key }: ListedRow) => ({ key: byName ? key : id, id });
  return showPage(pageOf(rows, page, positionOf), showCategory);
}

export function countCategories(session: ReadSession, filter: CategoryFilter): Promise<number> {
  return countRows(session, 'categories', conditionsOf(filter));
}

function conditionsOf({ name }: CategoryFilter): Condition[] {
  return name === undefined ? [] : [beginsWith('name_key', nameKey(name))];
}
