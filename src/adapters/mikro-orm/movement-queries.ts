import type { MovementView, Page, PageBounds } from '../../application/ports/reader.ts';
import { pageOf, readRows, TableText } from './keyset-paging.ts';
import type { ReadSession } from './session.ts';
import { statement } from './statement.ts';
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

const COUNT = statement((db, { petId }: { petId: number }) =>
  db
    .selectFrom('pets')
    .leftJoin('movements', 'movements.petId', 'pets.id')
    .select((row) => row.fn.count<number>('movements.id').as('movements'))
    .where('pets.id', '=', petId)
    .groupBy('pets.id'),
);

const PET = statement((db, { petId }: { petId: number }) => db.selectFrom('pets').select('id').where('id', '=', petId));

/** `undefined` if there is no such pet. */
export async function movementList(
  session: ReadSession,
  petId: number,
  page: PageBounds,
): Promise<Page<MovementView> | undefined> {
  const ofPet = [MOVEMENTS.compare('petId', '=', petId)];
  const read = () => readRows(session, LISTING, { index: 'movements_pet_id_index' }, ofPet, page);
  let rows = await read();
  if (rows.length === 0) {
    if (!(await session.one(PET, { petId }))) return undefined;
    // The pet may have been created between the two reads, so its movements are read again.
    if (!page.after) rows = await read();
  }
  return pageOf(rows, page, ({ id }) => ({ key: id, id }), showMovement);
}

/** `undefined` if there is no such pet. */
export async function countMovements(session: ReadSession, petId: number): Promise<number | undefined> {
  return (await session.one(COUNT, { petId }))?.movements;
}

function showMovement({ orderId, ...movement }: RowOf<'movements'>): MovementView {
  return orderId === null ? movement : { ...movement, orderId };
}
