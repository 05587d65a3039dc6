import type { OrderView } from '../../application/ports/reader.ts';
import { statement } from './statement.ts';
import type { RowOf } from './tables.ts';

const COLUMNS = ['id', 'petId', 'quantity', 'shipDate', 'complete'] as const;

export const ORDER = statement((db, { id }: { id: number }) =>
  db.selectFrom('orders').select(COLUMNS).where('id', '=', id),
);

export const LOCK_ORDER = statement((db, { id }: { id: number }, { locksRows }) =>
  db
    .selectFrom('orders')
    .select(COLUMNS)
    .where('id', '=', id)
    .$if(locksRows, (query) => query.forUpdate()),
);

export function showOrder({ id, petId, quantity, shipDate, complete }: RowOf<'orders'>): OrderView {
  const order = { id, petId, quantity, complete: complete === 1 };
  return shipDate === null ? order : { ...order, shipDate };
}
