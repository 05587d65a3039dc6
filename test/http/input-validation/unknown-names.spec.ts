import { expect } from 'chai';
import { type ErrorFacts, placesOf, refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

describe('An unknown name', () => {
  const store = runningPetstore();

  beforeEach(() => store.pet());

  const raw = (method: string, path: string, content: string) =>
    store.send(method, path, { headers: { 'Content-Type': 'application/json' }, content });

  describe('as a field of a body', () => {
    it('is refused and named, for every operation with a body', async () => {
      await store.order({ petId: 1 });
      const bodies: [method: string, path: string, body: string, pointer: string][] = [
        ['POST', '/pets', '{"name":"Tom","categoryId":1,"naem":1}', '/naem'],
        ['POST', '/pets/batch', '[{"name":"Tom","categoryId":1},{"name":"Tom","categoryId":1,"naem":1}]', '/1/naem'],
        ['PUT', '/store/pets/1', '{"name":"Tom","categoryId":1,"petId":1}', '/petId'],
        ['PATCH', '/store/pets/1', '{"name":"Tom","naem":1}', '/naem'],
        ['POST', '/categories', '{"name":"Cats","naem":1}', '/naem'],
        ['PUT', '/categories/1', '{"name":"Cats","naem":1}', '/naem'],
        ['PATCH', '/categories/1', '{"name":"Cats","naem":1}', '/naem'],
        ['POST', '/store/orders', '{"petId":1,"ammount":1}', '/ammount'],
        ['PATCH', '/store/orders/1', '{"quantity":1,"ammount":1}', '/ammount'],
        ['PUT', '/store/inventory/1', '{"quantity":1,"ammount":1}', '/ammount'],
      ];
      for (const [method, path, body, pointer] of bodies) {
        const error = refused(await raw(method, path, body), 422, 'validation_failed');
        expect(placesOf(error), path).to.deep.equal([pointer]);
        expect(error.details?.[0]?.code).to.equal('unknown_field');
      }
      expect((await store.get('/store/pets/1')).body).to.include({ name: 'Rex' });
    });

    it("is refused like any other if it is a name of JavaScript's own", async () => {
      for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__']) {
        const body = `{"name":"Tom","categoryId":1,"${name}":{"status":"sold"}}`;
        expect(placesOf(refused(await raw('POST', '/pets', body), 422, 'validation_failed'))).to.deep.equal([
          `/${name}`,
        ]);
        refused(await raw('PATCH', '/store/pets/1', `{"${name}":null}`), 422, 'validation_failed');
        refused(await raw('POST', '/pets', `{"${name}":{"name":"Tom","categoryId":1}}`), 422, 'validation_failed');
      }
      expect({}).to.not.have.property('status');
    });

    it('is referred to with the escapes of RFC 6901', async () => {
      const error = refused(
        await raw('POST', '/categories', '{"name":"Cats","a/b~c":1,"":2}'),
        422,
        'validation_failed',
      );

      expect(placesOf(error)).to.deep.equal(['/a~1b~0c', '/']);
    });

    it('is shortened when it is very long, never inside a character', async () => {
      const error = refused(
        await raw('POST', '/categories', `{"name":"Cats","x${'🐶'.repeat(5000)}":1,"\\ud800":1}`),
        422,
        'validation_failed',
      );

      expect(JSON.stringify(error)).to.have.length.below(2000);
      expect(error.details).to.have.lengthOf(2);
      for (const { pointer = '', message } of error.details ?? []) {
        expect([pointer.isWellFormed(), message.isWellFormed()]).to.deep.equal([true, true]);
      }
    });

    it('is reported together with all other faults, up to 50', async () => {
      const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`field${i}`, i]));
      const few = { name: '', description: 7, colour: 'red', size: 1 };

      expect(placesOf(refused(await store.post('/categories', few), 422, 'validation_failed'))).to.have.members([
        '/name',
        '/description',
        '/colour',
        '/size',
      ]);
      const error = refused(await store.post('/categories', many), 422, 'validation_failed');
      expect(error.details).to.have.lengthOf(50);
      const pets = Array.from({ length: 100 }, () => ({ name: '', categoryId: 0 }));
      expect(refused(await store.post('/pets/batch', pets), 422, 'validation_failed').details).to.have.lengthOf(50);
    });
  });

  describe('as a parameter of a query', () => {
    it('is refused and named, for every operation', async () => {
      await store.order({ petId: 1 });
      const asked: [method: string, path: string, body?: string][] = [
        ['GET', '/pets'],
        ['POST', '/pets', '{"name":"Tom","categoryId":1}'],
        ['POST', '/pets/batch', '[{"name":"Tom","categoryId":1}]'],
        ['GET', '/pets/1'],
        ['GET', '/store/pets/1'],
        ['PUT', '/store/pets/1', '{"name":"Tom","categoryId":1}'],
        ['PATCH', '/store/pets/1', '{"name":"Tom"}'],
        ['DELETE', '/store/pets/1'],
        ['GET', '/categories'],
        ['POST', '/categories', '{"name":"Cats"}'],
        ['DELETE', '/categories/1'],
        ['GET', '/store/orders'],
        ['POST', '/store/orders', '{"petId":1}'],
        ['GET', '/store/orders/1'],
        ['DELETE', '/store/orders/1'],
        ['GET', '/store/inventory'],
        ['GET', '/store/inventory/summary'],
        ['GET', '/store/inventory/1'],
        ['GET', '/store/inventory/1/movements'],
      ];
      for (const [method, path, body] of asked) {
        const answer =
          body === undefined
            ? await store.send(method, `${path}?stauts=sold`)
            : await raw(method, `${path}?stauts=sold`, body);
        const error = refused(answer, 400, 'unknown_parameter');
        expect(placesOf(error), `${method} ${path}`).to.deep.equal(['stauts']);
      }
    });

    it('is refused in another case, with brackets, or as a name of JavaScript', async () => {
      for (const name of ['Status', 'status[]', 'offset', 'page', '__proto__', 'constructor', 'toString', '']) {
        const error = refused(await store.get(`/pets?${encodeURIComponent(name)}=1`), 400, 'unknown_parameter');
        expect(placesOf(error)).to.deep.equal([name]);
      }
    });

    it('is reported together with all other faults of the query', async () => {
      const answer = await store.get<ErrorFacts>(
        '/pets?stauts=sold&limit=0&sort=age&naem=x&status=&categoryId=1&categoryId=2',
      );

      const error = refused(answer, 400, 'unknown_parameter');
      expect(placesOf(error)).to.have.members(['stauts', 'naem', 'limit', 'sort', 'status', 'categoryId']);
      const several = refused(await store.get('/pets?limit=0&sort=age&status='), 400, 'invalid_parameter');
      expect(placesOf(several)).to.have.members(['limit', 'sort', 'status']);
    });

    it('is one of at most 50 that are reported', async () => {
      const query = Array.from({ length: 60 }, (_, i) => `p${i}=1`).join('&');

      expect(refused(await store.get(`/pets?${query}`), 400, 'unknown_parameter').details).to.have.lengthOf(50);
    });
  });
});
