import { expect } from 'chai';
import { Order } from '../../src/domain/order.ts';
import { OrderAlreadyComplete } from '../../src/domain/refusals.ts';

const now = Date.UTC(2026, 10, 21, 9);
const later = now + 86_400_000;

function open(shipDate?: number): Order {
  return Order.place({ id: 3, petId: 7, quantity: 2, shipDate });
}

function complete(): Order {
  return Order.recall({ id: 3, petId: 7, quantity: 2, shipDate: now, complete: true });
}

describe('An order', () => {
  it('is created open, for units of one pet', () => {
    expect(open(later).snapshot()).to.deep.equal({ id: 3, petId: 7, quantity: 2, shipDate: later, complete: false });
  });

  it('is created open even if the facts contain another state', () => {
    const wish = { id: 3, petId: 7, quantity: 2, complete: true };

    expect(Order.place(wish).isComplete).to.equal(false);
  });

  it('is recalled as it was', () => {
    const snapshot = { id: 3, petId: 7, quantity: 2, shipDate: later, complete: true };

    expect(Order.recall(snapshot).snapshot()).to.deep.equal(snapshot);
  });

  it('does not share its state', () => {
    const order = open();

    Object.assign(order.snapshot(), { quantity: 99 });

    expect(order.quantity).to.equal(2);
  });

  describe('is resized', () => {
    it('and returns the difference in units', () => {
      const order = open();

      expect(order.resize(5)).to.equal(3);
      expect(order.resize(1)).to.equal(-4);
      expect(order.quantity).to.equal(1);
    });

    it('to its current quantity: no change, complete or not', () => {
      expect(open().resize(2)).to.equal(0);
      expect(complete().resize(2)).to.equal(0);
    });

    it('never when it is complete', () => {
      const order = complete();

      expect(() => order.resize(3)).to.throw(OrderAlreadyComplete, 'Order 3 is complete');
      expect(order.quantity).to.equal(2);
    });
  });

  describe('is rescheduled', () => {
    it('while it is open', () => {
      const order = open();

      expect(order.reschedule(later)).to.equal(true);
      expect(order.shipDate).to.equal(later);
    });

    it('and when it is complete', () => {
      const order = complete();

      expect(order.reschedule(later)).to.equal(true);
      expect(order.shipDate).to.equal(later);
      expect(order.isComplete).to.equal(true);
    });

    it('to no date', () => {
      const order = open(later);

      expect(order.reschedule(undefined)).to.equal(true);
      expect(order.shipDate).to.equal(undefined);
    });

    it('to its current date: no change', () => {
      expect(open(later).reschedule(later)).to.equal(false);
      expect(open().reschedule(undefined)).to.equal(false);
    });
  });

  describe('is completed', () => {
    it('and ships now if it has no ship date', () => {
      const order = open();

      expect(order.complete(now)).to.equal(true);
      expect(order.snapshot()).to.deep.equal({ id: 3, petId: 7, quantity: 2, shipDate: now, complete: true });
    });

    it('and keeps the ship date that it has', () => {
      const order = open(later);

      order.complete(now);

      expect(order.shipDate).to.equal(later);
    });

    it('and keeps a ship date of 1970-01-01', () => {
      const order = open(0);

      order.complete(now);

      expect(order.shipDate).to.equal(0);
    });

    it('again: no change', () => {
      const order = complete();

      expect(order.complete(later)).to.equal(false);
      expect(order.shipDate).to.equal(now);
    });
  });

  it('must be open for some changes, and refuses them otherwise', () => {
    expect(() => open().assertOpen()).not.to.throw();
    expect(() => complete().assertOpen()).to.throw(OrderAlreadyComplete, 'Order 3 is complete');
  });

  it('is for integral units only, and at least one', () => {
    for (const quantity of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      const order = open();

      expect(() => Order.place({ id: 3, petId: 7, quantity })).to.throw(
        RangeError,
        `from 1 to 1000000, and was ${quantity}.`,
      );
      expect(() => order.resize(quantity)).to.throw(RangeError, `from 1 to 1000000, and was ${quantity}.`);
      expect(order.quantity).to.equal(2);
    }
  });
});
