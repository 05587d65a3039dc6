import type { CategoryView } from '../../application/ports/reader.ts';

export interface CategoryRow {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
}

export const CATEGORY = 'select id, name, description from categories where id = ?';

export function showCategory({ id, name, description }: CategoryRow): CategoryView {
  return description === null ? { id, name } : { id, name, description };
}
