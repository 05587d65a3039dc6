import { expect } from 'chai';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';
import { sent } from './raw-requests.ts';

const SHOP = 'https://shop.example';
const preflightFor = (method: string, headers = 'content-type, if-match') => ({
  Origin: SHOP,
  'Access-Control-Request-Method': method,
  'Access-Control-Request-Headers': headers,
});

const LOOPBACK = [
  'http://localhost',
  'http://localhost:3000',
  'https://localhost:8443',
  'http://shop.localhost:5173',
  'http://a.b-c.localhost',
  'http://127.0.0.1',
  'http://127.8.255.1:3000',
  'http://[::1]:3000',
  'https://[::1]',
];
const ELSEWHERE = [
  'https://evil.example',
  'http://localhost.evil.example',
  'http://evillocalhost',
  'http://127.0.0.1.evil.example',
  'http://127.0.0.256',
  'http://128.0.0.1',
  'http://0.0.0.0:8080',
  'http://192.168.0.1',
  'http://[::2]',
  'http://user@localhost',
  'http://localhost:3000/',
  'ftp://localhost',
  'file://',
  'null',
  'localhost',
];

describe('A browser on another origin', () => {
  describe('while authentication is off', () => {
    const store = runningPetstore();

    it('may call from a page on this machine', async () => {
      for (const origin of LOOPBACK) {
        const answer = await store.get('/pets', { Origin: origin });
        expect(answer.header('access-control-allow-origin'), origin).to.equal(origin);
        expect(answer.header('vary')).to.equal('Origin');
        const preflight = await store.send('OPTIONS', '/pets', {
          headers: { ...preflightFor('POST'), Origin: origin },
        });
        expect(preflight.header('access-control-allow-origin')).to.equal(origin);
        expect(preflight.header('access-control-allow-methods')).to.include('POST');
      }
    });

    it('may not call from any other page', async () => {
      for (const origin of ELSEWHERE) {
        const answer = await store.get('/pets', { Origin: origin });
        expect(answer.header('access-control-allow-origin'), origin).to.equal(undefined);
        expect(answer.header('vary')).to.equal('Origin');
      }
    });
  });

  describe('while authentication is on', () => {
    const store = runningPetstore({ auth: ['api-key'] });

    it('may not call from any page', async () => {
      for (const origin of [...LOOPBACK, ...ELSEWHERE]) {
        const answer = await store.get('/pets', { Origin: origin });
        expect(answer.status).to.equal(401);
        expect(answer.header('access-control-allow-origin'), origin).to.equal(undefined);
        const preflight = await store.send('OPTIONS', '/pets', {
          headers: { ...preflightFor('POST'), Origin: origin },
        });
        expect(preflight.rawHeaders.filter((name) => /^access-control/i.test(name))).to.deep.equal([]);
      }
    });
  });

  describe('when all origins are allowed', () => {
    const store = runningPetstore({ corsOrigins: '*', corsHeaders: ['X-Client-Version', 'x-tenant'] });

    it('may read every response, errors included', async () => {
      await store.pet();

      for (const target of [
        '/pets',
        '/store/pets/1',
        '/store/pets/9',
        '/pets?x=1',
        '/nowhere',
        '/openapi.json',
        '/errors/not_found',
      ]) {
        const answer = await store.get(target, { Origin: SHOP });
        expect(answer.header('access-control-allow-origin'), target).to.equal('*');
        expect(answer.header('access-control-allow-credentials')).to.equal(undefined);
      }
      const notModified = await store.get('/pets', { Origin: SHOP, 'If-None-Match': '*' });
      expect([notModified.status, notModified.header('access-control-allow-origin')]).to.deep.equal([304, '*']);
    });

    it('may read every documented header', async () => {
      const exposed = (await store.get('/pets', { Origin: SHOP })).header('access-control-expose-headers')?.split(', ');

      const declared = Object.keys(store.document.components.headers).filter(
        (name) => !['PageETag', 'PageLink', 'SuccessorLink', 'RetryAfterProgress'].includes(name),
      );
      expect(exposed).to.include.members(declared);
      expect(exposed).to.include.members(['Allow', 'Petstore-Event-Position', 'Petstore-Fault']);
    });

    it('may send a preflight', async () => {
      for (const [path, methods] of [
        ['/pets', ['GET', 'HEAD', 'POST']],
        ['/store/pets/1', ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']],
        ['/store/orders/1', ['GET', 'HEAD', 'PATCH', 'DELETE']],
      ] as const) {
        const answer = await store.send('OPTIONS', path, { headers: preflightFor('PATCH') });
        expect(answer.status).to.equal(204);
        expect(answer.header('access-control-allow-origin')).to.equal('*');
        expect(answer.header('access-control-allow-methods')?.split(', ')).to.include.members([...methods]);
        expect(Number(answer.header('access-control-max-age'))).to.be.above(0);
      }
    });

    it('may send every header that the interface reads', async () => {
      const answer = await store.send('OPTIONS', '/pets', { headers: preflightFor('POST') });
      const allowed = (answer.header('access-control-allow-headers') ?? '').toLowerCase().split(', ');

      const taken = Object.values(store.document.paths)
        .flatMap((operations) => Object.values(operations))
        .flatMap((operation) => store.check.parametersOf(operation).filter((parameter) => parameter.in === 'header'))
        .map(({ name }) => name.toLowerCase());
      expect(allowed).to.include.members([
        ...new Set(taken),
        ...['content-type', 'accept', 'x-request-id', 'authorization', 'x-api-key', 'last-event-id'],
        ...['traceparent', 'tracestate', 'baggage', 'cache-control', 'pragma', 'x-requested-with'],
      ]);
      expect(allowed, 'and those that were set').to.include.members(['x-client-version', 'x-tenant']);
    });

    it('may also read responses to requests without Origin, which a cache may serve to it', async () => {
      for (const target of ['/pets', '/store/pets/9', '/nowhere', '/openapi.json']) {
        const answer = await store.get(target);
        expect(answer.header('access-control-allow-origin'), target).to.equal('*');
        expect(answer.header('access-control-expose-headers')).to.include('ETag');
        expect(answer.header('vary') ?? '').to.not.include('Origin');
      }
      const unreadable = await sent(store, 'good morning\r\n\r\n');
      expect(unreadable?.status).to.equal(400);
      expect(unreadable?.headers.get('access-control-allow-origin')).to.equal('*');
    });

    it('gets no preflight response to a plain OPTIONS', async () => {
      const options = await store.send('OPTIONS', '/pets', { headers: { Origin: SHOP } });

      expect(options.header('access-control-allow-methods')).to.equal(undefined);
      refused(await store.send('OPTIONS', '/nowhere', { headers: preflightFor('GET') }), 404, 'not_found');
    });
  });

  describe('when some origins are allowed', () => {
    const store = runningPetstore({ corsOrigins: [SHOP, 'http://localhost:3000'] });

    it('may call from those', async () => {
      for (const origin of [SHOP, 'http://localhost:3000']) {
        const answer = await store.get('/pets', { Origin: origin });
        expect(answer.header('access-control-allow-origin')).to.equal(origin);
        expect(answer.header('vary')).to.include('Origin');
        const preflight = await store.send('OPTIONS', '/pets', {
          headers: { ...preflightFor('POST'), Origin: origin },
        });
        expect(preflight.header('access-control-allow-origin')).to.equal(origin);
      }
    });

    it('may not call from any other', async () => {
      for (const origin of [
        'https://evil.example',
        'https://shop.example.evil',
        'http://shop.example',
        'null',
        `${SHOP}:8443`,
        `${SHOP}/`,
      ]) {
        const answer = await store.get('/pets', { Origin: origin });
        expect(answer.header('access-control-allow-origin'), origin).to.equal(undefined);
        const preflight = await store.send('OPTIONS', '/pets', {
          headers: { ...preflightFor('POST'), Origin: origin },
        });
        expect(preflight.status).to.equal(204);
        expect(preflight.header('vary')).to.equal('Origin');
        expect(preflight.rawHeaders.filter((name) => /^access-control/i.test(name))).to.deep.equal([]);
      }
    });

    it('never gets a cached response for another origin: every response varies with the origin', async () => {
      for (const headers of [{}, { Origin: SHOP }, { Origin: 'https://evil.example' }]) {
        expect((await store.get('/pets', headers)).header('vary')).to.include('Origin');
        expect((await store.get('/store/pets/9', headers)).header('vary'))
          .to.include('Origin')
          .and.to.include('Accept');
      }
      const unreadable = await sent(store, `good morning\r\nOrigin: ${SHOP}\r\n\r\n`);
      expect(unreadable?.headers.get('vary')).to.equal('Origin');
    });
  });
});
