import type { Page, PageRequest, PetFilter, PetSort, PetView, StorePetView } from '../../application/ports/reader.ts';
import { nameKey } from '../../domain/text.ts';
import { type AccessPath, countRows } from './access-path.ts';
import { showCategory } from './category-queries.ts';
import type { Condition, Dialect } from './dialect.ts';
import { pageOf, readRows } from './keyset-paging.ts';
import type { MaybePromise, ReadSession } from './session.ts';
import { statement } from './statement.ts';
import { TableText } from './table-text.ts';

const PET = statement((db, { id }: { id: number }) =>
  db.selectFrom('pets').select(['id', 'name', 'categoryId', 'status']).where('id', '=', id),
);

/** The category is missing where a damaged store has lost it. */
const STORE_PET = statement((db, { id }: { id: number }) =>
  db
    .selectFrom('pets as pet')
    .leftJoin('categories as category', 'category.id', 'pet.categoryId')
    .select(['pet.id', 'pet.name', 'pet.categoryId', 'pet.status', 'pet.quantity', 'pet.reserved'])
    .select(['category.name as categoryName', 'category.description'])
    .where('pet.id', '=', id),
);

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

export function petById(session: ReadSession, id: number): MaybePromise<PetView | undefined> {
  return session.one(PET, { id });
}

export async function storePet(
  session: ReadSession,
  id: number,
  expand: { category: boolean; inventory: boolean },
): Promise<StorePetView | undefined> {
  // Most requests need only the pet, which costs half.
  if (!expand.category && !expand.inventory) return petById(session, id);
  const row = await session.one(STORE_PET, { id });
  if (!row) return undefined;
  const { name, categoryId, status, quantity, reserved, categoryName, description } = row;
  return {
    id,
    name,
    categoryId,
    status,
    ...(expand.category &&
      categoryName !== null && { category: showCategory({ id: categoryId, name: categoryName, description }) }),
    ...(expand.inventory && { inventory: { petId: id, quantity, reserved, status } }),
  };
}

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
