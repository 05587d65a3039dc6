import { expect } from 'chai';
import { KeyDesk } from '../../../src/application/key-desk.ts';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';
import { SharedCache } from '../../support/shared-cache.ts';
import { request, sent } from './raw-requests.ts';

const SHOP = 'https://shop.example';
const LONG = 'Ä dog. '.repeat(140).trim();

/** One request for each layer that can respond. */
const REQUESTS: readonly (readonly [method: string, target: string, headers?: Record<string, string>])[] = [
  ['GET', '/pets'],
  ['HEAD', '/store/pets/1'],
  ['GET', '/store/pets/1', { 'If-None-Match': '*' }],
  ['GET', '/pets/1'],
  ['GET', '/store/pets/999'],
  ['GET', '/pets?x=1'],
  ['GET', '/pets', { Accept: 'text/html' }],
  ['POST', '/pets'],
  ['PUT', '/pets'],
  ['PATCH', '/store/pets/1', { 'Content-Type': 'text/plain' }],
  ['DELETE', '/store/pets/1', { 'If-Match': '"x"' }],
  ['OPTIONS', '/pets'],
  ['OPTIONS', '/pets', { Origin: 'http://localhost', 'Access-Control-Request-Method': 'POST' }],
  ['GET', '/nowhere'],
  ['GET', '/%'],
  ['GET', `/${'x'.repeat(9000)}`],
  ['GET', '/pets', { Authorization: 'Bearer x' }],
];

/** Requests that the parser refuses. */
const UNREADABLE = ['good morning\r\n\r\n', request('GET /pets', 'Content-Length: x'), request('CONNECT a:1')];

describe('Cache-Control', () => {
  describe('while authentication is off', () => {
    const store = runningPetstore();

    it('is no-cache on every response of the interface', async () => {
      await store.pet();
      const statuses = new Set<number>();
      for (const [method, target, headers] of REQUESTS) {
        const answer = await store.send(method, target, { ...(headers && { headers }) });
        expect(answer.header('cache-control'), `${method} ${target.slice(0, 40)} ${answer.status}`).to.equal(
          'no-cache',
        );
        statuses.add(answer.status);
      }
      expect([...statuses]).to.include.members([200, 204, 304, 400, 404, 405, 406, 412, 414, 415]);
      for (const bytes of UNREADABLE) {
        expect((await sent(store, bytes))?.headers.get('cache-control'), bytes).to.equal('no-cache');
      }
    });

    it('lets caches store the document and its pages, and nothing that changes', async () => {
      for (const page of ['/openapi.json', '/docs', '/docs/start.js', '/errors/not_found', '/errors/nothing']) {
        expect((await store.get(page)).header('cache-control'), page).to.equal('no-cache');
      }
      for (const page of ['/health/live', '/health/ready', '/metrics']) {
        expect((await store.get(page)).header('cache-control'), page).to.equal('no-store');
      }
    });
  });

  describe('while authentication is on', () => {
    const store = runningPetstore({ auth: ['api-key'], rateBurst: 200 });

    it('is private, no-cache on every response of the interface', async () => {
      const { secret } = await store.petstore.container.get(KeyDesk).issue({ name: 'all', scopes: ['admin'] });
      const narrow = await store.petstore.container.get(KeyDesk).issue({ name: 'few', scopes: ['pets:read'] });
      await store.post('/categories', { name: 'Dogs' }, { 'X-API-Key': secret });
      await store.post('/pets', { name: 'Rex', categoryId: 1 }, { 'X-API-Key': secret });
      const statuses = new Set<number>();
      for (const key of [secret, narrow.secret, 'wrong']) {
        for (const [method, target, headers] of REQUESTS) {
          const answer = await store.send(method, target, { headers: { 'X-API-Key': key, ...headers } });
          expect(answer.header('cache-control'), `${method} ${target.slice(0, 40)}`).to.equal('private, no-cache');
          statuses.add(answer.status);
        }
      }
      expect([...statuses]).to.include.members([200, 304, 400, 401, 403, 404]);
      for (const bytes of UNREADABLE) {
        expect((await sent(store, bytes))?.headers.get('cache-control'), bytes).to.equal('private, no-cache');
      }
    });

    it('lets caches share the public pages', async () => {
      expect((await store.get('/openapi.json')).header('cache-control')).to.equal('no-cache');
      const metrics = await store.get('/metrics');
      refused(metrics, 401, 'unauthenticated');
      expect(metrics.header('cache-control')).to.equal('no-store');
    });
  });

  describe('while rate limits are on', () => {
    const store = runningPetstore({ rateLimit: true, rateBurst: 1, ratePerMinute: 1 });

    it('is on refusals too', async () => {
      await store.get('/pets');
      const answer = await store.get('/pets');

      refused(answer, 429, 'rate_limited');
      expect(answer.header('cache-control')).to.equal('no-cache');
    });
  });
});

