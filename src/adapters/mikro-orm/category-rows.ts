import type { CategoryView } from '../../application/ports/reader.ts';
import { statement } from './statement.ts';
import type { RowOf } from './tables.ts';

export const CATEGORY = statement((db, { id }: { id: number }) =>
  db.selectFrom('categories').select(['id', 'name', 'description']).where('id', '=', id),
);

export function showCategory({ id, name, description }: Omit<RowOf<'categories'>, 'nameKey'>): CategoryView {
  return description === null ? { id, name } : { id, name, description };
}
