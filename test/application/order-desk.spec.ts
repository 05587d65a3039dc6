import { expect } from 'chai';
import type { OrderChange } from '../../src/application/order-desk.ts';
import {
  InsufficientStock,
  OrderAlreadyComplete,
  OrderNotFound,
  PetNotAvailable,
  PreconditionFailed,
  UnknownPet,
} from '../../src/domain/refusals.ts';
import { OPENING, Shop } from './shop.ts';

const at = OPENING;
const later = at + 1_000;
const nextWeek = at + 7 * 86_400_000;

describe('The order desk', () => {
  let shop: Shop;

  /** What the catalogue says of the one pet in it. */
  const guppy = (status: string) => ({ id: 1, name: 'Guppy', categoryId: 1, status });

  beforeEach(async () => {
    shop = new Shop();
    await shop.categories.create({ name: 'Fish' });
    await shop.pets.create({ name: 'Guppy', categoryId: 1 });
    await shop.stock.count(1, 5);
  });

  describe('places an order', () => {
    it('and reserves its units', async () => {
      const { answer, movements, events } = await shop.watch(() =>
        shop.orders.place({ petId: 1, quantity: 2, shipDate: nextWeek }),
      );

      const order = { id: 1, petId: 1, quantity: 2, shipDate: nextWeek, complete: false };
      expect(answer).to.deep.equal(order);
      expect(await shop.orders.get(1)).to.deep.equal(order);
      expect(await shop.stock.get(1)).to.deep.equal({ petId: 1, quantity: 5, reserved: 2, status: 'available' });
      expect(movements).to.deep.equal([{ petId: 1, kind: 'reserved', quantity: 0, reserved: 2, orderId: 1, at }]);
      expect(events).to.deep.equal([{ type: 'order.placed', data: order, at }]);
    });

    it('for the last free unit, and reports that the pet is pending', async () => {
      const { answer, movements, events } = await shop.watch(() => shop.orders.place({ petId: 1, quantity: 5 }));

      expect((await shop.pets.get(1)).status).to.equal('pending');
      expect(movements).to.deep.equal([{ petId: 1, kind: 'reserved', quantity: 0, reserved: 5, orderId: 1, at }]);
      expect(events).to.deep.equal([
        { type: 'pet.status_changed', data: guppy('pending'), at },
        { type: 'order.placed', data: answer, at },
      ]);
    });

    it('and completes it in the same step, shipped now', async () => {
      const { answer, movements, events } = await shop.watch(() =>
        shop.orders.place({ petId: 1, quantity: 2, complete: true }),
      );

      const order = { id: 1, petId: 1, quantity: 2, shipDate: at, complete: true };
      expect(answer).to.deep.equal(order);
      expect(await shop.orders.get(1)).to.deep.equal(order);
      expect(await shop.stock.get(1)).to.deep.equal({ petId: 1, quantity: 3, reserved: 0, status: 'available' });
      expect(movements).to.deep.equal([
        { petId: 1, kind: 'reserved', quantity: 0, reserved: 2, orderId: 1, at },
        { petId: 1, kind: 'shipped', quantity: -2, reserved: -2, orderId: 1, at },
      ]);
      expect(events).to.deep.equal([
        { type: 'order.placed', data: { id: 1, petId: 1, quantity: 2, complete: false }, at },
        { type: 'order.completed', data: order, at },
      ]);
    });

    it('and completes it in the same step, with the requested ship date', async () => {
      const order = await shop.orders.place({ petId: 1, quantity: 2, shipDate: nextWeek, complete: true });

      expect(order.shipDate).to.equal(nextWeek);
    });

    it('and completes it for the last unit, and reports once that the pet is sold', async () => {
      const { answer, events } = await shop.watch(() => shop.orders.place({ petId: 1, quantity: 5, complete: true }));

      expect((await shop.pets.get(1)).status).to.equal('sold');
      expect(events).to.deep.equal([
        { type: 'pet.status_changed', data: guppy('sold'), at },
        { type: 'order.placed', data: { id: 1, petId: 1, quantity: 5, complete: false }, at },
        { type: 'order.completed', data: answer, at },
      ]);
    });

    it('only for a pet that exists', async () => {
      const refusal = await shop.refuses(() => shop.orders.place({ petId: 9, quantity: 1 }), UnknownPet);

      expect(refusal.faults).to.deep.equal([{ path: ['petId'], message: 'There is no pet 9.' }]);
    });

    it('only for as many units as are free, complete or not, and otherwise states how many are', async () => {
      await shop.orders.place({ petId: 1, quantity: 3 });

      for (const complete of [false, true]) {
        const refusal = await shop.refuses(
          () => shop.orders.place({ petId: 1, quantity: 3, complete }),
          InsufficientStock,
        );
        expect(refusal.message).to.include('Pet 1 has too few free units: 3 requested, 2 free');
      }
    });

    it('only for an available pet: not for one that is held, reserved or sold', async () => {
      await shop.pets.change(1, { status: 'pending' });
      const held = await shop.refuses(() => shop.orders.place({ petId: 1, quantity: 1 }), PetNotAvailable);

      await shop.pets.change(1, { status: 'available' });
      await shop.orders.place({ petId: 1, quantity: 5 });
      const promised = await shop.refuses(() => shop.orders.place({ petId: 1, quantity: 1 }), PetNotAvailable);

      await shop.orders.change(1, { complete: true });
      const sold = await shop.refuses(
        () => shop.orders.place({ petId: 1, quantity: 1, complete: true }),
        PetNotAvailable,
      );

      expect(held.message).to.include('Pet 1 is pending');
      expect(promised.message).to.include('Pet 1 is pending');
      expect(sold.message).to.include('Pet 1 is sold');
    });

    it('never under an identifier that another order had', async () => {
      await shop.orders.place({ petId: 1, quantity: 1 });
      await shop.orders.cancel(1);

      expect((await shop.orders.place({ petId: 1, quantity: 1 })).id).to.equal(2);
    });
  });

  describe('changes an open order', () => {
    beforeEach(async () => {
      await shop.orders.place({ petId: 1, quantity: 2 });
      shop.clock.set(later);
    });

    it('to more units, as long as they are free', async () => {
      const { answer, movements, events } = await shop.watch(() => shop.orders.change(1, { quantity: 4 }));

      expect(answer).to.deep.equal({ id: 1, petId: 1, quantity: 4, complete: false });
      expect(await shop.orders.get(1)).to.deep.equal(answer);
      expect((await shop.stock.get(1)).reserved).to.equal(4);
      expect(movements).to.deep.equal([
        { petId: 1, kind: 'reserved', quantity: 0, reserved: 2, orderId: 1, at: later },
      ]);
      expect(events).to.deep.equal([{ type: 'order.updated', data: answer, at: later }]);
    });

    it('to every unit, and reports that the pet is pending', async () => {
      const { answer, events } = await shop.watch(() => shop.orders.change(1, { quantity: 5 }));

      expect(events).to.deep.equal([
        { type: 'pet.status_changed', data: guppy('pending'), at: later },
        { type: 'order.updated', data: answer, at: later },
      ]);
    });

    it('to fewer units, which are free again', async () => {
      await shop.orders.change(1, { quantity: 5 });

      const { answer, movements, events } = await shop.watch(() => shop.orders.change(1, { quantity: 1 }));

      expect(await shop.stock.get(1)).to.deep.equal({ petId: 1, quantity: 5, reserved: 1, status: 'available' });
      expect(movements).to.deep.equal([
        { petId: 1, kind: 'released', quantity: 0, reserved: -4, orderId: 1, at: later },
      ]);
      expect(events).to.deep.equal([
        { type: 'pet.status_changed', data: guppy('available'), at: later },
        { type: 'order.updated', data: answer, at: later },
      ]);
    });

    it('never to more units than are free, and states how many are', async () => {
      const refusal = await shop.refuses(() => shop.orders.change(1, { quantity: 6 }), InsufficientStock);

      expect(refusal.message).to.include('Pet 1 has too few free units: 4 requested, 3 free');
    });

    it('to another ship date, or to none', async () => {
      const dated = await shop.watch(() => shop.orders.change(1, { shipDate: nextWeek }));
      const undated = await shop.watch(() => shop.orders.change(1, { shipDate: null }));

      expect(dated.answer).to.deep.equal({ id: 1, petId: 1, quantity: 2, shipDate: nextWeek, complete: false });
      expect(dated.movements).to.deep.equal([]);
      expect(dated.events).to.deep.equal([{ type: 'order.updated', data: dated.answer, at: later }]);
      expect(undated.answer).to.deep.equal({ id: 1, petId: 1, quantity: 2, complete: false });
      expect(undated.movements).to.deep.equal([]);
      expect(undated.events).to.deep.equal([{ type: 'order.updated', data: undated.answer, at: later }]);
    });

    it('to complete: its units leave the stock, and it ships now if it has no ship date', async () => {
      const { answer, movements, events } = await shop.watch(() => shop.orders.change(1, { complete: true }));

      expect(answer).to.deep.equal({ id: 1, petId: 1, quantity: 2, shipDate: later, complete: true });
      expect(await shop.orders.get(1)).to.deep.equal(answer);
      expect(await shop.stock.get(1)).to.deep.equal({ petId: 1, quantity: 3, reserved: 0, status: 'available' });
      expect(movements).to.deep.equal([
        { petId: 1, kind: 'shipped', quantity: -2, reserved: -2, orderId: 1, at: later },
      ]);
      expect(events).to.deep.equal([{ type: 'order.completed', data: answer, at: later }]);
    });

    it('to complete with the ship date that it has', async () => {
      await shop.orders.change(1, { shipDate: nextWeek });

      expect((await shop.orders.change(1, { complete: true })).shipDate).to.equal(nextWeek);
    });

    it('to complete for the last units, and reports that the pet is sold', async () => {
      await shop.stock.count(1, 2);

      const { answer, events } = await shop.watch(() => shop.orders.change(1, { complete: true }));

      expect(events).to.deep.equal([
        { type: 'pet.status_changed', data: guppy('sold'), at: later },
        { type: 'order.completed', data: answer, at: later },
      ]);
    });

    it('in everything at once, and reports each step', async () => {
      const { answer, movements, events } = await shop.watch(() =>
        shop.orders.change(1, { quantity: 5, shipDate: nextWeek, complete: true }),
      );

      const order = { id: 1, petId: 1, quantity: 5, shipDate: nextWeek };
      expect(answer).to.deep.equal({ ...order, complete: true });
      expect(movements).to.deep.equal([
        { petId: 1, kind: 'reserved', quantity: 0, reserved: 3, orderId: 1, at: later },
        { petId: 1, kind: 'shipped', quantity: -5, reserved: -5, orderId: 1, at: later },
      ]);
      expect(events).to.deep.equal([
        { type: 'pet.status_changed', data: guppy('sold'), at: later },
        { type: 'order.updated', data: { ...order, complete: false }, at: later },
        { type: 'order.completed', data: { ...order, complete: true }, at: later },
      ]);
    });

    it('completely or not at all', async () => {
      await shop.refuses(
        () => shop.orders.change(1, { quantity: 6, shipDate: nextWeek, complete: true }),
        InsufficientStock,
      );
    });

    it('not at all, if it already has the values', async () => {
      const order = await shop.orders.get(1);
      const same: OrderChange[] = [{}, { quantity: 2 }, { shipDate: null }, { complete: false }];

      for (const change of same) expect(await shop.leaves(() => shop.orders.change(1, change))).to.deep.equal(order);
    });

    it('of a held pet: it may be reduced, rescheduled and completed, but not enlarged', async () => {
      await shop.pets.change(1, { status: 'pending' });

      const refusal = await shop.refuses(() => shop.orders.change(1, { quantity: 3 }), PetNotAvailable);
      const shrunk = await shop.watch(() => shop.orders.change(1, { quantity: 1 }));
      const dated = await shop.watch(() => shop.orders.change(1, { shipDate: nextWeek }));
      const completed = await shop.watch(() => shop.orders.change(1, { complete: true }));

      expect(refusal.message).to.include('Pet 1 is pending');
      expect(shrunk.events).to.deep.equal([{ type: 'order.updated', data: shrunk.answer, at: later }]);
      expect(dated.events).to.deep.equal([{ type: 'order.updated', data: dated.answer, at: later }]);
      expect(completed.events).to.deep.equal([{ type: 'order.completed', data: completed.answer, at: later }]);
      expect(await shop.stock.get(1)).to.deep.equal({ petId: 1, quantity: 4, reserved: 0, status: 'pending' });
    });

    it('only if the precondition holds, if there is one', async () => {
      const seen: unknown[] = [];
      const sees = (expected: boolean) => (order: object) => {
        seen.push({ ...order });
        return expected;
      };

      await shop.refuses(
        () => shop.orders.change(1, { quantity: 3 }, { precondition: sees(false) }),
        PreconditionFailed,
      );
      await shop.orders.change(1, { quantity: 3 }, { precondition: sees(true) });

      expect(seen).to.have.length(2);
      for (const order of seen) expect(order).to.include({ id: 1, petId: 1, quantity: 2, complete: false });
      expect((await shop.orders.get(1)).quantity).to.equal(3);
    });

    it('and checks the precondition before any other rule', async () => {
      await shop.refuses(
        () => shop.orders.change(1, { quantity: 99 }, { precondition: () => false }),
        PreconditionFailed,
      );
    });

    it('never if it does not exist, whatever the precondition', async () => {
      const refusal = await shop.refuses(
        () => shop.orders.change(9, { quantity: 1 }, { precondition: () => false }),
        OrderNotFound,
      );

      expect(refusal.message).to.include('no order 9');
    });
  });

  describe('keeps a complete order unchanged', () => {
    beforeEach(() => shop.orders.place({ petId: 1, quantity: 2, complete: true }));

    it('except for its ship date', async () => {
      const { answer, movements, events } = await shop.watch(() => shop.orders.change(1, { shipDate: nextWeek }));

      expect(answer).to.deep.equal({ id: 1, petId: 1, quantity: 2, shipDate: nextWeek, complete: true });
      expect(movements).to.deep.equal([]);
      expect(events).to.deep.equal([{ type: 'order.updated', data: answer, at }]);
    });

    it('when it is completed again, or set to its current values', async () => {
      const order = await shop.orders.get(1);

      expect(await shop.leaves(() => shop.orders.change(1, { complete: true }))).to.deep.equal(order);
      expect(await shop.leaves(() => shop.orders.change(1, { quantity: 2, shipDate: at }))).to.deep.equal(order);
    });

    it('and refuses to open it again, to resize it, or to cancel it', async () => {
      const reopened = await shop.refuses(() => shop.orders.change(1, { complete: false }), OrderAlreadyComplete);
      const resized = await shop.refuses(
        () => shop.orders.change(1, { quantity: 3, shipDate: nextWeek }),
        OrderAlreadyComplete,
      );
      const cancelled = await shop.refuses(() => shop.orders.cancel(1), OrderAlreadyComplete);

      for (const { message } of [reopened, resized, cancelled]) expect(message).to.include('Order 1 is complete');
    });
  });

  describe('cancels an open order', () => {
    beforeEach(() => shop.orders.place({ petId: 1, quantity: 5, shipDate: nextWeek }));

    it('and releases its units; its ledger entries stay', async () => {
      const { movements, events } = await shop.watch(() => shop.orders.cancel(1));

      await shop.refuses(() => shop.orders.get(1), OrderNotFound);
      expect(await shop.stock.get(1)).to.deep.equal({ petId: 1, quantity: 5, reserved: 0, status: 'available' });
      expect(movements).to.deep.equal([{ petId: 1, kind: 'released', quantity: 0, reserved: -5, orderId: 1, at }]);
      expect(events).to.deep.equal([
        { type: 'pet.status_changed', data: guppy('available'), at },
        { type: 'order.cancelled', data: { id: 1, petId: 1, quantity: 5, shipDate: nextWeek, complete: false }, at },
      ]);
      const { rows } = await shop.stock.movements(1, { limit: 10 });
      expect(rows.map(({ kind, orderId }) => ({ kind, orderId }))).to.deep.equal([
        { kind: 'released', orderId: 1 },
        { kind: 'reserved', orderId: 1 },
        { kind: 'counted', orderId: undefined },
        { kind: 'opened', orderId: undefined },
      ]);
    });

    it('of a held pet too, which stays pending', async () => {
      await shop.orders.change(1, { quantity: 2 });
      await shop.pets.change(1, { status: 'pending' });

      const { events } = await shop.watch(() => shop.orders.cancel(1));

      expect(events.map(({ type }) => type)).to.deep.equal(['order.cancelled']);
      expect(await shop.stock.get(1)).to.deep.equal({ petId: 1, quantity: 5, reserved: 0, status: 'pending' });
    });

    it('only if the precondition holds', async () => {
      await shop.refuses(() => shop.orders.cancel(1, { precondition: () => false }), PreconditionFailed);

      await shop.orders.cancel(1, { precondition: ({ quantity }) => quantity === 5 });

      await shop.refuses(() => shop.orders.get(1), OrderNotFound);
    });

    it('only once', async () => {
      await shop.orders.cancel(1);

      const refusal = await shop.refuses(() => shop.orders.cancel(1), OrderNotFound);

      expect(refusal.message).to.include('no order 1');
    });
  });

  it('returns an order, or refuses an unknown one', async () => {
    await shop.orders.place({ petId: 1, quantity: 1 });

    expect(await shop.orders.get(1)).to.deep.equal({ id: 1, petId: 1, quantity: 1, complete: false });
    await shop.refuses(() => shop.orders.get(2), OrderNotFound);
  });

  it('lists the orders that match, page by page, and counts them', async () => {
    await shop.orders.place({ petId: 1, quantity: 1 });
    await shop.orders.place({ petId: 1, quantity: 1, complete: true });
    await shop.orders.place({ petId: 1, quantity: 1, shipDate: nextWeek });

    const first = await shop.orders.list({ complete: false }, { sort: { by: 'shipDate' }, limit: 1 });
    const second = await shop.orders.list(
      { complete: false },
      { sort: { by: 'shipDate' }, limit: 1, after: first.next },
    );

    expect(first.rows.map(({ id }) => id)).to.deep.equal([3]);
    expect(second.rows.map(({ id }) => id)).to.deep.equal([1]);
    expect(second.next).to.equal(undefined);
    expect(await shop.orders.count({ complete: false })).to.equal(2);
  });
});
