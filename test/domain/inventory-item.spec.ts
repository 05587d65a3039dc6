import { expect } from 'chai';
import { InventoryItem } from '../../src/domain/inventory-item.ts';
import { PET_STATUSES, type Stock } from '../../src/domain/pet-status.ts';
import {
  InsufficientStock,
  InvalidStatusTransition,
  PetNotAvailable,
  StatusManagedByOrders,
  StockBelowReserved,
} from '../../src/domain/refusals.ts';

const petId = 7;

function stocked(quantity: number, reserved = 0, held = false): InventoryItem {
  return InventoryItem.recall({ petId, quantity, reserved, held });
}

function stockOf(item: InventoryItem): Stock {
  const { quantity, reserved, held } = item.snapshot();
  return { quantity, reserved, held };
}

/** Tries a verb that must be refused, and sees to it that nothing changed. */
function refuses(
  item: InventoryItem,
  verb: (item: InventoryItem) => unknown,
  refusal: new (...facts: never[]) => Error,
  facts: string,
): void {
  const before = item.snapshot();

  expect(() => verb(item)).to.throw(refusal, facts);
  expect(item.snapshot()).to.deep.equal(before);
}

describe('An inventory entry', () => {
  describe('is created', () => {
    it('with one unit for an available pet', () => {
      const { item, opened } = InventoryItem.open(petId, 'available');

      expect(item.snapshot()).to.deep.equal({ petId, quantity: 1, reserved: 0, held: false });
      expect(opened).to.deep.equal({ petId, kind: 'opened', quantity: 1, reserved: 0 });
    });

    it('with one held unit for a pending pet', () => {
      const { item, opened } = InventoryItem.open(petId, 'pending');

      expect(item.snapshot()).to.deep.equal({ petId, quantity: 1, reserved: 0, held: true });
      expect(opened).to.deep.equal({ petId, kind: 'opened', quantity: 1, reserved: 0 });
    });

    it('with no unit for a sold pet', () => {
      const { item, opened } = InventoryItem.open(petId, 'sold');

      expect(item.snapshot()).to.deep.equal({ petId, quantity: 0, reserved: 0, held: false });
      expect(opened).to.deep.equal({ petId, kind: 'opened', quantity: 0, reserved: 0 });
    });

    it('so that the pet has the requested status', () => {
      for (const status of PET_STATUSES) expect(InventoryItem.open(petId, status).item.status).to.equal(status);
    });
  });

  it('is recalled as it was', () => {
    const snapshot = { petId, quantity: 5, reserved: 2, held: true };

    expect(InventoryItem.recall(snapshot).snapshot()).to.deep.equal(snapshot);
  });

  it('does not share its state', () => {
    const item = stocked(5);

    Object.assign(item.snapshot(), { quantity: 99 });

    expect(item.quantity).to.equal(5);
  });

  it('counts as free what is on hand and not reserved', () => {
    expect(stocked(5, 2).free).to.equal(3);
    expect(stocked(5, 5).free).to.equal(0);
  });

  describe('reserves for a new order', () => {
    it('as many units as are requested', () => {
      const item = stocked(5, 1);

      const movement = item.reserve(3);

      expect(movement).to.deep.equal({ petId, kind: 'reserved', quantity: 0, reserved: 3 });
      expect(stockOf(item)).to.deep.equal({ quantity: 5, reserved: 4, held: false });
      expect(item.status).to.equal('available');
    });

    it('down to the last free unit, and is pending then', () => {
      const item = stocked(5, 1);

      item.reserve(4);

      expect(item.status).to.equal('pending');
    });

    it('never more than are free, and states how many are', () => {
      refuses(
        stocked(5, 1),
        (item) => item.reserve(5),
        InsufficientStock,
        'Pet 7 has too few free units: 5 requested, 4 free.',
      );
    });

    it('nothing while it is held, completely reserved, or sold out, and states which', () => {
      refuses(stocked(5, 0, true), (item) => item.reserve(1), PetNotAvailable, 'Pet 7 is pending');
      refuses(stocked(5, 5), (item) => item.reserve(1), PetNotAvailable, 'Pet 7 is pending');
      refuses(stocked(0), (item) => item.reserve(1), PetNotAvailable, 'Pet 7 is sold');
    });
  });

  describe('reserves more for an open order', () => {
    it('as long as units are free', () => {
      const item = stocked(5, 4);

      const movement = item.reserveMore(1);

      expect(movement).to.deep.equal({ petId, kind: 'reserved', quantity: 0, reserved: 1 });
      expect(stockOf(item)).to.deep.equal({ quantity: 5, reserved: 5, held: false });
    });

    it('never more than are free', () => {
      refuses(
        stocked(5, 4),
        (item) => item.reserveMore(2),
        InsufficientStock,
        'Pet 7 has too few free units: 2 requested, 1 free.',
      );
      refuses(
        stocked(5, 5),
        (item) => item.reserveMore(1),
        InsufficientStock,
        'Pet 7 has too few free units: 1 requested, 0 free',
      );
    });

    it('nothing while it is held', () => {
      refuses(stocked(5, 2, true), (item) => item.reserveMore(1), PetNotAvailable, 'Pet 7 is pending');
    });
  });

  describe('releases', () => {
    it('what was reserved', () => {
      const item = stocked(5, 5);

      const movement = item.release(2);

      expect(movement).to.deep.equal({ petId, kind: 'released', quantity: 0, reserved: -2 });
      expect(stockOf(item)).to.deep.equal({ quantity: 5, reserved: 3, held: false });
      expect(item.status).to.equal('available');
    });

    it('also while it is held, and stays pending', () => {
      const item = stocked(5, 2, true);

      item.release(2);

      expect(stockOf(item)).to.deep.equal({ quantity: 5, reserved: 0, held: true });
      expect(item.status).to.equal('pending');
    });

    it('never more than was reserved', () => {
      refuses(stocked(5, 2), (item) => item.release(3), RangeError, 'Pet 7: released would leave -1 of 5');
    });
  });

  describe('ships', () => {
    it('what was reserved: the units are neither on hand nor reserved any more', () => {
      const item = stocked(5, 3);

      const movement = item.ship(2);

      expect(movement).to.deep.equal({ petId, kind: 'shipped', quantity: -2, reserved: -2 });
      expect(stockOf(item)).to.deep.equal({ quantity: 3, reserved: 1, held: false });
    });

    it('the last unit, and is sold then', () => {
      const item = stocked(2, 2);

      item.ship(2);

      expect(item.status).to.equal('sold');
    });

    it('also while it is held', () => {
      const item = stocked(5, 2, true);

      item.ship(2);

      expect(stockOf(item)).to.deep.equal({ quantity: 3, reserved: 0, held: true });
    });

    it('never more than was reserved', () => {
      refuses(stocked(5, 2), (item) => item.ship(3), RangeError, 'Pet 7: shipped would leave -1 of 2');
    });
  });

  describe('is counted', () => {
    it('up and down, not below the reserved units', () => {
      const item = stocked(5, 2);

      expect(item.count(9)).to.deep.equal({ petId, kind: 'counted', quantity: 4, reserved: 0 });
      expect(item.count(2)).to.deep.equal({ petId, kind: 'counted', quantity: -7, reserved: 0 });

      expect(stockOf(item)).to.deep.equal({ quantity: 2, reserved: 2, held: false });
      expect(item.status).to.equal('pending');
    });

    it('never below the reserved units, and states how many they are', () => {
      refuses(
        stocked(5, 2),
        (item) => item.count(1),
        StockBelowReserved,
        'The stock of pet 7 cannot be 1: open orders reserve 2 of its units. Set at least 2, or cancel orders first.',
      );
    });

    it('without a movement if it is the same count', () => {
      const item = stocked(5, 2);

      expect(item.count(5)).to.equal(undefined);
      expect(stockOf(item)).to.deep.equal({ quantity: 5, reserved: 2, held: false });
    });

    it('to zero and back without releasing the hold', () => {
      const item = stocked(5, 0, true);

      item.count(0);
      expect(item.status).to.equal('sold');

      item.count(3);
      expect(item.status).to.equal('pending');
    });
  });

  describe('is marked by hand', () => {
    it('pending: it is held, and no stock moves', () => {
      const item = stocked(5, 2);

      expect(item.setStatus('pending')).to.equal(undefined);
      expect(stockOf(item)).to.deep.equal({ quantity: 5, reserved: 2, held: true });
    });

    it('never straight from sold to pending', () => {
      refuses(
        stocked(0),
        (item) => item.setStatus('pending'),
        InvalidStatusTransition,
        'Pet 7 cannot go from sold to pending',
      );
    });

    it('available: the hold is released, and no stock moves', () => {
      const item = stocked(5, 2, true);

      expect(item.setStatus('available')).to.equal(undefined);
      expect(stockOf(item)).to.deep.equal({ quantity: 5, reserved: 2, held: false });
    });

    it('available after it was sold: one unit is restocked', () => {
      const item = stocked(0);

      expect(item.setStatus('available')).to.deep.equal({ petId, kind: 'restocked', quantity: 1, reserved: 0 });
      expect(stockOf(item)).to.deep.equal({ quantity: 1, reserved: 0, held: false });
    });

    it('available after it was sold while held: the restocked unit can be ordered', () => {
      const item = stocked(0, 0, true);

      item.setStatus('available');

      expect(stockOf(item)).to.deep.equal({ quantity: 1, reserved: 0, held: false });
    });

    it('never available while open orders reserve every unit, and states how many', () => {
      const facts =
        'Pet 7 cannot become available by hand: open orders reserve 5 of its units. Complete or cancel them first.';

      refuses(stocked(5, 5), (item) => item.setStatus('available'), StatusManagedByOrders, facts);
      refuses(stocked(5, 5, true), (item) => item.setStatus('available'), StatusManagedByOrders, facts);
    });

    it('sold: every unit is written off, and the hold is released', () => {
      const available = stocked(5);
      const pending = stocked(5, 0, true);

      expect(available.setStatus('sold')).to.deep.equal({ petId, kind: 'written_off', quantity: -5, reserved: 0 });
      expect(pending.setStatus('sold')).to.deep.equal({ petId, kind: 'written_off', quantity: -5, reserved: 0 });

      expect(stockOf(available)).to.deep.equal({ quantity: 0, reserved: 0, held: false });
      expect(stockOf(pending)).to.deep.equal({ quantity: 0, reserved: 0, held: false });
    });

    it('never sold while units are reserved, and states how many', () => {
      const facts =
        'Pet 7 cannot become sold by hand: open orders reserve 2 of its units. Complete or cancel them first.';

      refuses(stocked(5, 2), (item) => item.setStatus('sold'), StatusManagedByOrders, facts);
      refuses(stocked(5, 2, true), (item) => item.setStatus('sold'), StatusManagedByOrders, facts);
      refuses(stocked(2, 2), (item) => item.setStatus('sold'), StatusManagedByOrders, facts);
    });

    it('as its current status: nothing changes', () => {
      for (const item of [stocked(5), stocked(5, 2, true), stocked(5, 5), stocked(0), stocked(0, 0, true)]) {
        const before = item.snapshot();

        expect(item.setStatus(item.status)).to.equal(undefined);
        expect(item.snapshot()).to.deep.equal(before);
      }
    });
  });

  it('moves integral units only, and at least one', () => {
    for (const units of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      refuses(stocked(5, 2), (item) => item.release(units), RangeError, `from 1 to 1000000, and was ${units}.`);
      refuses(stocked(5, 2), (item) => item.ship(units), RangeError, `from 1 to 1000000, and was ${units}.`);
      refuses(stocked(5, 2), (item) => item.reserve(units), RangeError, `from 1 to 1000000, and was ${units}.`);
      refuses(stocked(5, 2), (item) => item.reserveMore(units), RangeError, `from 1 to 1000000, and was ${units}.`);
    }
    for (const quantity of [2.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      refuses(stocked(5, 2), (item) => item.count(quantity), RangeError, 'Pet 7: counted would leave');
    }
  });
});
