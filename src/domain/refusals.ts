import type { PetStatus } from './pet-status.ts';
import { sharedByCopies } from './shared-by-copies.ts';

/** Every reason for which the store can refuse an operation. The list is closed: the error catalogue has one row for each. */
export type Refusal =
  | 'category_not_found'
  | 'pet_not_found'
  | 'order_not_found'
  | 'webhook_not_found'
  | 'delivery_not_found'
  | 'unknown_category'
  | 'unknown_pet'
  | 'category_name_taken'
  | 'category_in_use'
  | 'pet_has_orders'
  | 'pet_not_available'
  | 'insufficient_stock'
  | 'stock_below_reserved'
  | 'order_already_complete'
  | 'invalid_status_transition'
  | 'status_managed_by_orders'
  | 'precondition_failed';

/** One place in the request that caused the refusal; `path` leads to it from the top of the request. */
export interface Fault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A refusal of the store: a code, a sentence for people, and the places in the request that caused it. */
abstract class DomainErrorClass extends Error {
  abstract readonly code: Refusal;
  readonly faults: readonly Fault[];

  constructor(message: string, faults: readonly Fault[] = []) {
    super(message);
    this.name = new.target.name;
    this.faults = faults;
  }
}

export type DomainError = DomainErrorClass;
export const DomainError = sharedByCopies('DomainError', DomainErrorClass);

export class CategoryNotFound extends DomainError {
  readonly code = 'category_not_found';
  constructor(id: number) {
    super(`There is no category ${id}.`);
  }
}

export class PetNotFound extends DomainError {
  readonly code = 'pet_not_found';
  constructor(id: number) {
    super(`There is no pet ${id}.`);
  }
}

export class OrderNotFound extends DomainError {
  readonly code = 'order_not_found';
  constructor(id: number) {
    super(`There is no order ${id}.`);
  }
}

export class WebhookNotFound extends DomainError {
  readonly code = 'webhook_not_found';
  constructor(id: number) {
    super(`There is no webhook ${id}.`);
  }
}

export class DeliveryNotFound extends DomainError {
  readonly code = 'delivery_not_found';
  constructor(webhookId: number, id: number) {
    super(`Webhook ${webhookId} has no delivery ${id}.`);
  }
}

/** The category of a pet does not exist. For a batch, every such item is named. */
export class UnknownCategory extends DomainError {
  readonly code = 'unknown_category';
  constructor(missing: readonly { readonly categoryId: number; readonly item?: number }[]) {
    const ids = [...new Set(missing.map(({ categoryId }) => categoryId))];
    const shown = ids.slice(0, 10).join(', ');
    super(
      ids.length === 1
        ? `There is no category ${shown}: create it first, or use an existing one.`
        : `There are no categories ${shown}${ids.length > 10 ? ' and others' : ''}: create them first, or use existing ones.`,
      missing.map(({ categoryId, item }) => ({
        path: item === undefined ? ['categoryId'] : [item, 'categoryId'],
        message: `There is no category ${categoryId}.`,
      })),
    );
  }
}

export class UnknownPet extends DomainError {
  readonly code = 'unknown_pet';
  constructor(petId: number) {
    const message = `There is no pet ${petId}`;
    super(`${message} to order.`, [{ path: ['petId'], message: `${message}.` }]);
  }
}

export class CategoryNameTaken extends DomainError {
  readonly code = 'category_name_taken';
  constructor(name: string) {
    const message = `Another category is already called ${JSON.stringify(name)} (names are compared regardless of case, character width, ligatures and invisible characters).`;
    super(message, [{ path: ['name'], message }]);
  }
}

export class CategoryInUse extends DomainError {
  readonly code = 'category_in_use';
  constructor(id: number) {
    super(`Category ${id} still has pets: move or delete them first.`);
  }
}

export class PetHasOrders extends DomainError {
  readonly code = 'pet_has_orders';
  constructor(id: number) {
    super(`Pet ${id} is referenced by at least one order, open or complete, so it cannot be deleted.`);
  }
}

export class PetNotAvailable extends DomainError {
  readonly code = 'pet_not_available';
  constructor(petId: number, status: PetStatus) {
    super(`Pet ${petId} is ${status}; only an available pet can be ordered.`);
  }
}

export class InsufficientStock extends DomainError {
  readonly code = 'insufficient_stock';
  constructor(petId: number, wanted: number, free: number) {
    super(`Pet ${petId} has too few free units: ${wanted} requested, ${free} free.`);
  }
}

export class StockBelowReserved extends DomainError {
  readonly code = 'stock_below_reserved';
  constructor(petId: number, quantity: number, reserved: number) {
    super(
      `The stock of pet ${petId} cannot be ${quantity}: open orders reserve ${reserved} of its units. Set at least ${reserved}, or cancel orders first.`,
    );
  }
}

export class OrderAlreadyComplete extends DomainError {
  readonly code = 'order_already_complete';
  constructor(id: number) {
    super(`Order ${id} is complete: it cannot be reopened or cancelled, and its quantity cannot change.`);
  }
}

export class InvalidStatusTransition extends DomainError {
  readonly code = 'invalid_status_transition';
  constructor(petId: number, from: PetStatus, to: PetStatus) {
    super(`Pet ${petId} cannot go from ${from} to ${to}: make it available first.`);
  }
}

export class StatusManagedByOrders extends DomainError {
  readonly code = 'status_managed_by_orders';
  constructor(petId: number, to: PetStatus, reserved: number) {
    super(
      `Pet ${petId} cannot become ${to} by hand: open orders reserve ${reserved} of its units. Complete or cancel them first.`,
    );
  }
}

/** The thing has changed since the caller read it (RFC 9110, section 13.1.1). */
export class PreconditionFailed extends DomainError {
  readonly code = 'precondition_failed';
  constructor() {
    super('The resource has changed since it was read; read it again and retry with its new ETag.');
  }
}
