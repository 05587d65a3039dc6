import type { PetView } from '../domain/events.ts';
import type { InventoryItem } from '../domain/inventory-item.ts';
import type { Pet } from '../domain/pet.ts';
import type { PetStatus } from '../domain/pet-status.ts';
import type { MovementKind, StockMovement } from '../domain/stock-movement.ts';
import type { InventoryView } from './ports/reader.ts';
import type { WriteScope } from './ports/unit-of-work.ts';

export function petView(pet: Pet, item: InventoryItem): PetView {
  return { ...pet.snapshot(), status: item.status };
}

export function inventoryView({ petId, quantity, reserved, status }: InventoryItem): InventoryView {
  return { petId, quantity, reserved, status };
}

/** The movements that no order causes: each has an event of its own for consumers. */
const MADE_BY_HAND = {
  counted: 'inventory.counted',
  written_off: 'inventory.written_off',
  restocked: 'inventory.restocked',
} as const;

/**
 * The one way in which stock changes: saves the entry, writes its movements to the ledger, and appends the events of a changed status
 * and of stock that was changed by hand. `before` is the status that the entry had when it was found.
 */
export async function saveStock(
  { pets, inventory, ledger, outbox }: WriteScope,
  item: InventoryItem,
  change: {
    readonly before: PetStatus;
    readonly movements: readonly StockMovement[];
    readonly at: number;
    readonly orderId?: number;
  },
): Promise<void> {
  const { before, movements, at, orderId } = change;
  await inventory.save(item);
  for (const movement of movements) {
    await ledger.append(orderId === undefined ? { ...movement, at } : { ...movement, orderId, at });
  }
  if (item.status !== before) {
    const pet = await pets.find(item.petId);
    if (pet) await outbox.append({ type: 'pet.status_changed', data: petView(pet, item), at });
  }
  for (const { kind } of movements) {
    if (isMadeByHand(kind)) await outbox.append({ type: MADE_BY_HAND[kind], data: inventoryView(item), at });
  }
}

function isMadeByHand(kind: MovementKind): kind is keyof typeof MADE_BY_HAND {
  return Object.hasOwn(MADE_BY_HAND, kind);
}
