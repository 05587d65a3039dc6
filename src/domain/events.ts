import type { CategorySnapshot } from './category.ts';
import type { OrderSnapshot } from './order.ts';
import type { PetSnapshot } from './pet.ts';
import type { PetStatus } from './pet-status.ts';

/** A pet as it is published: its catalogue data and its status. */
export interface PetView extends PetSnapshot {
  readonly status: PetStatus;
}

/** An inventory entry as it is published. */
export interface InventoryView {
  readonly petId: number;
  readonly quantity: number;
  readonly reserved: number;
  readonly status: PetStatus;
}

/** An event of the store, with the state of the thing right after it. */
export type DomainEvent =
  | Happening<'pet.created' | 'pet.updated' | 'pet.status_changed' | 'pet.deleted', PetView>
  | Happening<'category.created' | 'category.updated' | 'category.deleted', CategorySnapshot>
  | Happening<'order.placed' | 'order.updated' | 'order.completed' | 'order.cancelled', OrderSnapshot>
  | Happening<'inventory.counted', InventoryView>;

interface Happening<Type extends string, Data> {
  readonly type: Type;
  readonly data: Data;
  /** When it happened, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly at: number;
}
