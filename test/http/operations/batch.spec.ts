import { expect } from 'chai';
import type { PetBody } from '../../../src/api/schemas/schemas.ts';
import { placesOf, refused } from '../../support/refusals.ts';
import { type Circumstances, runningPetstore } from '../../support/running-petstore.ts';

for (const storage of ['memory', 'sqlite'] as const satisfies Circumstances['storage'][]) {
  describe(`A batch of pets over HTTP (${storage})`, () => {
    const store = runningPetstore({ storage });

    const pets = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ name: `Guppy ${i + 1}`, categoryId: 1 }));
    const bring = (batch: unknown) => store.post<PetBody[]>('/pets/batch', batch);
    const kept = async () => (await store.get('/pets', { Prefer: 'return=total-count' })).header('x-total-count');

    beforeEach(() => store.category('Fish'));

    it('is created as a whole, in its order, and links to its pets', async () => {
      const answer = await bring([{ name: ' Rex ', categoryId: 1, status: 'sold' }, ...pets(2)]);

      expect(answer.status).to.equal(201);
      expect(answer.body).to.deep.equal([
        { id: 1, name: 'Rex', categoryId: 1, status: 'sold' },
        { id: 2, name: 'Guppy 1', categoryId: 1, status: 'available' },
        { id: 3, name: 'Guppy 2', categoryId: 1, status: 'available' },
      ]);
      expect(answer.header('stability')).to.equal('beta');
      const found = await store.get(answer.header('location') ?? '');
      expect(found.body).to.deep.equal(answer.body);
    });

    it('must have at least one pet, and at most a thousand', async () => {
      expect((await bring(pets(1))).status).to.equal(201);
      const answer = await bring(pets(1000));
      expect(answer.body.map(({ id }) => id)).to.deep.equal(Array.from({ length: 1000 }, (_, i) => i + 2));
      expect((await store.get(answer.header('location') ?? '')).status).to.equal(200);

      refused(await bring([]), 422, 'validation_failed');
      expect(refused(await bring(pets(1001)), 422, 'validation_failed').message).to.include('1000');
      expect(await kept()).to.equal('1001');
    });

    it('is refused as a whole, with a pointer to every invalid item', async () => {
      const error = refused(
        await bring([...pets(3), { categoryId: 1 }, { name: '', categoryId: 0, colour: 'red' }, 7]),
        422,
        'validation_failed',
      );

      expect(placesOf(error)).to.have.members(['/3/name', '/4/name', '/4/categoryId', '/4/colour', '/5']);
      expect(await kept()).to.equal('0');
    });

    it('is refused as a whole, with a pointer to every item whose category is unknown', async () => {
      const batch = [...pets(2), { name: 'Rex', categoryId: 7 }, ...pets(1), { name: 'Tom', categoryId: 8 }];

      const error = refused(await bring(batch), 409, 'unknown_category');

      expect(placesOf(error)).to.deep.equal(['/2/categoryId', '/4/categoryId']);
      expect(error.details?.map(({ code }) => code)).to.deep.equal(['unknown_category', 'unknown_category']);
      expect(error.message).to.include('7').and.to.include('8');
      expect(await kept()).to.equal('0');
      expect((await bring(pets(1))).status).to.equal(201);
    });

    it('is refused with at most 50 of its invalid items', async () => {
      const unknown = Array.from({ length: 60 }, (_, i) => ({ name: 'Rex', categoryId: 100 + i }));

      expect(refused(await bring(unknown), 409, 'unknown_category').details).to.have.lengthOf(50);
    });
  });
}
