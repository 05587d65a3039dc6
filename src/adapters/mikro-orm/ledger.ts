import type { Ledger } from '../../application/ports/ledger.ts';
import type { LedgerEntry } from '../../domain/stock-movement.ts';
import type { WriteSession } from './session.ts';

const APPEND = 'insert into movements (pet_id, kind, quantity, reserved, order_id, at) values (?, ?, ?, ?, ?, ?)';

export class MikroOrmLedger implements Ledger {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  async append({ petId, kind, quantity, reserved, orderId, at }: LedgerEntry): Promise<void> {
    await this.#session.send(APPEND, petId, kind, quantity, reserved, orderId ?? null, at);
  }
}
