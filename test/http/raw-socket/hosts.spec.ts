import { expect } from 'chai';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';
import { sent } from './raw-requests.ts';

/** Requests that would be answered with 200, 204, 404, 405, 406, 414, 415, and by every kind of endpoint. */
const REQUESTS: [method: string, target: string, headers?: Record<string, string>][] = [
  ['GET', '/pets'],
  ['HEAD', '/pets'],
  ['POST', '/categories'],
  ['POST', '/categories', { Expect: '100-continue', 'Content-Length': '20' }],
  ['GET', '/pets/1'],
  ['GET', '/nowhere'],
  ['PUT', '/pets'],
  ['OPTIONS', '/pets'],
  ['OPTIONS', '*'],
  ['GET', '/pets', { Accept: 'text/html' }],
  ['GET', `/pets?name=${'x'.repeat(9000)}`],
  ['GET', '/health/live'],
  ['GET', '/health/ready'],
  ['GET', '/metrics'],
  ['GET', '/docs'],
  ['GET', '/openapi.json'],
  ['GET', '/errors/forbidden_host'],
];

const LOOPBACK = [
  'localhost',
  'localhost:8080',
  'LocalHost:',
  'shop.localhost',
  'a.b.localhost:3000',
  '127.0.0.1',
  '127.0.0.1:80',
  '127.255.3.4:8080',
  '[::1]',
  '[::1]:8080',
];

const FOREIGN = [
  ':8080',
  'evil.example',
  'evil.example:8080',
  'localhost.evil.example',
  'notlocalhost',
  'localhost.',
  '127.0.0.1.evil.example',
  '127.0.0.256',
  '127.1',
  '128.0.0.1',
  '0.0.0.0',
  '192.168.1.7:8080',
  '[::]',
  '[::2]:8080',
  '[fd00::7]:8080',
  'shop.example:81',
];

describe('The Host of a request', () => {
  describe('while authentication is off', () => {
    const store = runningPetstore({ allowedHosts: ['pets.test', 'Shop.example:80', '[fd00::8]'] });
    const statusFor = async (Host: string) => (await store.get('/pets', { Host })).status;

    it("is refused before every other check if it is another machine's", async () => {
      for (const [method, target, headers] of REQUESTS) {
        const answer = await store.send(method, target, { headers: { ...headers, Host: 'evil.example' } });

        expect(answer.status, `${method} ${target.slice(0, 80)}`).to.equal(403);
        if (method === 'HEAD') continue;
        const { message } = refused(answer, 403, 'forbidden_host');
        expect(message).to.include('"evil.example"').and.to.include('PETSTORE_ALLOWED_HOSTS');
      }
      expect((await store.get('/categories')).body).to.deep.equal([]);
    });

    it('is accepted if it names this machine, with any port', async () => {
      for (const host of LOOPBACK) expect(await statusFor(host), host).to.equal(200);
    });

    it('is refused if it only resembles such a name', async () => {
      for (const host of FOREIGN) expect(await statusFor(host), host).to.equal(403);
    });

    it('is accepted if it is listed, with the listed port or with any', async () => {
      for (const host of ['pets.test', 'PETS.test:9', 'shop.example:80', '[fd00::8]:8080']) {
        expect(await statusFor(host), host).to.equal(200);
      }
      for (const host of ['a.pets.test', 'shop.example', 'shop.example:8080', '[fd00::8]x']) {
        expect(await statusFor(host), host).to.not.equal(200);
      }
    });

    it('is 400 if it is malformed, given twice or missing, and may be missing in HTTP/1.0', async () => {
      const statusOf = async (...lines: string[]) => (await sent(store, [...lines, '', ''].join('\r\n')))?.status;

      expect(await statusOf('GET /pets HTTP/1.1', 'Host: me@evil.example')).to.equal(400);
      expect(await statusOf('GET /pets HTTP/1.1', 'Host: evil.example', 'Host: localhost')).to.equal(400);
      expect(await statusOf('GET /pets HTTP/1.1')).to.equal(400);
      expect(await statusOf('GET /pets HTTP/1.0')).to.equal(200);
      expect(await statusOf('GET /pets HTTP/1.0', 'Host: evil.example')).to.equal(403);
      expect(await statusOf('GET /pets HTTP/1.1', 'Host:')).to.equal(403);
    });

    it('is checked also for CONNECT and for a target in absolute form', async () => {
      const statusOf = async (line: string, host: string) =>
        (await sent(store, `${line} HTTP/1.1\r\nHost: ${host}\r\n\r\n`))?.status;

      expect(await statusOf('CONNECT localhost:80', 'evil.example')).to.equal(403);
      expect(await statusOf('CONNECT evil.example:80', 'localhost')).to.equal(405);
      expect(await statusOf('GET http://localhost/pets', 'evil.example')).to.equal(403);
      expect(await statusOf('GET http://evil.example/pets', 'localhost')).to.equal(200);
    });

    it('is documented', () => {
      for (const methods of Object.values(store.document.paths)) {
        for (const { responses } of Object.values(methods)) {
          expect(store.check.codesOf(responses['403'] ?? { description: '' })).to.deep.equal(['forbidden_host']);
        }
      }
    });
  });

  describe('while authentication is off and rates are limited', () => {
    const store = runningPetstore({ rateLimit: true, ratePerMinute: 6, rateBurst: 5 });

    it('is refused without being counted', async () => {
      for (let i = 0; i < 10; i++) {
        refused(await store.get('/pets', { Host: 'evil.example' }), 403, 'forbidden_host');
      }

      expect((await store.get('/pets')).status).to.equal(200);
    });
  });

  for (const circumstances of [{ auth: ['api-key'] as const }, { openNetwork: true }]) {
    describe(`with ${JSON.stringify(circumstances)}`, () => {
      const store = runningPetstore(circumstances);

      it('is not checked, and not documented', async () => {
        for (const host of [...FOREIGN, ...LOOPBACK]) {
          expect((await store.get('/health/live', { Host: host })).status, host).to.equal(200);
        }
        expect(JSON.stringify(store.document)).to.not.include('forbidden_host');
      });
    });
  }
});
