import { expect } from 'chai';
import fc from 'fast-check';
import { auditStock } from '../../src/domain/audit.ts';
import { InventoryItem } from '../../src/domain/inventory-item.ts';
import { Order } from '../../src/domain/order.ts';
import { PET_STATUSES, type PetStatus } from '../../src/domain/pet-status.ts';
import { DomainError, type Refusal } from '../../src/domain/refusals.ts';
import type { StockMovement } from '../../src/domain/stock-movement.ts';

const petId = 7;
const now = Date.UTC(2026, 10, 21, 9);

type Verb =
  | { readonly verb: 'place'; readonly units: number }
  | { readonly verb: 'resize'; readonly order: number; readonly units: number }
  | { readonly verb: 'finish' | 'cancel'; readonly order: number }
  | { readonly verb: 'count'; readonly units: number }
  | { readonly verb: 'mark'; readonly status: PetStatus };

const units = fc.integer({ min: 1, max: 6 });
const order = fc.nat(9);
const status = fc.constantFrom(...PET_STATUSES);
const verbs: fc.Arbitrary<Verb> = fc.oneof(
  fc.record({ verb: fc.constant('place'), units }),
  fc.record({ verb: fc.constant('resize'), order, units }),
  fc.record({ verb: fc.constantFrom('finish', 'cancel'), order }),
  fc.record({ verb: fc.constant('count'), units: fc.nat(20) }),
  fc.record({ verb: fc.constant('mark'), status }),
);

/** One pet, the orders for it and the ledger, connected only by the results of the methods. */
class Shelf {
  readonly item: InventoryItem;
  readonly orders = new Map<number, Order>();
  readonly ledger: StockMovement[];
  #lastOrder = 0;

  constructor(opening: PetStatus) {
    const { item, opened } = InventoryItem.open(petId, opening);
    this.item = item;
    this.ledger = [opened];
  }

  /** @throws {DomainError} what the store says no to */
  do(wish: Verb): void {
    switch (wish.verb) {
      case 'place':
        this.#note(this.item.reserve(wish.units));
        return this.#keep(Order.place({ id: ++this.#lastOrder, petId, quantity: wish.units }));
      case 'resize': {
        const order = this.#pick(wish.order);
        if (!order) return;
        const by = order.resize(wish.units);
        if (by > 0) this.#note(this.item.reserveMore(by));
        if (by < 0) this.#note(this.item.release(-by));
        return this.#keep(order);
      }
      case 'finish': {
        const order = this.#pick(wish.order);
        if (order?.complete(now)) {
          this.#note(this.item.ship(order.quantity));
          this.#keep(order);
        }
        return;
      }
      case 'cancel': {
        const order = this.#pick(wish.order);
        if (!order) return;
        order.assertOpen();
        this.#note(this.item.release(order.quantity));
        this.orders.delete(order.id);
        return;
      }
      case 'count':
        return this.#note(this.item.count(wish.units));
      case 'mark':
        return this.#note(this.item.setStatus(wish.status));
    }
  }

  /** The complete state, by value. */
  facts() {
    const orders = [...this.orders.values()].map((order) => order.snapshot());
    return { item: this.item.snapshot(), orders, ledger: [...this.ledger] };
  }

  findings() {
    const { status } = this.item;
    const open = this.facts().orders.filter(({ complete }) => !complete);
    return auditStock({
      ...this.item.snapshot(),
      petStatus: status,
      inventoryStatus: status,
      openOrders: sum(open.map(({ quantity }) => quantity)),
      ledgerQuantity: sum(this.ledger.map(({ quantity }) => quantity)),
      ledgerReserved: sum(this.ledger.map(({ reserved }) => reserved)),
    });
  }

  #pick(place: number): Order | undefined {
    const order = [...this.orders.values()][place % Math.max(this.orders.size, 1)];
    return order && Order.recall(order.snapshot());
  }

  #keep(order: Order): void {
    this.orders.set(order.id, order);
  }

  #note(movement: StockMovement | undefined): void {
    if (movement) this.ledger.push(movement);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function refusalOf(attempt: () => void): Refusal | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

describe('The rules of stock', () => {
  it('hold after every method, whatever preceded it, and a refused method changes nothing', () => {
    const seen = new Set<string>();

    fc.assert(
      fc.property(status, fc.array(verbs, { maxLength: 40 }), (opening, wishes) => {
        const shelf = new Shelf(opening);

        for (const wish of wishes) {
          const before = shelf.facts();
          const refusal = refusalOf(() => shelf.do(wish));

          if (refusal) expect(shelf.facts()).to.deep.equal(before);
          expect(shelf.findings()).to.deep.equal([]);
          expect(shelf.ledger.slice(0, before.ledger.length)).to.deep.equal(before.ledger);
          seen.add(`${wish.verb}: ${refusal ?? 'done'}`);
        }
      }),
      { seed: 20261121, numRuns: 300 },
    );

    expect([...seen].sort()).to.deep.equal([
      'cancel: done',
      'cancel: order_already_complete',
      'count: done',
      'count: stock_below_reserved',
      'finish: done',
      'mark: done',
      'mark: invalid_status_transition',
      'mark: status_managed_by_orders',
      'place: done',
      'place: insufficient_stock',
      'place: pet_not_available',
      'resize: done',
      'resize: insufficient_stock',
      'resize: order_already_complete',
      'resize: pet_not_available',
    ]);
  });

  it('include that stock never changes without a movement, nor the reverse', () => {
    fc.assert(
      fc.property(status, fc.array(verbs, { maxLength: 40 }), (opening, wishes) => {
        const shelf = new Shelf(opening);

        for (const wish of wishes) {
          const { item, ledger } = shelf.facts();
          refusalOf(() => shelf.do(wish));
          const moved = shelf.ledger.slice(ledger.length);

          expect(moved).to.have.length.of.at.most(1);
          expect(shelf.item.quantity - item.quantity).to.equal(moved[0]?.quantity ?? 0);
          expect(shelf.item.reserved - item.reserved).to.equal(moved[0]?.reserved ?? 0);
          if (moved[0]) expect([moved[0].quantity, moved[0].reserved]).not.to.deep.equal([0, 0]);
        }
      }),
      { seed: 20261121, numRuns: 300 },
    );
  });
});
