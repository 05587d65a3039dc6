import { expect } from 'chai';
import type { InventoryItemBody, PetBody } from '../../../src/api/schemas/schemas.ts';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

describe('The status of a pet over HTTP', () => {
  const store = runningPetstore();

  const mark = (status: string) => store.patch<PetBody>('/store/pets/1', { status });

  /** What the pet and its entry show: the same status, always. */
  async function shown() {
    const { body: item } = await store.get<InventoryItemBody>('/store/inventory/1');
    const { body: pet } = await store.get<PetBody>('/store/pets/1');
    expect(pet.status).to.equal(item.status);
    return [item.status, item.quantity, item.reserved];
  }

  async function kinds() {
    const { body } = await store.get<{ kind: string }[]>('/store/inventory/1/movements');
    return body.map(({ kind }) => kind).reverse();
  }

  describe('follows from its stock', () => {
    it('sold without a unit, and available again with one', async () => {
      await store.pet();

      await store.stock(1, 0);
      expect(await shown()).to.deep.equal(['sold', 0, 0]);
      await store.stock(1, 4);
      expect(await shown()).to.deep.equal(['available', 4, 0]);
    });
  });

  describe('set to pending', () => {
    it('holds the pet', async () => {
      await store.pet({ stock: 5 });

      expect((await mark('pending')).body.status).to.equal('pending');

      expect(await shown()).to.deep.equal(['pending', 5, 0]);
      refused(await store.post('/store/orders', { petId: 1 }), 409, 'pet_not_available');
    });
  });

  describe('set to available', () => {
    it('restocks a sold pet with one unit', async () => {
      await store.pet({ status: 'sold' });

      expect((await mark('available')).body.status).to.equal('available');

      expect(await shown()).to.deep.equal(['available', 1, 0]);
      expect(await kinds()).to.deep.equal(['opened', 'restocked']);
    });
  });

  describe('set to sold', () => {
    it('writes off every unit', async () => {
      await store.pet({ stock: 5 });

      expect((await mark('sold')).body.status).to.equal('sold');

      expect(await shown()).to.deep.equal(['sold', 0, 0]);
      expect((await kinds()).at(-1)).to.equal('written_off');
    });
  });

  it('is one of three words, and nothing else', async () => {
    await store.pet();

    for (const status of [' sold', 'sold\n', 'SOLD', '']) {
      refused(await store.patch('/store/pets/1', { status }), 422, 'validation_failed');
    }
  });

  it('set to its current value succeeds and writes nothing', async () => {
    for (const status of ['available', 'pending', 'sold'] as const) {
      const { id } = await store.pet({ status });
      const { body: before } = await store.get<unknown[]>(`/store/inventory/${id}/movements`);

      const { status: code, body } = await store.patch<PetBody>(`/store/pets/${id}`, { status });

      expect([code, body.status]).to.deep.equal([200, status]);
      expect((await store.get(`/store/inventory/${id}/movements`)).body).to.deep.equal(before);
    }
  });
});
