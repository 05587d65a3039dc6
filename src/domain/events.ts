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

/** Every type of event, with the kind of resource that it is about. */
export const EVENT_TYPES = {
  'pet.created': 'pet',
  'pet.updated': 'pet',
  'pet.status_changed': 'pet',
  'pet.deleted': 'pet',
  'category.created': 'category',
  'category.updated': 'category',
  'category.deleted': 'category',
  'order.placed': 'order',
  'order.updated': 'order',
  'order.completed': 'order',
  'order.cancelled': 'order',
  'inventory.counted': 'inventory',
  'inventory.written_off': 'inventory',
  'inventory.restocked': 'inventory',
} as const;

export type EventType = keyof typeof EVENT_TYPES;

/** A kind of resource that events are about. */
export type SubjectKind = (typeof EVENT_TYPES)[EventType];

interface Resources extends Record<SubjectKind, object> {
  readonly pet: PetView;
  readonly category: CategorySnapshot;
  readonly order: OrderSnapshot;
  readonly inventory: InventoryView;
}

type EventOf<Type extends EventType> = Type extends EventType
  ? {
      readonly type: Type;
      /** The resource right after the change; for a deleted or cancelled one, as it was last. */
      readonly data: Resources[(typeof EVENT_TYPES)[Type]];
      /** When it happened, in milliseconds since 1970-01-01T00:00:00Z. */
      readonly at: number;
    }
  : never;

/**
 * An event of the store. A consumer that reads all events can compute every resource: `pet.created` implies the opening
 * stock (none if the pet is sold, one unit otherwise); orders reserve, release and ship; `inventory.…` states the stock after it was
 * changed by hand; pets have their status.
 */
export type DomainEvent = EventOf<EventType>;

/** The resource that an event is about. */
export function subjectOf({ type, data }: DomainEvent): { readonly kind: SubjectKind; readonly id: number } {
  return { kind: EVENT_TYPES[type], id: 'petId' in data && !('id' in data) ? data.petId : data.id };
}