describe('A shared cache that follows RFC 9111', () => {
  describe('while authentication is on', () => {
    const store = runningPetstore({ auth: ['api-key'] });

    it('never serves a caller the response of another', async () => {
      const desk = store.petstore.container.get(KeyDesk);
      const [one, other] = [
        await desk.issue({ name: 'one', scopes: ['admin'] }),
        await desk.issue({ name: 'other', scopes: ['store:read'] }),
      ];
      await store.post('/categories', { name: 'Dogs' }, { 'X-API-Key': one.secret });
      const cache = new SharedCache(store);

      for (const headersOf of [
        (secret: string) => ({ 'X-API-Key': secret }),
        (secret: string) => ({ Authorization: `Bearer ${secret}` }),
      ]) {
        for (const target of ['/categories', '/categories/1']) {
          expect((await cache.get(target, headersOf(one.secret))).status).to.equal(200);
          expect((await cache.get(target, headersOf(other.secret))).status).to.equal(403);
          expect((await cache.get(target)).status).to.equal(401);
          expect((await cache.get(target, headersOf(one.secret))).status).to.equal(200);
        }
      }
      expect(cache.kept).to.equal(0);
    });
  });

  describe('while authentication is off', () => {
    const store = runningPetstore({ corsOrigins: ['https://other.example', SHOP] });

    it('serves a stored response only as long as it is current', async () => {
      await store.category('Dogs', LONG);
      const cache = new SharedCache(store);
      await cache.get('/categories/1');
      const again = await cache.get<{ name: string }>('/categories/1');
      await store.patch('/categories/1', { name: 'Cats' });
      const changed = await cache.get<{ name: string }>('/categories/1');

      expect([again.body.name, changed.body.name]).to.deep.equal(['Dogs', 'Cats']);
      expect(cache.confirmed, 'with 304').to.equal(1);
    });

    it('serves each client the coding that it accepts, and each origin its own headers', async () => {
      await store.category('Dogs', LONG);
      const cache = new SharedCache(store);
      const seen = async (headers: Record<string, string>) => {
        const answer = await cache.get('/categories/1', headers);
        return [answer.header('content-encoding'), answer.header('access-control-allow-origin')];
      };

      for (let round = 0; round < 2; round += 1) {
        expect(await seen({})).to.deep.equal([undefined, undefined]);
        expect(await seen({ 'Accept-Encoding': 'gzip' })).to.deep.equal(['gzip', undefined]);
        expect(await seen({ 'Accept-Encoding': 'br', Origin: SHOP })).to.deep.equal(['br', SHOP]);
        expect(await seen({ Origin: 'https://other.example' })).to.deep.equal([undefined, 'https://other.example']);
      }
      expect(cache.confirmed).to.equal(4);
    });
  });

  describe('where all origins may call', () => {
    const store = runningPetstore({ corsOrigins: '*' });

    it('never serves a browser a response without CORS headers', async () => {
      await store.category();
      const cache = new SharedCache(store);
      await cache.get('/categories/1');
      const browser = await cache.get('/categories/1', { Origin: SHOP });

      expect(browser.header('access-control-allow-origin')).to.equal('*');
      expect(cache.confirmed).to.equal(1);
    });
  });
});
