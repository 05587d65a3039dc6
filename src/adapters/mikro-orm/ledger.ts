import type { Ledger } from '../../application/ports/ledger.ts';
import type { LedgerEntry } from '../../domain/stock-movement.ts';
import type { WriteSession } from './session.ts';
import { statement } from './statement.ts';
import type { RowOf } from './tables.ts';

export const APPEND_MOVEMENT = statement((db, movement: Omit<RowOf<'movements'>, 'id'>) => {
  const { petId, kind, quantity, reserved, orderId, at } = movement;
  return db.insertInto('movements').values({ petId, kind, quantity, reserved, orderId, at });
});

export class MikroOrmLedger implements Ledger {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async append({ orderId, ...entry }: LedgerEntry): Promise<void> {
    await this.#session.send(APPEND_MOVEMENT, { ...entry, orderId: orderId ?? null });
  }
}
