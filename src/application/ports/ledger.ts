import type { LedgerEntry } from '../../domain/stock-movement.ts';

/** Keeps what happened to the stock, in the order in which it happened. Append-only. */
export interface Ledger {
  append(entry: LedgerEntry): Promise<void>;
}
