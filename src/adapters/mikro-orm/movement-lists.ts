import type { MovementView, Page, PageRequest } from '../../application/ports/reader.ts';
import { type Condition, columnsOf, countRows, pageOf, readRows, showPage } from './listing.ts';
import type { PreparedStatements } from './sqlite-database.ts';

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

export function movementList(
  statements: PreparedStatements,
  petId: number,
  page: PageRequest<'-id'>,
): Page<MovementView> {
  const rows = readRows<MovementRow>(statements, LISTING, { index: 'movements_pet_id_index' }, ofPet(petId), {
    limit: page.limit + 1,
    after: page.after,
  });
  return showPage(
    pageOf(rows, page, ({ id }) => ({ key: id, id })),
    showMovement,
  );
}

export function countMovements(statements: PreparedStatements, petId: number): number {
  return countRows(statements, 'movements', ofPet(petId));
}

function showMovement({ orderId, ...movement }: MovementRow): MovementView {
  return orderId === null ? movement : { ...movement, orderId };
}

function ofPet(petId: number): Condition[] {
  return [{ sql: 'pet_id = ?', values: [petId] }];
}
