import { assertId, assertInstant } from './limits.ts';
import { OrderAlreadyComplete } from './refusals.ts';
import { assertUnits } from './stock-movement.ts';

export interface OrderSnapshot {
  readonly id: number;
  readonly petId: number;
  readonly quantity: number;
  /** When it ships or has shipped, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly shipDate?: number | undefined;
  readonly complete: boolean;
}

/** An order for units of one pet: open until it is completed. A complete order stays complete. */
export class Order {
  readonly id: number;
  readonly petId: number;
  #facts: Omit<OrderSnapshot, 'id' | 'petId'>;

  private constructor({ id, petId, quantity, shipDate, complete }: OrderSnapshot) {
    assertId(id);
    assertId(petId);
    assertUnits(quantity);
    assertInstant(shipDate);
    this.id = id;
    this.petId = petId;
    this.#facts = { quantity, shipDate, complete };
  }

  /** A new order begins open. */
  static place(order: Omit<OrderSnapshot, 'complete'>): Order {
    return new Order({ ...order, complete: false });
  }

  static recall(snapshot: OrderSnapshot): Order {
    return new Order(snapshot);
  }

  snapshot(): OrderSnapshot {
    return { id: this.id, petId: this.petId, ...this.#facts };
  }

  get quantity(): number {
    return this.#facts.quantity;
  }

  get shipDate(): number | undefined {
    return this.#facts.shipDate;
  }

  get isComplete(): boolean {
    return this.#facts.complete;
  }

  /** Changes the number of ordered units. Returns the signed difference. @throws {OrderAlreadyComplete} */
  resize(quantity: number): number {
    assertUnits(quantity);
    const by = quantity - this.quantity;
    if (by === 0) return 0;
    this.assertOpen();
    this.#facts = { ...this.#facts, quantity };
    return by;
  }

  /** Sets or removes the ship date; allowed on open and complete orders. Returns whether anything changed. */
  reschedule(shipDate: number | undefined): boolean {
    if (shipDate === this.shipDate) return false;
    assertInstant(shipDate);
    this.#facts = { ...this.#facts, shipDate };
    return true;
  }

  /** Completes it; a missing ship date becomes `now`. Returns whether anything changed. */
  complete(now: number): boolean {
    if (this.isComplete) return false;
    this.#facts = { ...this.#facts, complete: true, shipDate: this.shipDate ?? now };
    return true;
  }

  /** Required before an order is cancelled, resized or set to open. @throws {OrderAlreadyComplete} */
  assertOpen(): void {
    if (this.isComplete) throw new OrderAlreadyComplete(this.id);
  }
}
