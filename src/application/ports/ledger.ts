import type { LedgerEntry } from '../../domain/stock-movement.ts';

/** Stores the movements of stock in the order in which they happened. Append-only. */
export interface Ledger {
  append(entry: LedgerEntry): Promise<void>;
}
