/** The statuses of a pet, in the order in which a shop would list them. */
export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof PET_STATUSES)[number];

/** The three facts that are known about the stock of one pet. */
export interface Stock {
  /** Units on hand: the stock count that people see. */
  readonly quantity: number;
  /** Units that open orders reserve. */
  readonly reserved: number;
  /** Whether the pet was taken off sale by hand. */
  readonly held: boolean;
}

/**
 * Derives the status of a pet from its stock. Every stock has exactly one status, which is never set independently of it.
 */
export function statusOf({ quantity, reserved, held }: Stock): PetStatus {
  if (quantity === 0) return 'sold';
  return held || quantity === reserved ? 'pending' : 'available';
}
