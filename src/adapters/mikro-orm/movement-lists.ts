import type { MovementView, Page, PageRequest } from '../../application/ports/reader.ts';
import { columnsOf, pageOf, readRows, showPage } from './listing.ts';
import type { Condition, ReadSession } from './session.ts';

interface MovementRow extends Omit<MovementView, 'orderId'> {
  readonly orderId: number | null;
}

const LISTING = {
  table: 'movements',
  columns: columnsOf({
    id: 'id',
    petId: 'pet_id',
    kind: 'kind',
    quantity: 'quantity',
    reserved: 'reserved',
    orderId: 'order_id',
    at: 'at',
  }),
  sortedBy: 'id',
  descending: true,
};

const COUNT = `select count(movements.id) as n from pets left join movements on movements.pet_id = pets.id
  where pets.id = ? group by pets.id`;
const PET = 'select id from pets where id = ?';

/** `undefined` if there is no such pet. */
export async function movementList(
  session: ReadSession,
  petId: number,
  page: PageRequest<'-id'>,
): Promise<Page<MovementView> | undefined> {
  const read = () =>
    readRows<MovementRow>(session, LISTING, { index: 'movements_pet_id_index' }, ofPet(petId), {
      limit: page.limit + 1,
      after: page.after,
    });
  let rows = await read();
  if (rows.length === 0) {
    if (!(await session.one(PET, petId))) return undefined;
    // The pet may have been created between the two reads. A pet without movements has an empty list, so once more is enough.
    if (!page.after) rows = await read();
  }
  return showPage(
    pageOf(rows, page, ({ id }) => ({ key: id, id })),
    showMovement,
  );
}

/** `undefined` if there is no such pet. */
export async function countMovements(session: ReadSession, petId: number): Promise<number | undefined> {
  return (await session.one<{ n: number }>(COUNT, petId))?.n;
}

function showMovement({ orderId, ...movement }: MovementRow): MovementView {
  return orderId === null ? movement : { ...movement, orderId };
}

function ofPet(petId: number): Condition[] {
  return [{ sql: 'pet_id = ?', values: [petId] }];
}
