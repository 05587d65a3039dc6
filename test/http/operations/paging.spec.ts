import { expect } from 'chai';
import { type Answer, linksOf } from '../../support/client.ts';
import { placesOf, refused } from '../../support/refusals.ts';
import { type Circumstances, runningPetstore } from '../../support/running-petstore.ts';

type Row = Readonly<Record<string, unknown>>;

for (const storage of ['memory', 'sqlite'] as const satisfies Circumstances['storage'][]) {
  describe(`Paging over HTTP (${storage})`, () => {
    const store = runningPetstore({ storage });

    /** Guppies 1 to `count`, the even ones of which are called alike. */
    async function guppies(count: number) {
      await store.category('Fish');
      const batch = Array.from({ length: count }, (_, i) => ({
        name: i % 2 ? 'Guppy' : `Guppy ${i % 7}`,
        categoryId: 1,
      }));
      await store.post('/pets/batch', batch);
    }

    /** Follows the links from page to page. */
    async function walk(target: string, between: (page: number) => Promise<unknown> = async () => undefined) {
      const pages: Row[][] = [];
      let next: string | undefined = target;
      while (next !== undefined) {
        const answer: Answer<Row[]> = await store.get(next);
        expect(answer.status, answer.text).to.equal(200);
        pages.push(answer.body);
        next = linksOf(answer)['next'];
        await between(pages.length);
      }
      return { pages, ids: pages.flat().map(({ id, petId }) => id ?? petId) };
    }

    const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

    it('has 20 rows a page, and up to 100 on request', async () => {
      await guppies(101);

      expect((await store.get<Row[]>('/pets')).body).to.have.lengthOf(20);
      expect((await store.get<Row[]>('/pets?limit=1')).body).to.have.lengthOf(1);
      expect((await store.get<Row[]>('/pets?limit=100')).body).to.have.lengthOf(100);
      refused(await store.get('/pets?limit=101'), 400, 'invalid_parameter');
    });

    it('links to the first page always, and to the next page if there is one', async () => {
      await guppies(5);

      const [first, all, none] = [
        await store.get('/pets?limit=2'),
        await store.get('/pets?limit=5'),
        await store.get('/pets?name=x'),
      ];

      expect(linksOf(first)['first']).to.equal('/pets?limit=2');
      expect(linksOf(first)['next']).to.match(/^\/pets\?limit=2&cursor=[\w.-]+$/);
      expect(Object.keys(linksOf(all))).to.deep.equal(['first']);
      expect(linksOf(none)).to.deep.equal({ first: '/pets?name=x' });
      const second = await store.get(linksOf(first)['next'] ?? '');
      expect(linksOf(second)['first']).to.equal('/pets?limit=2');
    });

    it('returns every row once, in every order', async () => {
      await guppies(23);

      for (const sort of ['id', '-id', 'name', '-name']) {
        const { body } = await store.get<Row[]>(`/pets?sort=${sort}&limit=100`);
        const { pages, ids } = await walk(`/pets?sort=${sort}&limit=4`);
        expect(ids, sort).to.deep.equal(body.map(({ id }) => id));
        expect(pages.map((page) => page.length)).to.deep.equal([4, 4, 4, 4, 4, 3]);
      }
    });

    it('works the same for every list', async () => {
      await guppies(1);
      await store.stock(1, 50);
      for (const day of ['03', '01', '02']) await store.order({ petId: 1, shipDate: `2026-12-${day}T00:00:00Z` });
      for (let i = 0; i < 3; i++) await store.order({ petId: 1 });
      for (const name of ['ant', 'Bee', 'cat', 'Dog', 'eel']) await store.category(name);
      for (let i = 0; i < 5; i++) await store.pet({ status: i < 3 ? 'sold' : 'available' });

      expect((await walk('/store/orders?sort=shipDate&limit=2')).ids).to.deep.equal([2, 3, 1, 4, 5, 6]);
      expect((await walk('/store/orders?sort=-shipDate&limit=2')).ids).to.deep.equal([1, 3, 2, 6, 5, 4]);
      expect((await walk('/categories?sort=-name&limit=2')).ids).to.deep.equal([1, 6, 5, 4, 3, 2]);
      expect((await walk('/store/inventory?sort=quantity&limit=1')).ids).to.deep.equal([2, 3, 4, 5, 6, 1]);
      expect((await walk('/store/inventory?sort=-quantity&limit=4')).ids).to.deep.equal([1, 6, 5, 4, 3, 2]);
      expect((await walk('/store/inventory/1/movements?limit=3')).pages.map((page) => page.length)).to.deep.equal([
        3, 3, 2,
      ]);
    });

    it('keeps the filters from page to page', async () => {
      await guppies(10);
      await store.patch('/store/pets/4', { status: 'sold' });

      expect((await walk('/pets?name=guppy&status=available&id=2,4,6,8&limit=1')).ids).to.deep.equal([2, 6, 8]);
    });

    it('repeats no row and skips none while rows are added and deleted', async () => {
      await guppies(12);

      const byId = await walk('/pets?limit=3', async (page) => {
        if (page === 1) await store.delete('/store/pets/3');
        if (page === 2) await store.delete('/store/pets/9');
        if (page <= 2) await store.pet({ name: `late ${page}` });
      });
      expect(byId.ids).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14]);

      const byName = await walk('/pets?sort=name&limit=3', async (page) => {
        if (page <= 2) await store.pet({ name: 'Aaron' });
      });
      expect(new Set(byName.ids)).to.have.property('size', byName.ids.length);
      expect(byName.ids).to.include.members([1, 2, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14]);
    });

    it('continues after a row that was deleted', async () => {
      await guppies(6);
      const first = await store.get('/pets?limit=3');
      for (const id of [2, 3, 4]) await store.delete(`/store/pets/${id}`);

      const second = await store.get<Row[]>(linksOf(first)['next'] ?? '');

      expect(second.body.map(({ id }) => id)).to.deep.equal([5, 6]);
    });

    it('may change its page size between pages, and nothing else', async () => {
      await guppies(9);
      const cursor = new URL(
        linksOf(await store.get('/pets?sort=name&status=available&limit=2'))['next'] ?? '',
        'http://x',
      ).searchParams.get('cursor');
      const go = (query: string) => store.get<Row[]>(`${query}&cursor=${cursor}`);

      expect((await go('/pets?sort=name&status=available&limit=100')).body).to.have.lengthOf(7);
      for (const query of [
        '/pets?sort=-name&status=available',
        '/pets?status=available',
        '/pets?sort=name',
        '/pets?sort=name&status=sold',
        '/pets?sort=name&status=available&name=g',
        '/categories?sort=name',
        '/store/inventory?status=available',
      ]) {
        expect(placesOf(refused(await go(query), 400, 'invalid_cursor')), query).to.deep.equal(['cursor']);
      }
    });

    it('refuses a cursor that it did not issue', async () => {
      await guppies(5);
      const cursor =
        new URL(linksOf(await store.get('/pets?limit=2'))['next'] ?? '', 'http://x').searchParams.get('cursor') ?? '';
      const [position = '', seal = ''] = cursor.split('.');
      const forged = Buffer.from('[99,99]').toString('base64url');

      for (const other of [
        `${forged}.${seal}`,
        `${position}.${seal.slice(1)}x`,
        position,
        `${cursor}.`,
        `${cursor}=`,
        `%20${cursor}`,
        `${cursor}%20`,
        cursor.slice(1),
        'eyJpZCI6MX0',
        '1',
        '.',
        'null',
        encodeURIComponent('[1,1]'),
        'x'.repeat(5000),
      ]) {
        refused(await store.get(`/pets?limit=2&cursor=${other}`), 400, 'invalid_cursor');
      }
      refused(await store.get(`/pets?cursor=${'x'.repeat(5001)}`), 400, 'invalid_parameter');
      refused(await store.get(`/pets?limit=2&cursor=${cursor}&cursor=${cursor}`), 400, 'invalid_parameter');
    });

    it('continues after a name whose key is many times as long as the name', async () => {
      await store.category('\ufdfa'.repeat(100));
      await store.category(`${'\ufdfa'.repeat(99)}\ufdfb`);

      expect((await walk('/categories?sort=name&limit=1')).ids).to.deep.equal([2, 1]);
    });

    it('refuses the cursor of another pet’s movements', async () => {
      await guppies(2);
      for (const id of [1, 2]) for (const quantity of [5, 6, 7]) await store.stock(id, quantity);
      const next = linksOf(await store.get('/store/inventory/1/movements?limit=2'))['next'] ?? '';

      refused(await store.get(next.replace('/inventory/1/', '/inventory/2/')), 400, 'invalid_cursor');
    });

    it('counts the whole list on request, on every page, and only then', async () => {
      await guppies(5);
      await store.patch('/store/pets/1', { status: 'sold' });
      const counted = async (target: string, prefer = 'return=total-count') => {
        const answer = await store.get(target, { Prefer: prefer });
        return [answer.header('x-total-count'), answer.header('preference-applied')];
      };

      expect(await counted('/pets?limit=2')).to.deep.equal(['5', 'return=total-count']);
      expect(await counted('/pets?status=available')).to.deep.equal(['4', 'return=total-count']);
      expect(await counted('/pets?name=x')).to.deep.equal(['0', 'return=total-count']);
      const next = linksOf(await store.get('/pets?limit=2'))['next'] ?? '';
      expect(await counted(next)).to.deep.equal(['5', 'return=total-count']);
      expect(await counted('/pets', 'respond-async, RETURN="total-count"; x=1')).to.deep.equal([
        '5',
        'return=total-count',
      ]);
      for (const other of ['return=minimal', 'return=total-counts', 'xreturn=total-count']) {
        expect(await counted('/pets', other)).to.deep.equal([undefined, undefined]);
      }
      for (const target of ['/categories', '/store/orders', '/store/inventory', '/store/inventory/1/movements']) {
        expect((await counted(target))[1], target).to.equal('return=total-count');
      }
      expect((await store.get('/pets')).header('x-total-count')).to.equal(undefined);
    });

    it('links with the encoding of the request', async () => {
      await guppies(3);

      const answer = await store.get<Row[]>('/pe%74s?name=g%75pp+%22%3E&limit=1');
      expect(linksOf(answer)['first']).to.equal('/pe%74s?name=g%75pp+%22%3E&limit=1');
      const { ids } = await walk('/pets?limit=1&name=gu%70py');
      expect(ids).to.deep.equal(upTo(3));
    });
  });
}
