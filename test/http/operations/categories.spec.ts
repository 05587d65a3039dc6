import { expect } from 'chai';
import type { CategoryBody } from '../../../src/api/schemas/schemas.ts';
import { placesOf, refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

describe('A category over HTTP', () => {
  const store = runningPetstore();

  describe('is created', () => {
    it('with a name and perhaps a description', async () => {
      const plain = await store.post('/categories', { name: 'Dogs' });
      const described = await store.post('/categories', { name: 'Cats', description: 'Mostly asleep.' });

      expect(plain.status).to.equal(201);
      expect(plain.body).to.deep.equal({ id: 1, name: 'Dogs' });
      expect(plain.header('location')).to.equal('/categories/1');
      expect(described.body).to.deep.equal({ id: 2, name: 'Cats', description: 'Mostly asleep.' });
      const read = await store.get('/categories/2');
      expect(read.body).to.deep.equal(described.body);
      expect(read.header('etag')).to.equal(described.header('etag'));
    });

    it('with an empty description, which is one', async () => {
      expect((await store.post('/categories', { name: 'Dogs', description: '' })).body).to.deep.equal({
        id: 1,
        name: 'Dogs',
        description: '',
      });
    });

    it('only as the schema allows', async () => {
      const error = refused(
        await store.post('/categories', { description: null, colour: 'red' }),
        422,
        'validation_failed',
      );

      expect(placesOf(error)).to.have.members(['/name', '/description', '/colour']);
    });
  });

  describe('is replaced', () => {
    it('as a whole: a description that is left out is removed', async () => {
      await store.category('Dogs', 'All kinds.');

      const answer = await store.put('/categories/1', { name: 'Hounds' });

      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.equal({ id: 1, name: 'Hounds' });
      const read = await store.get('/categories/1');
      expect(read.body).to.deep.equal(answer.body);
      expect(read.header('etag')).to.equal(answer.header('etag'));
    });

    it('by what a client has read and changed, including its id, but never under another id', async () => {
      const category = await store.category();

      expect((await store.put('/categories/1', { ...category, description: 'Loud.' })).body).to.deep.equal({
        ...category,
        description: 'Loud.',
      });
      const error = refused(await store.put('/categories/1', { ...category, id: 2 }), 422, 'validation_failed');
      expect(placesOf(error)).to.deep.equal(['/id']);
    });

    it('only according to the rules', async () => {
      await store.category('Dogs');
      await store.category('Cats');

      refused(await store.put('/categories/1', { name: 'CATS' }), 409, 'category_name_taken');
      expect((await store.put<CategoryBody>('/categories/1', { name: 'DOGS' })).body.name).to.equal('DOGS');
      refused(await store.put('/categories/1', { description: 'x' }), 422, 'validation_failed');
      refused(await store.put('/categories/1', { name: 'Dogs', description: null }), 422, 'validation_failed');
      refused(await store.put('/categories/3', { name: 'Birds' }), 404, 'category_not_found');
    });
  });

  describe('is changed', () => {
    it('in the fields of a merge patch; null removes the description', async () => {
      await store.category('Dogs', 'All kinds.');
      const patch = async (body: unknown) => (await store.patch('/categories/1', body)).body;

      expect(await patch({ name: 'Hounds' })).to.deep.equal({ id: 1, name: 'Hounds', description: 'All kinds.' });
      expect(await patch({ description: 'Loud.' })).to.deep.equal({ id: 1, name: 'Hounds', description: 'Loud.' });
      expect(await patch({ description: null })).to.deep.equal({ id: 1, name: 'Hounds' });
      expect(await patch({ description: null })).to.deep.equal({ id: 1, name: 'Hounds' });
    });

    it('only according to the rules', async () => {
      await store.category('Dogs');
      await store.category('Cats');
      const patch = (body: unknown) => store.patch('/categories/1', body);

      expect(placesOf(refused(await patch({ name: null }), 422, 'validation_failed'))).to.deep.equal(['/name']);
      refused(await patch({}), 422, 'validation_failed');
      expect(placesOf(refused(await patch({ id: 1 }), 422, 'validation_failed'))).to.deep.equal(['/id']);
      refused(await patch({ name: 'cats', description: 'x' }), 409, 'category_name_taken');
      expect((await store.get('/categories/1')).body).to.deep.equal({ id: 1, name: 'Dogs' });
      refused(await store.patch('/categories/3', { name: 'Birds' }), 404, 'category_not_found');
    });
  });

  describe('is deleted', () => {
    it('once', async () => {
      await store.category();

      expect((await store.delete('/categories/1')).status).to.equal(204);

      refused(await store.get('/categories/1'), 404, 'category_not_found');
      refused(await store.delete('/categories/1'), 404, 'category_not_found');
      expect((await store.category()).id).to.equal(2);
    });
  });
});
