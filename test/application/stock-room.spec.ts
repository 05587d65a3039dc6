import { expect } from 'chai';
import { PetNotFound, PreconditionFailed, StockBelowReserved } from '../../src/domain/refusals.ts';
import { OPENING, Shop, without } from './shop.ts';

const at = OPENING;

describe('The stock room', () => {
  let shop: Shop;

  const guppy = (status: string) => ({ id: 1, name: 'Guppy', categoryId: 1, status });

  beforeEach(async () => {
    shop = new Shop();
    await shop.categories.create({ name: 'Fish' });
    await shop.pets.create({ name: 'Guppy', categoryId: 1 });
  });

  describe('counts the stock of a pet', () => {
    it('up and down', async () => {
      const up = await shop.watch(() => shop.stock.count(1, 5));
      const down = await shop.watch(() => shop.stock.count(1, 2));

      const five = { petId: 1, quantity: 5, reserved: 0, status: 'available' };
      expect(up.answer).to.deep.equal(five);
      expect(up.movements).to.deep.equal([{ petId: 1, kind: 'counted', quantity: 4, reserved: 0, at }]);
      expect(up.events).to.deep.equal([{ type: 'inventory.counted', data: five, at }]);
      const two = { petId: 1, quantity: 2, reserved: 0, status: 'available' };
      expect(down.answer).to.deep.equal(two);
      expect(down.movements).to.deep.equal([{ petId: 1, kind: 'counted', quantity: -3, reserved: 0, at }]);
      expect(down.events).to.deep.equal([{ type: 'inventory.counted', data: two, at }]);
      expect(await shop.stock.get(1)).to.deep.equal(two);
    });

    it('to zero, and reports that the pet is sold; and back, that it is available', async () => {
      const gone = await shop.watch(() => shop.stock.count(1, 0));
      const back = await shop.watch(() => shop.stock.count(1, 3));

      expect(gone.events).to.deep.equal([
        { type: 'pet.status_changed', data: guppy('sold'), at },
        { type: 'inventory.counted', data: { petId: 1, quantity: 0, reserved: 0, status: 'sold' }, at },
      ]);
      expect(back.events).to.deep.equal([
        { type: 'pet.status_changed', data: guppy('available'), at },
        { type: 'inventory.counted', data: { petId: 1, quantity: 3, reserved: 0, status: 'available' }, at },
      ]);
      expect((await shop.pets.get(1)).status).to.equal('available');
    });

    it('to zero and back without releasing a hold', async () => {
      await shop.pets.change(1, { status: 'pending' });

      await shop.stock.count(1, 0);
      const { answer, events } = await shop.watch(() => shop.stock.count(1, 3));

      expect(events).to.deep.equal([
        { type: 'pet.status_changed', data: guppy('pending'), at },
        { type: 'inventory.counted', data: answer, at },
      ]);
    });

    it('down to the reserved units, and not below, and states how many they are', async () => {
      await shop.stock.count(1, 5);
      await shop.orders.place({ petId: 1, quantity: 2 });

      const refusal = await shop.refuses(() => shop.stock.count(1, 1), StockBelowReserved);
      const { answer, events } = await shop.watch(() => shop.stock.count(1, 2));

      expect(refusal.message).to.include('The stock of pet 1 cannot be 1: open orders reserve 2 of its units');
      expect(answer).to.deep.equal({ petId: 1, quantity: 2, reserved: 2, status: 'pending' });
      expect(events).to.deep.equal([
        { type: 'pet.status_changed', data: guppy('pending'), at },
        { type: 'inventory.counted', data: answer, at },
      ]);
    });

    it('without a change, if it is the same count', async () => {
      const item = await shop.leaves(() => shop.stock.count(1, 1));

      expect(item).to.deep.equal({ petId: 1, quantity: 1, reserved: 0, status: 'available' });
    });

    it('only if the precondition holds, if there is one', async () => {
      const seen: unknown[] = [];
      const sees = (expected: boolean) => (item: unknown) => {
        seen.push(item);
        return expected;
      };

      await shop.refuses(() => shop.stock.count(1, 5, { precondition: sees(false) }), PreconditionFailed);
      await shop.stock.count(1, 5, { precondition: sees(true) });

      const item = { petId: 1, quantity: 1, reserved: 0, status: 'available' };
      expect(seen).to.deep.equal([item, item]);
      expect((await shop.stock.get(1)).quantity).to.equal(5);
    });

    it('never if the pet does not exist, whatever the precondition', async () => {
      const refusal = await shop.refuses(() => shop.stock.count(9, 5, { precondition: () => false }), PetNotFound);

      expect(refusal.message).to.include('no pet 9');
    });
  });

  describe('returns', () => {
    beforeEach(async () => {
      await shop.pets.create({ name: 'Betta', categoryId: 1, status: 'pending' });
      await shop.pets.create({ name: 'Molly', categoryId: 1, status: 'sold' });
      await shop.stock.count(1, 5);
    });

    it('the stock of a pet, or refuses an unknown one', async () => {
      expect(await shop.stock.get(2)).to.deep.equal({ petId: 2, quantity: 1, reserved: 0, status: 'pending' });

      const refusal = await shop.refuses(() => shop.stock.get(9), PetNotFound);

      expect(refusal.message).to.include('no pet 9');
    });

    it('the stock records that match, page by page, and their number', async () => {
      const first = await shop.stock.list({ below: 5 }, { sort: { by: 'quantity' }, limit: 1 });
      const second = await shop.stock.list({ below: 5 }, { sort: { by: 'quantity' }, limit: 1, after: first.next });

      expect(first.rows.map(({ petId }) => petId)).to.deep.equal([3]);
      expect(second.rows.map(({ petId }) => petId)).to.deep.equal([2]);
      expect(second.next).to.equal(undefined);
      expect(await shop.stock.countItems({ below: 5 })).to.equal(2);
    });

    it('a summary of the whole stock', async () => {
      expect(await shop.stock.summary()).to.deep.equal({
        available: { pets: 1, units: 5 },
        pending: { pets: 1, units: 1 },
        sold: { pets: 1, units: 0 },
      });
    });

    it('the movements of a pet, newest first, page by page', async () => {
      await shop.orders.place({ petId: 1, quantity: 2 });

      const first = await shop.stock.movements(1, { limit: 2 });
      const second = await shop.stock.movements(1, { limit: 2, after: first.next });

      expect([...first.rows, ...second.rows].map((movement) => without('id', movement))).to.deep.equal([
        { petId: 1, kind: 'reserved', quantity: 0, reserved: 2, orderId: 1, at },
        { petId: 1, kind: 'counted', quantity: 4, reserved: 0, at },
        { petId: 1, kind: 'opened', quantity: 1, reserved: 0, at },
      ]);
      expect(second.next).to.equal(undefined);
      expect(await shop.stock.countMovements(1)).to.equal(3);
    });

    it('no movements of an unknown pet, which it refuses', async () => {
      await shop.refuses(() => shop.stock.movements(9, { limit: 2 }), PetNotFound);
      await shop.refuses(() => shop.stock.countMovements(9), PetNotFound);
    });
  });
});
