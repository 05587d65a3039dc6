import { expect } from 'chai';
import type { InventoryItemBody } from '../../../src/api/schemas/schemas.ts';
import { placesOf, refused } from '../../support/refusals.ts';
import { OPENING, runningPetstore } from '../../support/running-petstore.ts';

describe('The inventory over HTTP', () => {
  const store = runningPetstore();

  const count = (body: unknown) => store.put<InventoryItemBody>('/store/inventory/1', body);

  describe('of a pet', () => {
    it('is created with it, and shows the reserved units also when there are none', async () => {
      await store.pet();

      expect((await store.get('/store/inventory/1')).body).to.deep.equal({
        petId: 1,
        quantity: 1,
        status: 'available',
        reserved: 0,
      });
    });
  });

  describe('is counted', () => {
    it('to any number that covers what is reserved', async () => {
      await store.pet({ stock: 5 });
      await store.order({ petId: 1, quantity: 3 });

      const answer = await count({ quantity: 3 });

      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.equal({ petId: 1, quantity: 3, status: 'pending', reserved: 3 });
      expect((await store.get('/store/inventory/1')).header('etag')).to.equal(answer.header('etag'));
      const error = refused(await count({ quantity: 2 }), 409, 'stock_below_reserved');
      expect(error.message).to.include('2').and.to.include('3');
    });

    it('from 0 to 1,000,000,000', async () => {
      await store.pet();

      expect((await count({ quantity: 0 })).body.status).to.equal('sold');
      expect((await count({ quantity: 1_000_000_000 })).body.quantity).to.equal(1_000_000_000);
      for (const quantity of [-1, 1_000_000_001, 1.5, '1', null, true]) {
        expect(placesOf(refused(await count({ quantity }), 422, 'validation_failed'))).to.deep.equal(['/quantity']);
      }
      expect(placesOf(refused(await count({}), 422, 'validation_failed'))).to.deep.equal(['/quantity']);
    });

    it('by `quantity` alone: every other field is refused', async () => {
      await store.pet();
      const { body: item } = await store.get<InventoryItemBody>('/store/inventory/1');

      const error = refused(await count({ ...item, quantity: 7 }), 422, 'validation_failed');

      expect(placesOf(error)).to.have.members(['/petId', '/status', '/reserved']);
      expect((await store.get('/store/inventory/1')).body).to.deep.equal(item);
      expect((await count({ quantity: 7 })).body.quantity).to.equal(7);
    });
  });

  describe('is summarised', () => {
    it('as empty in an empty store', async () => {
      const none = { pets: 0, units: 0 };

      expect((await store.get('/store/inventory/summary')).body).to.deep.equal({
        available: none,
        pending: none,
        sold: none,
      });
    });

    it('by status, in pets and in units on hand', async () => {
      await store.pet({ stock: 5 });
      await store.pet({ stock: 7 });
      await store.order({ petId: 2, quantity: 3 });
      await store.pet({ status: 'pending', stock: 4 });
      await store.pet({ status: 'sold' });

      expect((await store.get('/store/inventory/summary')).body).to.deep.equal({
        available: { pets: 2, units: 12 },
        pending: { pets: 1, units: 4 },
        sold: { pets: 1, units: 0 },
      });
    });
  });

  it('has a ledger, newest first, whose entries add up to the stock', async () => {
    const at = (minutes: number) => new Date(OPENING + minutes * 60_000).toISOString();
    const later = (minutes: number) => store.clock.set(OPENING + minutes * 60_000);
    await store.pet();
    later(1);
    await store.stock(1, 5);
    later(2);
    await store.order({ petId: 1, quantity: 3 });
    later(3);
    await store.patch('/store/orders/1', { quantity: 2 });
    later(4);
    await store.patch('/store/orders/1', { complete: true });
    later(5);
    await store.patch('/store/pets/1', { status: 'sold' });
    later(6);
    await store.patch('/store/pets/1', { status: 'available' });

    const { body } = await store.get('/store/inventory/1/movements');

    const petId = 1;
    expect(body).to.deep.equal([
      { id: 7, petId, kind: 'restocked', quantity: 1, reserved: 0, at: at(6) },
      { id: 6, petId, kind: 'written_off', quantity: -3, reserved: 0, at: at(5) },
      { id: 5, petId, kind: 'shipped', quantity: -2, reserved: -2, orderId: 1, at: at(4) },
      { id: 4, petId, kind: 'released', quantity: 0, reserved: -1, orderId: 1, at: at(3) },
      { id: 3, petId, kind: 'reserved', quantity: 0, reserved: 3, orderId: 1, at: at(2) },
      { id: 2, petId, kind: 'counted', quantity: 4, reserved: 0, at: at(1) },
      { id: 1, petId, kind: 'opened', quantity: 1, reserved: 0, at: at(0) },
    ]);
  });
});
