import { expect } from 'chai';
import { refused } from '../../support/refusals.ts';
import { type Circumstances, runningPetstore } from '../../support/running-petstore.ts';

for (const storage of ['memory', 'sqlite'] as const satisfies Circumstances['storage'][]) {
  describe(`A list over HTTP (${storage})`, () => {
    const store = runningPetstore({ storage });

    /** The value of one field of every row. */
    async function rows(target: string, field = 'id'): Promise<unknown[]> {
      const answer = await store.get<Record<string, unknown>[]>(target);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body.map((row) => row[field]);
    }

    describe('of pets', () => {
      beforeEach(async () => {
        await store.category('Dogs');
        await store.category('Cats');
        await store.pet({ name: 'Rex', categoryId: 1 });
        await store.pet({ name: 'anna', categoryId: 1, status: 'pending' });
        await store.pet({ name: 'Tom', categoryId: 2, status: 'sold' });
        await store.pet({ name: 'Émile', categoryId: 2 });
        await store.pet({ name: 'Anna', categoryId: 2 });
      });

      it('has all of them, in the order of their ids', async () => {
        expect(await rows('/pets')).to.deep.equal([1, 2, 3, 4, 5]);
        expect(await rows('/pets?sort=id')).to.deep.equal([1, 2, 3, 4, 5]);
      });

      it('can be sorted by id and name, in both directions; ties are sorted by id', async () => {
        expect(await rows('/pets?sort=-id')).to.deep.equal([5, 4, 3, 2, 1]);
        expect(await rows('/pets?sort=name')).to.deep.equal([2, 5, 1, 3, 4]);
        expect(await rows('/pets?sort=-name')).to.deep.equal([4, 3, 1, 5, 2]);
      });

      it('can be filtered by status: one, several with commas, several repeated', async () => {
        expect(await rows('/pets?status=available')).to.deep.equal([1, 4, 5]);
        expect(await rows('/pets?status=sold,pending')).to.deep.equal([2, 3]);
        expect(await rows('/pets?status=sold&status=pending')).to.deep.equal([2, 3]);
        expect(await rows('/pets?status=sold&status=pending,sold')).to.deep.equal([2, 3]);
      });

      it('can be filtered by category, which need not exist', async () => {
        expect(await rows('/pets?categoryId=2')).to.deep.equal([3, 4, 5]);
        expect(await rows('/pets?categoryId=9')).to.deep.equal([]);
      });

      it('can be filtered by the beginning of the name, whatever its case', async () => {
        expect(await rows('/pets?name=an')).to.deep.equal([2, 5]);
        expect(await rows('/pets?name=ANNA')).to.deep.equal([2, 5]);
        expect(await rows('/pets?name=%C3%A9')).to.deep.equal([4]);
        expect(await rows('/pets?name=e%CC%81')).to.deep.equal([4]);
        expect(await rows('/pets?name=nna')).to.deep.equal([]);
        expect(await rows('/pets?name=%25')).to.deep.equal([]);
        expect(await rows('/pets?name=_nna')).to.deep.equal([]);
        expect(await rows('/pets?name=*')).to.deep.equal([]);
      });

      it('can be filtered to up to 100 ids', async () => {
        const ids = (count: number) => Array.from({ length: count }, (_, i) => i + 2).join(',');

        expect(await rows('/pets?id=4,1,4')).to.deep.equal([1, 4]);
        expect(await rows('/pets?id=5&id=2&sort=-id')).to.deep.equal([5, 2]);
        expect(await rows(`/pets?id=${ids(100)}`)).to.deep.equal([2, 3, 4, 5]);
        refused(await store.get(`/pets?id=${ids(101)}`), 400, 'invalid_parameter');
      });

      it('can be filtered by everything at once', async () => {
        expect(await rows('/pets?categoryId=2&status=available,sold&name=a&id=1,3,5&sort=-name')).to.deep.equal([5]);
      });
    });

    describe('of categories', () => {
      beforeEach(async () => {
        for (const name of ['Dogs', 'ants', 'Cats', 'Äffchen', 'Dogfish']) await store.category(name);
      });

      it('can be sorted by id and name, in both directions', async () => {
        expect(await rows('/categories')).to.deep.equal([1, 2, 3, 4, 5]);
        expect(await rows('/categories?sort=-id')).to.deep.equal([5, 4, 3, 2, 1]);
        expect(await rows('/categories?sort=name')).to.deep.equal([2, 3, 5, 1, 4]);
        expect(await rows('/categories?sort=-name')).to.deep.equal([4, 1, 5, 3, 2]);
      });

      it('can be filtered by the beginning of the name', async () => {
        expect(await rows('/categories?name=dog')).to.deep.equal([1, 5]);
        expect(await rows('/categories?name=dogs')).to.deep.equal([1]);
        expect(await rows('/categories?name=%C3%A4')).to.deep.equal([4]);
        expect(await rows('/categories?name=x')).to.deep.equal([]);
      });
    });

    describe('of orders', () => {
      beforeEach(async () => {
        await store.pet({ stock: 9 });
        await store.pet({ stock: 9 });
        await store.order({ petId: 1, shipDate: '2026-12-03T00:00:00Z' });
        await store.order({ petId: 2 });
        await store.order({ petId: 1, shipDate: '2026-12-01T00:00:00Z', complete: true });
        await store.order({ petId: 2, shipDate: '2026-12-02T00:00:00Z' });
        await store.order({ petId: 1 });
        await store.order({ petId: 2, shipDate: '2026-12-02T00:00:00Z' });
      });

      it('can be sorted by id and ship date; orders without one are last, ties are sorted by id', async () => {
        expect(await rows('/store/orders')).to.deep.equal([1, 2, 3, 4, 5, 6]);
        expect(await rows('/store/orders?sort=-id')).to.deep.equal([6, 5, 4, 3, 2, 1]);
        expect(await rows('/store/orders?sort=shipDate')).to.deep.equal([3, 4, 6, 1, 2, 5]);
        expect(await rows('/store/orders?sort=-shipDate')).to.deep.equal([1, 6, 4, 3, 5, 2]);
      });

      it('can be filtered by pet and by completeness', async () => {
        expect(await rows('/store/orders?petId=1')).to.deep.equal([1, 3, 5]);
        expect(await rows('/store/orders?petId=9')).to.deep.equal([]);
        expect(await rows('/store/orders?complete=true')).to.deep.equal([3]);
        expect(await rows('/store/orders?complete=false&petId=1')).to.deep.equal([1, 5]);
      });

      it('can be filtered by ship date: from an instant, to before another', async () => {
        const [first, second, third] = ['2026-12-01T00:00:00Z', '2026-12-02T00:00:00Z', '2026-12-03T00:00:00Z'];

        expect(await rows(`/store/orders?shipDateFrom=${second}`)).to.deep.equal([1, 4, 6]);
        expect(await rows(`/store/orders?shipDateTo=${second}`)).to.deep.equal([3]);
        expect(await rows(`/store/orders?shipDateFrom=${first}&shipDateTo=${third}`)).to.deep.equal([3, 4, 6]);
        expect(await rows(`/store/orders?shipDateFrom=${second}&shipDateTo=${second}`)).to.deep.equal([]);
        expect(await rows('/store/orders?shipDateFrom=2026-12-02T01:00:00%2B01:00')).to.deep.equal([1, 4, 6]);
        expect(await rows('/store/orders?shipDateFrom=2026-12-02T00:00:00.001Z')).to.deep.equal([1]);
      });
    });

    describe('of the inventory', () => {
      const petIds = (target: string) => rows(target, 'petId');

      beforeEach(async () => {
        await store.pet({ stock: 5 });
        await store.pet({ status: 'sold' });
        await store.pet({ stock: 5, status: 'pending' });
        await store.pet({ stock: 2 });
      });

      it('can be sorted by pet and quantity; ties are sorted by pet', async () => {
        expect(await petIds('/store/inventory')).to.deep.equal([1, 2, 3, 4]);
        expect(await petIds('/store/inventory?sort=-petId')).to.deep.equal([4, 3, 2, 1]);
        expect(await petIds('/store/inventory?sort=quantity')).to.deep.equal([2, 4, 1, 3]);
        expect(await petIds('/store/inventory?sort=-quantity')).to.deep.equal([3, 1, 4, 2]);
      });

      it('can be filtered by status, by pet, and by a low quantity', async () => {
        expect(await petIds('/store/inventory?status=available,pending')).to.deep.equal([1, 3, 4]);
        expect(await petIds('/store/inventory?petId=4,2,77')).to.deep.equal([2, 4]);
        expect(await petIds('/store/inventory?below=5')).to.deep.equal([2, 4]);
        expect(await petIds('/store/inventory?below=0')).to.deep.equal([]);
        expect(await petIds('/store/inventory?below=6&status=pending&petId=3,4')).to.deep.equal([3]);
        const ids = Array.from({ length: 101 }, (_, i) => i + 1).join(',');
        refused(await store.get(`/store/inventory?petId=${ids}`), 400, 'invalid_parameter');
      });
    });
  });
}
