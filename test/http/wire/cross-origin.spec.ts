import { expect } from 'chai';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

const SHOP = 'https://shop.example';
const preflightFor = (method: string, headers = 'content-type, if-match') => ({
  Origin: SHOP,
  'Access-Control-Request-Method': method,
  'Access-Control-Request-Headers': headers,
});

describe('A browser on another origin', () => {
  describe('by default', () => {
    const store = runningPetstore();

    it('may read every answer, errors included', async () => {
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

    it('may see every header that the interface speaks of', async () => {
      const exposed = (await store.get('/pets', { Origin: SHOP })).header('access-control-expose-headers')?.split(', ');

      const declared = Object.keys(store.document.components.headers).filter(
        (name) => !['SuccessorLink', 'RetryAfterProgress'].includes(name),
      );
      expect(exposed).to.include.members(declared.filter((name) => !['Vary', 'Accept'].includes(name)));
      expect(exposed).to.include('Allow');
    });

    it('may ask before it sends', async () => {
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

    it('may send every header that the interface takes', async () => {
      const answer = await store.send('OPTIONS', '/pets', { headers: preflightFor('POST') });
      const allowed = (answer.header('access-control-allow-headers') ?? '').toLowerCase().split(', ');

      const taken = Object.values(store.document.paths)
        .flatMap((operations) => Object.values(operations))
        .flatMap(({ parameters }) => parameters.filter((parameter) => parameter.in === 'header'))
        .map(({ name }) => name.toLowerCase());
      expect(allowed).to.include.members([...new Set(taken), 'content-type', 'accept', 'x-request-id']);
    });

    it('gets no word of it where nobody asks across origins', async () => {
      const plain = await store.get('/pets');
      const options = await store.send('OPTIONS', '/pets', { headers: { Origin: SHOP } });

      expect(plain.header('access-control-allow-origin')).to.equal(undefined);
      expect(options.header('access-control-allow-methods')).to.equal(undefined);
      refused(await store.send('OPTIONS', '/nowhere', { headers: preflightFor('GET') }), 404, 'not_found');
    });
  });

  describe('when only some origins may call', () => {
    const store = runningPetstore({ corsOrigins: [SHOP, 'http://localhost:3000'] });

    it('is let in from those', async () => {
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

    it('is not let in from any other', async () => {
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
        expect(preflight.header('access-control-allow-origin')).to.equal(undefined);
      }
    });

    it('is never given what a cache kept for another: every answer varies with the origin', async () => {
      for (const headers of [{}, { Origin: SHOP }, { Origin: 'https://evil.example' }]) {
        expect((await store.get('/pets', headers)).header('vary')).to.include('Origin');
        expect((await store.get('/store/pets/9', headers)).header('vary'))
          .to.include('Origin')
          .and.to.include('Accept');
      }
    });
  });
});
