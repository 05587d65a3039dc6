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
 * One change of stock, as the inventory entry returns it. The ledger is the list of all movements: for every pet, `quantity` is
 * the sum of the quantity changes, and `reserved` is the sum of the reserved changes.
 */
export interface StockMovement {
  readonly petId: number;
  readonly kind: MovementKind;
  /** Signed change of the units on hand. */
  readonly quantity: number;
  /** Signed change of the units that open orders reserve. */
  readonly reserved: number;
}

/** A movement as the ledger contains it. */
export interface LedgerEntry extends StockMovement {
  readonly orderId?: number;
  /** When it happened, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly at: number;
}

/** A number of units in an order is a whole number, from 1 to the limit of an order. @throws {LimitExceeded} */
export function assertUnits(units: number): void {
  assertWhole('A number of units', units, 1, MOST_ORDERED_UNITS);
}
