import type { MovementView, Page, PageBounds } from '../../application/ports/reader.ts';
import { type AccessPath, countRows } from './access-path.ts';
import { pageOf, readRows } from './keyset-paging.ts';
import type { ReadSession } from './session.ts';
import { statement } from './statement.ts';
import { TableText } from './table-text.ts';
import type { RowOf } from './tables.ts';

const MOVEMENTS = new TableText('movements');
const LISTING = {
  table: MOVEMENTS.name,
  columns: MOVEMENTS.columns({
    id: 'id',
    petId: 'petId',
    kind: 'kind',
    quantity: 'quantity',
    reserved: 'reserved',
    orderId: 'orderId',
    at: 'at',
  }),
  sortedBy: MOVEMENTS.column('id'),
  descending: true,
};

const PET = statement((db, { petId }: { petId: number }) => db.selectFrom('pets').select('id').where('id', '=', petId));

/** `undefined` if there is no such pet. */
export async function movementList(
  session: ReadSession,
  petId: number,
  page: PageBounds,
): Promise<Page<MovementView> | undefined> {
  const read = () => readRows(session, LISTING, pathOf(petId), page);
  let rows = await read();
  if (rows.length === 0) {
    if (!(await session.one(PET, { petId }))) return undefined;
    // The pet may have been created between the two reads, so its movements are read again.
    if (!page.after) rows = await read();
  }
  return pageOf(rows, page, ({ id }) => ({ key: id, id }), showMovement);
}

/** `undefined` if there is no such pet. */
export async function countMovements(session: ReadSession, petId: number, most?: number): Promise<number | undefined> {
  const count = () => countRows(session, MOVEMENTS.name, pathOf(petId), most);
  // As above: a pet without movements may have been created in between.
  return (await count()) || ((await session.one(PET, { petId })) && (await count()));
}

function pathOf(petId: number): AccessPath {
  return { index: 'movements_pet_id_index', conditions: [MOVEMENTS.equals('petId', petId)] };
}

function showMovement({ orderId, ...movement }: RowOf<'movements'>): MovementView {
  return orderId === null ? movement : { ...movement, orderId };
}
