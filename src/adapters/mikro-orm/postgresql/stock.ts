import { sql } from 'kysely';
import type { TextQuery } from '../dialect.ts';
import { postgresqlStatement, statement } from '../statement.ts';
import type { RowOf } from '../tables.ts';

/** What an order needs to know of a pet. */
export type StockRow = Pick<RowOf<'pets'>, 'id' | 'quantity' | 'reserved' | 'held' | 'status'>;

const COLUMNS = ['id', 'quantity', 'reserved', 'held', 'status'] as const;

/** Waits for a row that another transaction has locked. */
export const LOCK_STOCK = postgresqlStatement((db, { petId }: { petId: number }) =>
  db.selectFrom('pets').select(COLUMNS).where('id', '=', petId).forUpdate(),
);

/** Returns nothing for a row that another transaction has locked. */
export const TRY_LOCK_STOCK = postgresqlStatement((db, { petId }: { petId: number }) =>
  db.selectFrom('pets').select(COLUMNS).where('id', '=', petId).forUpdate().skipLocked(),
);

/** The same for many pets, in the order of their identifiers. */
export const TRY_LOCK_STOCKS = postgresqlStatement((db, { petIds }: { petIds: readonly number[] }) =>
  db
    .selectFrom('pets')
    .select(COLUMNS)
    .where('id', '=', sql<number>`any(${petIds}::bigint[])`)
    .orderBy('id')
    .forUpdate()
    .skipLocked(),
);

export const PET_EXISTS = postgresqlStatement((db, { petId }: { petId: number }) =>
  db.selectFrom('pets').select('id').where('id', '=', petId),
);

export const SAVE_STOCK = statement((db, { id, quantity, reserved, held, status }: StockRow) =>
  db.updateTable('pets').set({ quantity, reserved, held, status }).where('id', '=', id),
);

/** Whether a command may change what is known of stock. */
export function changesPets({ sql: text }: TextQuery<unknown>): boolean {
  return /^(update|delete from|insert into) "pets"/.test(text);
}
