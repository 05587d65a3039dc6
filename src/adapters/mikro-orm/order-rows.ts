import type { OrderView } from '../../application/ports/reader.ts';

export interface OrderRow {
  readonly id: number;
  readonly petId: number;
  readonly quantity: number;
  readonly shipDate: number | null;
  readonly complete: number;
}

export const ORDER =
  'select id, pet_id as "petId", quantity, ship_date as "shipDate", complete from orders where id = ?';

export function showOrder({ id, petId, quantity, shipDate, complete }: OrderRow): OrderView {
  const order = { id, petId, quantity, complete: complete === 1 };
  return shipDate === null ? order : { ...order, shipDate };
}
