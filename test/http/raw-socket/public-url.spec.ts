import { expect } from 'chai';
import { linksOf } from '../../support/client.ts';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

for (const { publicUrl, basePath } of [
  { publicUrl: 'https://api.example', basePath: '' },
  { publicUrl: 'https://api.example', basePath: '/v1' },
  // Behind a proxy that removes its own prefix.
  { publicUrl: 'http://gateway.example:8080/petstore', basePath: '/v1' },
]) {
  describe(`With the public URL ${publicUrl} and the base path ${JSON.stringify(basePath)}`, () => {
    const store = runningPetstore({ publicUrl, basePath });
    const base = `${publicUrl}${basePath}`;
    /** The request as the proxy forwards it. */
    const passedOn = (url = '') => {
      expect(url).to.match(new RegExp(`^${base}/`));
      return url.slice(publicUrl.length);
    };

    beforeEach(async () => {
      await store.post(`${basePath}/categories`, { name: 'Dogs' });
      for (const name of ['Rex', 'Tom']) await store.post(`${basePath}/pets`, { name, categoryId: 1 });
    });

    it('every Location is absolute', async () => {
      for (const [path, body, location] of [
        ['/pets', { name: 'Tim', categoryId: 1 }, '/store/pets/3'],
        ['/pets/batch', [{ name: 'Tam', categoryId: 1 }], '/pets?id=4&limit=100'],
        ['/categories', { name: 'Cats' }, '/categories/2'],
        ['/store/orders', { petId: 1 }, '/store/orders/1'],
      ] as const) {
        const answer = await store.post(`${basePath}${path}`, body);
        expect(answer.header('location')).to.equal(`${base}${location}`);
        expect((await store.get(passedOn(answer.header('location')))).status).to.equal(200);
      }
    });

    it('every Link is absolute', async () => {
      const first = await store.get(`${basePath}/pets?limit=1&sort=-id`);
      const { first: self, next } = linksOf(first);
      const deprecated = await store.get(`${basePath}/pets/1`);

      expect(self).to.equal(`${base}/pets?limit=1&sort=-id`);
      expect((await store.get<{ id: number }[]>(passedOn(next))).body.map(({ id }) => id)).to.deep.equal([1]);
      expect(deprecated.header('link')).to.equal(`<${base}/store/pets/1>; rel="successor-version"`);
      store.clock.set(Date.UTC(2028, 0, 1));
      const withdrawn = refused(await store.get(`${basePath}/pets/1`), 410, 'operation_withdrawn');
      expect(withdrawn.message).to.include(`${base}/store/pets/1`);
    });

    it('the links are the same for a request in absolute form', async () => {
      const answer = await store.get(`http://localhost${basePath}/pets?limit=1`);

      expect(linksOf(answer)['first']).to.equal(`${base}/pets?limit=1`);
    });

    it('a retry gets the Location of the first response', async () => {
      const send = () => store.post(`${basePath}/pets`, { name: 'Tim', categoryId: 1 }, { 'Idempotency-Key': 'k' });
      const [first, again] = [await send(), await send()];

      expect(again.header('idempotent-replayed')).to.equal('true');
      expect(first.header('location')).to.equal(`${base}/store/pets/3`);
      expect(again.header('location')).to.equal(first.header('location'));
      expect(again.header('etag')).to.equal(first.header('etag'));
    });

    it('the document names it as its server', () => {
      expect(store.document.servers.map(({ url }) => url)).to.deep.equal([base]);
    });
  });
}
