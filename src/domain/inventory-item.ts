import { assertId, assertWhole, LimitExceeded, MOST_UNITS } from './limits.ts';
import { type PetStatus, type Stock, statusOf } from './pet-status.ts';
import {
  InsufficientStock,
  InvalidStatusTransition,
  PetNotAvailable,
  StatusManagedByOrders,
  StockBelowReserved,
} from './refusals.ts';
import { assertUnits, type MovementKind, type StockMovement } from './stock-movement.ts';

/** The facts of an inventory entry, as a storage keeps them. */
export interface InventoryItemSnapshot extends Stock {
  readonly petId: number;
}

/**
 * The inventory entry of one pet. After every method, `0 ≤ reserved ≤ quantity` holds. Every method that moves stock returns
 * the movement for the ledger, so that stock never changes without one.
 */
export class InventoryItem {
  readonly petId: number;
  #stock: Stock;

  private constructor(petId: number, stock: Stock) {
    assertId(petId);
    assertWhole('A number of units on hand', stock.quantity, 0, MOST_UNITS);
    assertWhole('A number of reserved units', stock.reserved, 0, stock.quantity);
    this.petId = petId;
    this.#stock = stock;
  }

  /** Opens the entry of a new pet: with one unit, held if the pet is created as `pending`; without units if it is created as `sold`. */
  static open(petId: number, status: PetStatus): { item: InventoryItem; opened: StockMovement } {
    const quantity = status === 'sold' ? 0 : 1;
    const item = new InventoryItem(petId, { quantity, reserved: 0, held: status === 'pending' });
    return { item, opened: { petId, kind: 'opened', quantity, reserved: 0 } };
  }

  static recall({ petId, quantity, reserved, held }: InventoryItemSnapshot): InventoryItem {
    return new InventoryItem(petId, { quantity, reserved, held });
  }

  snapshot(): InventoryItemSnapshot {
    return { petId: this.petId, ...this.#stock };
  }

  get status(): PetStatus {
    return statusOf(this.#stock);
  }

  get quantity(): number {
    return this.#stock.quantity;
  }

  get reserved(): number {
    return this.#stock.reserved;
  }

  /** Units on hand that are not reserved. */
  get free(): number {
    return this.#stock.quantity - this.#stock.reserved;
  }

  /** Reserves `units` for a new order. @throws {PetNotAvailable | InsufficientStock} */
  reserve(units: number): StockMovement {
    if (this.status !== 'available') throw new PetNotAvailable(this.petId, this.status);
    return this.#reserve(units);
  }

  /** Reserves `units` more for an open order. @throws {PetNotAvailable | InsufficientStock} */
  reserveMore(units: number): StockMovement {
    if (this.#stock.held) throw new PetNotAvailable(this.petId, this.status);
    return this.#reserve(units);
  }

  /** Releases reserved `units`, because an order was reduced or cancelled. */
  release(units: number): StockMovement {
    assertUnits(units);
    return this.#move('released', { reserved: -units });
  }

  /** Removes reserved `units` from stock, because their order is complete. */
  ship(units: number): StockMovement {
    assertUnits(units);
    return this.#move('shipped', { quantity: -units, reserved: -units });
  }

  /** Sets the stock count. Returns `undefined` if that is the count already. @throws {StockBelowReserved} */
  count(quantity: number): StockMovement | undefined {
    if (quantity < this.reserved) throw new StockBelowReserved(this.petId, quantity, this.reserved);
    if (quantity === this.quantity) return undefined;
    return this.#move('counted', { quantity: quantity - this.quantity });
  }

  /**
   * Sets the status by hand. Returns the movement if stock moved; a status that the entry already has changes nothing.
   * @throws {InvalidStatusTransition | StatusManagedByOrders}
   */
  setStatus(status: PetStatus): StockMovement | undefined {
    if (status === this.status) return undefined;
    switch (status) {
      case 'pending':
        if (this.quantity === 0) throw new InvalidStatusTransition(this.petId, 'sold', 'pending');
        this.#stock = { ...this.#stock, held: true };
        return undefined;
      case 'available':
        if (this.quantity > 0 && this.free === 0) {
          throw new StatusManagedByOrders(this.petId, 'available', this.reserved);
        }
        this.#stock = { ...this.#stock, held: false };
        return this.quantity === 0 ? this.#move('restocked', { quantity: 1 }) : undefined;
      case 'sold':
        if (this.reserved > 0) throw new StatusManagedByOrders(this.petId, 'sold', this.reserved);
        this.#stock = { ...this.#stock, held: false };
        return this.#move('written_off', { quantity: -this.quantity });
    }
  }

  #reserve(units: number): StockMovement {
    assertUnits(units);
    if (units > this.free) throw new InsufficientStock(this.petId, units, this.free);
    return this.#move('reserved', { reserved: units });
  }

  #move(kind: MovementKind, { quantity = 0, reserved = 0 }: { quantity?: number; reserved?: number }): StockMovement {
    const next = { quantity: this.quantity + quantity, reserved: this.reserved + reserved };
    const whole = Number.isSafeInteger(next.quantity) && Number.isSafeInteger(next.reserved);
    if (!whole || next.reserved < 0 || next.reserved > next.quantity || next.quantity > MOST_UNITS) {
      throw new LimitExceeded(
        `Pet ${this.petId}: ${kind} would leave ${next.reserved} of ${next.quantity} units promised.`,
      );
    }
    this.#stock = { ...this.#stock, ...next };
    return { petId: this.petId, kind, quantity, reserved };
  }
}
