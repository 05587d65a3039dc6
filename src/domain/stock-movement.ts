import { assertWhole, MOST_ORDERED_UNITS } from './limits.ts';

/** What can happen to the stock of a pet. */
export const MOVEMENT_KINDS = [
  'opened',
  'counted',
  'reserved',
  'released',
  'shipped',
  'written_off',
  'restocked',
] as const;

export type MovementKind = (typeof MOVEMENT_KINDS)[number];

/**
 * One change of stock, as the entry that made it reports it. The ledger is the list of all of them:
 * for every pet `quantity` is the sum of the quantity changes, and `reserved` the sum of the reserved changes.
 */
export interface StockMovement {
  readonly petId: number;
  readonly kind: MovementKind;
  /** Signed change of the units on hand. */
  readonly quantity: number;
  /** Signed change of the units promised to open orders. */
  readonly reserved: number;
}

/** A movement as it stands in the ledger. */
export interface LedgerEntry extends StockMovement {
  readonly orderId?: number;
  /** When it happened, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly at: number;
}

/**
 * Units change hands whole, at least one and at most as many as an order may have. @throws {LimitExceeded}
 */
export function assertUnits(units: number): void {
  assertWhole('A number of units', units, 1, MOST_ORDERED_UNITS);
}
