import type { PublishedType, toCloudEvent } from '../../src/api/cloud-events.ts';

type CloudEvent = ReturnType<typeof toCloudEvent>;

interface PetData {
  readonly id: number;
  readonly status: string;
}

interface OrderData {
  readonly id: number;
  readonly petId: number;
  readonly quantity: number;
  readonly complete: boolean;
}

interface InventoryData {
  readonly petId: number;
  readonly quantity: number;
  readonly reserved: number;
  readonly status: string;
}

interface Stock {
  quantity: number;
  reserved: number;
}

/** The resources of a store, each list in ascending order of ids, as the interface shows them. */
export interface StoreContents {
  readonly categories: readonly unknown[];
  readonly pets: readonly unknown[];
  readonly orders: readonly unknown[];
  readonly inventory: readonly unknown[];
}

/**
 * A store that is computed from CloudEvents and nothing else. Every event must follow from the ones before it: a lost, repeated or
 * misplaced one is a fault as soon as another event shows it, also where later events would hide it.
 */
export class StoreFromEvents {
  readonly faults: string[] = [];
  /** How many different events were received, by type. */
  readonly received = new Map<PublishedType, number>();
  /** How many events were received again. */
  duplicates = 0;
  readonly #texts = new Map<string, string>();
  readonly #categories = new Map<number, { readonly id: number }>();
  readonly #pets = new Map<number, PetData>();
  readonly #orders = new Map<number, OrderData>();
  readonly #stock = new Map<number, Stock>();
  #last = 0;

  get events(): number {
    return this.#texts.size;
  }

  get contents(): StoreContents {
    const inventory = Array.from(this.#stock, ([petId, stock]) => ({
      petId,
      ...stock,
      status: this.#pets.get(petId)?.status,
    }));
    return {
      categories: [...this.#categories.values()].sort((a, b) => a.id - b.id),
      pets: [...this.#pets.values()].sort((a, b) => a.id - b.id),
      orders: [...this.#orders.values()].sort((a, b) => a.id - b.id),
      inventory: inventory.sort((a, b) => a.petId - b.petId),
    };
  }

  /** Receives one event in JSON. An event may be received again, but only unchanged and with the same id. */
  receive(text: string): void {
    const event = JSON.parse(text) as CloudEvent;
    const before = this.#texts.get(event.id);
    if (before !== undefined) {
      this.duplicates += 1;
      if (before !== text) this.faults.push(`event ${event.id} was ${before}, and then ${text}`);
      return;
    }
    this.#texts.set(event.id, text);
    this.received.set(event.type, (this.received.get(event.type) ?? 0) + 1);
    const position = Number(event.id);
    if (position <= this.#last) this.faults.push(`event ${event.id} came after event ${this.#last}`);
    this.#last = Math.max(this.#last, position);
    if (!this.#apply(event)) this.faults.push(`event ${event.id} does not follow from the events before it: ${text}`);
  }

  /** Returns whether the event can follow the ones before it. */
  #apply({ type, data }: CloudEvent): boolean {
    const kind = type.split('.')[1];
    if (kind === 'category') return this.#applyToCategory(type, data as { id: number });
    if (kind === 'pet') return this.#applyToPet(type, data as PetData);
    if (kind === 'order') {
      const { petId } = data as OrderData;
      return this.#applyToOrder(type, data as OrderData) && this.#isPossible(petId);
    }
    return this.#applyToStock(data as InventoryData);
  }

  #applyToCategory(type: PublishedType, category: { readonly id: number }): boolean {
    const before = this.#categories.get(category.id);
    if (type === 'petstore.category.deleted') return this.#categories.delete(category.id);
    this.#categories.set(category.id, category);
    if (type === 'petstore.category.created') return before === undefined;
    return before !== undefined && JSON.stringify(before) !== JSON.stringify(category);
  }

  #applyToPet(type: PublishedType, pet: PetData): boolean {
    const before = this.#pets.get(pet.id);
    if (type === 'petstore.pet.deleted') {
      this.#stock.delete(pet.id);
      return this.#pets.delete(pet.id) && JSON.stringify(before) === JSON.stringify(pet);
    }
    this.#pets.set(pet.id, pet);
    if (type === 'petstore.pet.created') {
      this.#stock.set(pet.id, { quantity: pet.status === 'sold' ? 0 : 1, reserved: 0 });
      return before === undefined;
    }
    return before !== undefined && (before.status !== pet.status) === (type === 'petstore.pet.status_changed');
  }

  #applyToOrder(type: PublishedType, order: OrderData): boolean {
    const before = this.#orders.get(order.id);
    const stock = this.#stock.get(order.petId);
    if (!stock) return false;
    this.#orders.set(order.id, order);
    switch (type) {
      case 'petstore.order.placed':
        stock.reserved += order.quantity;
        return before === undefined && !order.complete;
      case 'petstore.order.completed':
        stock.quantity -= order.quantity;
        stock.reserved -= order.quantity;
        return before?.complete === false && before.quantity === order.quantity && order.complete;
      case 'petstore.order.cancelled':
        stock.reserved -= order.quantity;
        return this.#orders.delete(order.id) && before?.complete === false && before.quantity === order.quantity;
      default:
        stock.reserved += order.quantity - (before?.quantity ?? 0);
        return before?.complete === order.complete && JSON.stringify(before) !== JSON.stringify(order);
    }
  }

  /** The event of a changed status comes before that of the order that changed it. */
  #isPossible(petId: number): boolean {
    const { quantity, reserved } = this.#stock.get(petId) as Stock;
    const status = this.#pets.get(petId)?.status;
    if (quantity === 0) return reserved === 0 && status === 'sold';
    return 0 <= reserved && reserved <= quantity && (status !== 'available' || reserved < quantity);
  }

  /** Stock that was changed by hand: what is reserved only orders change, and the status has an event of its own before this one. */
  #applyToStock({ petId, quantity, reserved, status }: InventoryData): boolean {
    const stock = this.#stock.get(petId);
    if (!stock) return false;
    const isChange = stock.quantity !== quantity && stock.reserved === reserved;
    stock.quantity = quantity;
    return isChange && this.#pets.get(petId)?.status === status;
  }
}
