import { expect } from 'chai';
import type { InventoryItemBody, OrderBody } from '../../../src/api/schemas/schemas.ts';
import { placesOf, refused } from '../../support/refusals.ts';
import { OPENING, runningPetstore } from '../../support/running-petstore.ts';

const NOW = new Date(OPENING).toISOString();
const CHRISTMAS = '2026-12-24T09:00:00.000Z';

describe('An order over HTTP', () => {
  const store = runningPetstore();

  /** On hand, promised, and what that means. */
  async function stock() {
    const { body } = await store.get<InventoryItemBody>('/store/inventory/1');
    return [body.quantity, body.reserved, body.status];
  }

  async function kinds() {
    const { body } = await store.get<{ kind: string }[]>('/store/inventory/1/movements');
    return body.map(({ kind }) => kind).reverse();
  }

  const place = (order: unknown) => store.post<OrderBody>('/store/orders', order);
  const change = (patch: unknown) => store.patch<OrderBody>('/store/orders/1', patch);

  describe('is placed', () => {
    it('for one unit and open, unless the request says otherwise', async () => {
      await store.pet({ stock: 3 });

      const answer = await place({ petId: 1 });

      expect(answer.status).to.equal(201);
      expect(answer.body).to.deep.equal({ id: 1, petId: 1, quantity: 1, complete: false });
      expect(answer.header('location')).to.equal('/store/orders/1');
      const read = await store.get('/store/orders/1');
      expect(read.body).to.deep.equal(answer.body);
      expect(read.header('etag')).to.equal(answer.header('etag'));
      expect(await stock()).to.deep.equal([3, 1, 'available']);
    });

    it('with a ship date', async () => {
      await store.pet();

      expect((await place({ petId: 1, quantity: 1, shipDate: CHRISTMAS })).body.shipDate).to.equal(CHRISTMAS);
    });

    it('and completed in the same step, and ships now', async () => {
      await store.pet({ stock: 3 });

      const { body } = await place({ petId: 1, quantity: 2, complete: true });

      expect(body).to.deep.equal({ id: 1, petId: 1, quantity: 2, shipDate: NOW, complete: true });
      expect(await stock()).to.deep.equal([1, 0, 'available']);
      expect(await kinds()).to.deep.equal(['opened', 'counted', 'reserved', 'shipped']);
    });

    it('only for a pet that exists', async () => {
      const error = refused(await place({ petId: 9 }), 409, 'unknown_pet');

      expect(error.message).to.include('9');
      expect(placesOf(error)).to.deep.equal(['/petId']);
    });

    it('only as the schema allows', async () => {
      const answer = await place({ quantity: 0, shipDate: 'soon', complete: 'no', id: 1 });

      const error = refused(answer, 422, 'validation_failed');
      expect(placesOf(error)).to.have.members(['/petId', '/quantity', '/shipDate', '/complete', '/id']);
      refused(await place({ petId: 1, quantity: 1_000_001 }), 422, 'validation_failed');
      refused(await place({ petId: 1, quantity: 1.5 }), 422, 'validation_failed');
      refused(await place({ petId: 1, shipDate: null }), 422, 'validation_failed');
    });
  });

  describe('is changed', () => {
    it('in quantity while it is open, as far as units are free', async () => {
      await store.pet({ stock: 5 });
      await place({ petId: 1, quantity: 2 });

      expect((await change({ quantity: 5 })).body.quantity).to.equal(5);
      expect(await stock()).to.deep.equal([5, 5, 'pending']);
      expect(refused(await change({ quantity: 6 }), 409, 'insufficient_stock').message).to.include('0');
      expect((await change({ quantity: 1 })).body.quantity).to.equal(1);
      expect(await stock()).to.deep.equal([5, 1, 'available']);
      expect(await kinds()).to.deep.equal(['opened', 'counted', 'reserved', 'reserved', 'released']);
    });

    it('in its ship date, open or complete; null removes it', async () => {
      await store.pet();
      await place({ petId: 1 });

      expect((await change({ shipDate: CHRISTMAS })).body.shipDate).to.equal(CHRISTMAS);
      expect((await change({ shipDate: null })).body).to.not.have.property('shipDate');
      await change({ complete: true });
      expect((await change({ shipDate: CHRISTMAS })).body).to.include({ shipDate: CHRISTMAS, complete: true });
      expect((await change({ shipDate: null })).body).to.not.have.property('shipDate');
    });

    it('to complete: the units leave the stock, and it ships now', async () => {
      await store.pet({ stock: 3 });
      await place({ petId: 1, quantity: 2 });

      const answer = await change({ complete: true });

      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.equal({ id: 1, petId: 1, quantity: 2, shipDate: NOW, complete: true });
      expect((await store.get('/store/orders/1')).header('etag')).to.equal(answer.header('etag'));
      expect(await stock()).to.deep.equal([1, 0, 'available']);
    });

    it('only as the schema allows, and only if it exists', async () => {
      await store.pet();
      await place({ petId: 1 });

      refused(await change({}), 422, 'validation_failed');
      const error = refused(await change({ quantity: null, complete: null, petId: 2 }), 422, 'validation_failed');
      expect(placesOf(error)).to.have.members(['/quantity', '/complete', '/petId']);
      refused(await store.patch('/store/orders/2', { quantity: 1 }), 404, 'order_not_found');
    });
  });

  describe('is cancelled', () => {
    it('while it is open: its units are free again, its ledger entries stay', async () => {
      await store.pet({ stock: 3 });
      await place({ petId: 1, quantity: 3 });

      const answer = await store.delete('/store/orders/1');

      expect(answer.status).to.equal(204);
      expect(await stock()).to.deep.equal([3, 0, 'available']);
      expect(await kinds()).to.deep.equal(['opened', 'counted', 'reserved', 'released']);
      refused(await store.get('/store/orders/1'), 404, 'order_not_found');
      refused(await store.delete('/store/orders/1'), 404, 'order_not_found');
    });
  });
});
