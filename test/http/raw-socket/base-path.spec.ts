import { expect } from 'chai';
import { linksOf } from '../../support/client.ts';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

for (const base of ['/v1', '/shop/api-v1.0']) {
  describe(`Under the base path ${base}, the interface`, () => {
    const store = runningPetstore({ basePath: base });

    beforeEach(async () => {
      await store.post(`${base}/categories`, { name: 'Dogs' });
      for (const name of ['Rex', 'Tom']) await store.post(`${base}/pets`, { name, categoryId: 1 });
    });

    it('is served there and nowhere else', async () => {
      for (const path of ['/pets', '/pets/1', '/store/pets/1', '/categories', '/store/inventory/summary']) {
        expect((await store.get(`${base}${path}`)).status, path).to.equal(200);
        refused(await store.get(path), 404, 'not_found');
        refused(await store.get(`${base}${base}${path}`), 404, 'not_found');
      }
      for (const path of [base, `${base}/`, `${base}pets`, `${base.toUpperCase()}/pets`]) {
        refused(await store.get(path), 404, 'not_found');
      }
    });

    it('returns a Location there', async () => {
      const made = await store.post(`${base}/pets`, { name: 'Tim', categoryId: 1 });
      const batch = await store.post(`${base}/pets/batch`, [{ name: 'Tam', categoryId: 1 }]);
      const category = await store.post(`${base}/categories`, { name: 'Cats' });
      const order = await store.post(`${base}/store/orders`, { petId: 1 });

      expect(made.header('location')).to.equal(`${base}/store/pets/3`);
      for (const answer of [made, batch, category, order]) {
        expect((await store.get(answer.header('location') ?? '')).status).to.equal(200);
      }
    });

    it('links from page to page', async () => {
      const first = await store.get(`${base}/pets?limit=1`);

      expect(linksOf(first)['first']).to.equal(`${base}/pets?limit=1`);
      const second = await store.get<{ id: number }[]>(linksOf(first)['next'] ?? '');
      expect(second.body.map(({ id }) => id)).to.deep.equal([2]);
    });

    it('links to the successor of a deprecated operation', async () => {
      const before = await store.get(`${base}/pets/1`);
      store.clock.set(Date.UTC(2028, 0, 1));
      const after = await store.get(`${base}/pets/1`);

      expect(before.header('link')).to.equal(`<${base}/store/pets/1>; rel="successor-version"`);
      expect(refused(after, 410, 'operation_withdrawn').message).to.include(`${base}/store/pets/1`);
      expect((await store.get(linksOf(after)['successor-version'] ?? '')).status).to.equal(200);
    });

    it('answers 405 and OPTIONS there', async () => {
      const answer = await store.send('PUT', `${base}/pets`);

      refused(answer, 405, 'method_not_allowed');
      expect(answer.header('allow')).to.include('POST');
      expect((await store.send('OPTIONS', `${base}/pets`)).status).to.equal(204);
    });

    it('names the base path in its document, whose own path stays the same', async () => {
      expect(store.document.servers.map(({ url }) => url)).to.deep.equal([base]);
      expect(Object.keys(store.document.paths)).to.include('/pets');
      for (const page of [
        '/openapi.json',
        '/openapi.yaml',
        '/asyncapi.json',
        '/docs',
        '/errors/not_found',
        '/health/live',
        '/metrics',
      ]) {
        expect((await store.get(page)).status, page).to.equal(200);
        refused(await store.get(`${base}${page}`), 404, 'not_found');
      }
    });
  });
}
