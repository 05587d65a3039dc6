import { expect } from 'chai';
import type { InventoryItemBody, PetBody } from '../../../src/api/schemas/schemas.ts';
import { placesOf, refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

describe('A pet over HTTP', () => {
  const store = runningPetstore();

  const stockOf = async (petId: number) => (await store.get<InventoryItemBody>(`/store/inventory/${petId}`)).body;

  describe('is created', () => {
    it('with a Location, an ETag and one unit', async () => {
      await store.category();

      const answer = await store.post('/pets', { name: 'Rex', categoryId: 1 });

      expect(answer.status).to.equal(201);
      expect(answer.body).to.deep.equal({ id: 1, name: 'Rex', categoryId: 1, status: 'available' });
      expect(answer.header('location')).to.equal('/store/pets/1');
      const read = await store.get('/store/pets/1');
      expect(read.body).to.deep.equal(answer.body);
      expect(read.header('etag')).to.equal(answer.header('etag'));
      expect(await stockOf(1)).to.deep.equal({ petId: 1, quantity: 1, status: 'available', reserved: 0 });
    });

    it('sold, with none', async () => {
      const pet = await store.pet({ status: 'sold' });

      expect(pet.status).to.equal('sold');
      expect(await stockOf(pet.id)).to.deep.equal({ petId: 1, quantity: 0, status: 'sold', reserved: 0 });
    });

    it('only into a category that exists', async () => {
      const error = refused(await store.post('/pets', { name: 'Rex', categoryId: 7 }), 409, 'unknown_category');

      expect(error.message).to.include('7');
      expect(placesOf(error)).to.deep.equal(['/categoryId']);
      expect((await store.get('/pets')).body).to.deep.equal([]);
    });

    it('only as the schema allows, and otherwise refused with all faults', async () => {
      const answer = await store.post('/pets', { name: '', categoryId: '1', status: 'lost', colour: 'brown' });

      const error = refused(answer, 422, 'validation_failed');
      expect(placesOf(error)).to.have.members(['/name', '/categoryId', '/status', '/colour']);
      const missing = refused(await store.post('/pets', {}), 422, 'validation_failed');
      expect(placesOf(missing)).to.have.members(['/name', '/categoryId']);
      expect(missing.details?.map(({ code }) => code)).to.deep.equal(['required', 'required']);
    });
  });

  describe('is returned', () => {
    it('by getStorePet, and the same by getPet', async () => {
      const pet = await store.pet();

      const [now, before] = [await store.get('/store/pets/1'), await store.get('/pets/1')];

      expect([now.status, before.status]).to.deep.equal([200, 200]);
      expect(now.body).to.deep.equal(pet);
      expect(before.body).to.deep.equal(pet);
      expect(before.header('etag')).to.equal(now.header('etag'));
    });

    it('with its category and its inventory entry, if they are requested', async () => {
      await store.category('Dogs', 'All kinds.');
      const pet = await store.pet({ stock: 3 });
      await store.order({ petId: 1, quantity: 2 });
      const category = { id: 1, name: 'Dogs', description: 'All kinds.' };
      const inventory = { petId: 1, quantity: 3, reserved: 2, status: 'available' };

      const shown = async (query: string) => (await store.get(`/store/pets/1${query}`)).body;

      expect(await shown('?expand=category')).to.deep.equal({ ...pet, category });
      expect(await shown('?expand=inventory')).to.deep.equal({ ...pet, inventory });
      expect(await shown('?expand=category,inventory')).to.deep.equal({ ...pet, category, inventory });
      expect(await shown('?expand=inventory&expand=category')).to.deep.equal({ ...pet, category, inventory });
    });

    it('without fields that have no value', async () => {
      await store.category('Dogs');
      await store.pet();

      const { body } = await store.get<{ category: object }>('/store/pets/1?expand=category');

      expect(body.category).to.deep.equal({ id: 1, name: 'Dogs' });
    });

    it('never with an unknown expansion', async () => {
      await store.pet();

      for (const query of ['expand=owner', 'expand=category,owner', 'expand=', 'expand=category,']) {
        refused(await store.get(`/store/pets/1?${query}`), 400, 'invalid_parameter');
      }
    });
  });

  describe('is replaced', () => {
    it('in everything but its status, if that is left out', async () => {
      await store.pet({ status: 'pending' });
      await store.category('Cats');

      const answer = await store.put('/store/pets/1', { name: 'Tom', categoryId: 2 });

      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.equal({ id: 1, name: 'Tom', categoryId: 2, status: 'pending' });
      const read = await store.get('/store/pets/1');
      expect(read.body).to.deep.equal(answer.body);
      expect(read.header('etag')).to.equal(answer.header('etag'));
    });

    it('by what a client has read and changed, including its id', async () => {
      const pet = await store.pet();

      const { status, body } = await store.put('/store/pets/1', { ...pet, status: 'sold' });

      expect(status).to.equal(200);
      expect(body).to.deep.equal({ ...pet, status: 'sold' });
    });

    it('never under another id than that of the path', async () => {
      const pet = await store.pet();

      const error = refused(await store.put('/store/pets/1', { ...pet, id: 2 }), 422, 'validation_failed');

      expect(placesOf(error)).to.deep.equal(['/id']);
      expect(error.message).to.include('1');
    });

    it('only as a whole, and according to the rules', async () => {
      await store.pet({ status: 'sold' });
      const put = (body: unknown) => store.put('/store/pets/1', body);

      expect(placesOf(refused(await put({ name: 'Tom' }), 422, 'validation_failed'))).to.deep.equal(['/categoryId']);
      refused(await put({ name: 'Tom', categoryId: 9 }), 409, 'unknown_category');
      refused(await put({ name: 'Tom', categoryId: 1, status: 'pending' }), 409, 'invalid_status_transition');
      expect((await store.get<PetBody>('/store/pets/1')).body.name).to.equal('Rex');
      refused(await store.put('/store/pets/2', { name: 'Tom', categoryId: 1 }), 404, 'pet_not_found');
    });
  });

  describe('is changed', () => {
    it('in the fields of a merge patch', async () => {
      await store.pet();
      await store.category('Cats');

      const named = await store.patch('/store/pets/1', { name: 'Tom' });
      const moved = await store.patch(
        '/store/pets/1',
        { categoryId: 2 },
        { 'Content-Type': 'application/merge-patch+json' },
      );

      expect(named.status).to.equal(200);
      expect(named.body).to.deep.equal({ id: 1, name: 'Tom', categoryId: 1, status: 'available' });
      expect(moved.body).to.deep.equal({ id: 1, name: 'Tom', categoryId: 2, status: 'available' });
      expect((await store.get('/store/pets/1')).header('etag')).to.equal(moved.header('etag'));
    });

    it('never by null, because it has no optional field', async () => {
      await store.pet();

      const error = refused(
        await store.patch('/store/pets/1', { name: null, categoryId: null, status: null }),
        422,
        'validation_failed',
      );

      expect(placesOf(error)).to.have.members(['/name', '/categoryId', '/status']);
    });

    it('never by a patch without fields, or with an unknown one', async () => {
      await store.pet();
      const patch = (body: unknown) => store.patch('/store/pets/1', body);

      refused(await patch({}), 422, 'validation_failed');
      expect(placesOf(refused(await patch({ id: 1 }), 422, 'validation_failed'))).to.deep.equal(['/id']);
      refused(await patch([]), 422, 'validation_failed');
      refused(await patch(null), 422, 'validation_failed');
    });

    it('only according to the rules, and completely or not at all', async () => {
      await store.pet({ status: 'sold' });
      const patch = (body: unknown) => store.patch('/store/pets/1', body);

      expect(placesOf(refused(await patch({ categoryId: 9 }), 409, 'unknown_category'))).to.deep.equal(['/categoryId']);
      refused(await patch({ name: 'Tom', status: 'pending' }), 409, 'invalid_status_transition');
      expect((await store.get<PetBody>('/store/pets/1')).body.name).to.equal('Rex');
      refused(await store.patch('/store/pets/2', { name: 'Tom' }), 404, 'pet_not_found');
    });
  });

  describe('is deleted', () => {
    it('with its stock and its movements', async () => {
      await store.pet();

      const answer = await store.delete('/store/pets/1');

      expect(answer.status).to.equal(204);
      for (const path of ['/store/pets/1', '/pets/1', '/store/inventory/1', '/store/inventory/1/movements']) {
        refused(await store.get(path), 404, 'pet_not_found');
      }
      refused(await store.put('/store/inventory/1', { quantity: 1 }), 404, 'pet_not_found');
      refused(await store.delete('/store/pets/1'), 404, 'pet_not_found');
    });
  });
});
