import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { placesOf, refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

const REX = '{"name":"Rex","categoryId":1}';

describe('A media type', () => {
  const store = runningPetstore();

  beforeEach(() => store.pet());

  const send = (method: string, path: string, headers: Record<string, string>, content: string | Uint8Array = REX) =>
    store.send(method, path, { headers, content });

  describe('of a body', () => {
    it('is application/json, however it is spelled, in UTF-8', async () => {
      for (const type of [
        'application/json',
        'Application/JSON',
        'application/json;charset=utf-8',
        'application/json; charset=UTF-8',
        'application/json; charset="utf-8"',
        'application/json ; charset=utf8',
        'application/json; odd=1',
      ]) {
        expect((await send('POST', '/pets', { 'Content-Type': type })).status, type).to.equal(201);
      }
    });

    it('is application/merge-patch+json as well for PATCH', async () => {
      for (const type of [
        'application/json',
        'application/merge-patch+json',
        'application/merge-patch+json; charset=utf-8',
      ]) {
        expect((await send('PATCH', '/store/pets/1', { 'Content-Type': type })).status, type).to.equal(200);
      }
    });

    it('is nothing else', async () => {
      for (const type of [
        'text/plain',
        'text/json',
        'application/xml',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/merge-patch+json',
        'application/vnd.api+json',
        'application/jsonx',
        'application/json; charset=iso-8859-1',
        'application/json; charset=utf-16',
        'application/json, text/plain',
        '*/*',
        '',
      ]) {
        for (const [method, path] of [
          ['POST', '/pets'],
          ['PUT', '/store/pets/1'],
          ['POST', '/store/orders'],
        ] as const) {
          const answer = await send(method, path, { 'Content-Type': type });
          refused(answer, 415, 'unsupported_media_type');
          expect(answer.header('accept')).to.equal('application/json');
          expect(answer.header('accept-patch')).to.equal(undefined);
        }
      }
      refused(await send('POST', '/pets', {}), 415, 'unsupported_media_type');
      expect((await store.get('/pets')).body).to.have.lengthOf(1);
    });

    it('that PATCH does not accept is answered with those that it accepts', async () => {
      for (const path of ['/store/pets/1', '/categories/1', '/store/orders/1']) {
        for (const type of [
          'application/json-patch+json',
          'text/plain',
          'application/merge-patch+json; charset=latin1',
        ]) {
          const answer = await send('PATCH', path, { 'Content-Type': type });
          refused(answer, 415, 'unsupported_media_type');
          expect(answer.header('accept-patch')).to.equal('application/json, application/merge-patch+json');
        }
      }
    });

    it('must not have a content coding', async () => {
      const type = { 'Content-Type': 'application/json' };

      for (const coding of ['gzip', 'br', 'deflate', 'zstd', 'gzip, identity']) {
        const answer = await send('POST', '/pets', { ...type, 'Content-Encoding': coding }, gzipSync(REX));
        expect(refused(answer, 415, 'unsupported_media_type').message).to.include(coding);
      }
      for (const coding of ['identity', 'Identity']) {
        expect((await send('POST', '/pets', { ...type, 'Content-Encoding': coding })).status).to.equal(201);
      }
    });
  });

  describe('of a response', () => {
    it('is JSON if the client accepts it', async () => {
      for (const accept of [
        '*/*',
        'application/*',
        'application/json',
        'APPLICATION/JSON',
        'text/html, application/json;q=0.1',
        'text/html;q=0.9, */*;q=0.1',
        'application/json;charset=utf-8',
        'application/problem+json',
      ]) {
        const answer = await store.get('/store/pets/1', { Accept: accept });
        expect([answer.status, answer.header('content-type')], accept).to.deep.equal([200, 'application/json']);
      }
    });

    it('is 406 if the client does not, before anything is done', async () => {
      for (const accept of [
        'text/html',
        'application/xml',
        'text/*',
        'application/json;q=0',
        '*/*;q=0',
        'application/json;q=0, */*',
      ]) {
        expect(refused(await store.get('/store/pets/1', { Accept: accept }), 406, 'not_acceptable').message).to.include(
          'application/json',
        );
        refused(await store.post('/pets', { name: 'Tom', categoryId: 1 }, { Accept: accept }), 406, 'not_acceptable');
        refused(await store.delete('/store/pets/1', { Accept: accept }), 406, 'not_acceptable');
      }
      expect((await store.get('/pets')).body).to.have.lengthOf(1);
    });
  });

  describe('of an error', () => {
    it('is that of RFC 9457 if the client asks for it, with the same facts', async () => {
      const headers = { Accept: 'application/problem+json', 'X-Request-Id': 'mine' };
      const plain = refused(
        await store.post('/pets', { name: 7 }, { 'X-Request-Id': 'mine' }),
        422,
        'validation_failed',
      );

      const answer = await store.post('/pets', { name: 7 }, headers);

      expect(answer.header('content-type')).to.equal('application/problem+json');
      expect(answer.header('vary')).to.include('Accept');
      const problem = refused(answer, 422, 'validation_failed');
      expect(problem).to.deep.equal({
        type: '/errors/validation_failed',
        title: 'Validation failed',
        detail: plain.message,
        ...plain,
      });
      expect(placesOf(problem)).to.deep.equal(placesOf(plain));
    });

    it('links to its explanation', async () => {
      const answer = await store.get<{ type: string }>('/store/pets/9', { Accept: 'application/problem+json' });

      const page = await store.get(answer.body.type);

      expect(page.status).to.equal(200);
      expect(page.body).to.include({ code: 'pet_not_found' });
    });

    it("follows the client's preference", async () => {
      const typeFor = async (accept: string) =>
        (await store.get('/store/pets/9', { Accept: accept })).header('content-type');

      expect(await typeFor('application/json, application/problem+json')).to.equal('application/problem+json');
      expect(await typeFor('application/problem+json;q=0.5, application/json')).to.equal('application/json');
      expect(await typeFor('application/problem+json;q=0, application/json')).to.equal('application/json');
      expect(await typeFor('application/problem+json;q=0.1, */*')).to.equal('application/problem+json');
      expect(await typeFor('application/*')).to.equal('application/json');
      expect(await typeFor('text/html')).to.equal('application/json');
    });

    it('is one of the two also where there is no operation', async () => {
      for (const [method, path, status] of [
        ['GET', '/nowhere', 404],
        ['POST', '/store/pets/1', 405],
        ['GET', `/pets?name=${'x'.repeat(9000)}`, 414],
        ['GET', '/errors/nothing', 404],
      ] as const) {
        const problem = await store.send(method, path, { headers: { Accept: 'application/problem+json' } });
        expect([problem.status, problem.header('content-type')]).to.deep.equal([status, 'application/problem+json']);
        const plain = await store.send(method, path);
        expect([plain.status, plain.header('content-type')]).to.deep.equal([status, 'application/json']);
      }
    });
  });
});
