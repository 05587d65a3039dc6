import { expect } from 'chai';
import type { PetBody } from '../../../src/api/schemas/schemas.ts';
import { type ErrorFacts, placesOf, refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

const LARGEST = '9007199254740991';
const TOO_LARGE = [
  '9007199254740992',
  '9007199254740993',
  '9223372036854775807',
  '18446744073709551617',
  '1'.repeat(400),
];
const NO_IDS = [
  '0',
  '-1',
  '00',
  '01',
  '1.0',
  '1e0',
  '+1',
  '0x1',
  'one',
  '1a',
  'NaN',
  'Infinity',
  'null',
  '%31%20',
  '１',
];
const PATHS = [
  '/pets/{id}',
  '/store/pets/{id}',
  '/categories/{id}',
  '/store/orders/{id}',
  '/store/inventory/{id}',
  '/store/inventory/{id}/movements',
];

describe('A number over HTTP', () => {
  const store = runningPetstore();

  const raw = (method: string, path: string, content: string) =>
    store.send<PetBody & ErrorFacts>(method, path, { headers: { 'Content-Type': 'application/json' }, content });

  describe('in a path', () => {
    it('may be the largest that every client holds exactly', async () => {
      for (const path of PATHS) expect((await store.get(path.replace('{id}', LARGEST))).status, path).to.equal(404);
    });

    it('may not be larger, and is never rounded to a neighbour', async () => {
      for (const path of PATHS) {
        for (const id of TOO_LARGE) {
          const error = refused(await store.get(path.replace('{id}', id)), 400, 'invalid_parameter');
          expect(error.message).to.include(id.slice(0, 16)).and.to.include(LARGEST);
        }
      }
    });

    it('must be written in its only form', async () => {
      for (const id of NO_IDS) {
        const error = refused(await store.get(`/store/pets/${encodeURI(id)}`), 400, 'invalid_parameter');
        expect(placesOf(error)).to.deep.equal(['petId']);
      }
    });

    it('is checked for every method', async () => {
      for (const path of ['/store/pets/x', '/categories/x', '/store/orders/x']) {
        refused(await store.patch(path, { quantity: 1 }), 400, 'invalid_parameter');
        refused(await store.delete(path), 400, 'invalid_parameter');
      }
      refused(await store.put('/store/inventory/x', { quantity: 1 }), 400, 'invalid_parameter');
    });
  });

  describe('in a query', () => {
    it('may be the largest id, not larger, and is never rounded', async () => {
      for (const parameter of ['/pets?id', '/pets?categoryId', '/store/orders?petId', '/store/inventory?petId']) {
        expect((await store.get(`${parameter}=${LARGEST}`)).body).to.deep.equal([]);
        for (const id of [...TOO_LARGE, '0', '-1', '1.0', 'x', '01', '%2B1']) {
          refused(await store.get(`${parameter}=${id}`), 400, 'invalid_parameter');
        }
      }
      refused(await store.get(`/pets?id=1,${TOO_LARGE[1]}`), 400, 'invalid_parameter');
    });

    it('must be within its limits', async () => {
      for (const limit of ['1', '100']) expect((await store.get(`/pets?limit=${limit}`)).status).to.equal(200);
      for (const limit of ['0', '101', '-1', '1.5', '1e1', 'all', '', '99999999999999999999']) {
        const error = refused(await store.get(`/pets?limit=${limit}`), 400, 'invalid_parameter');
        expect(placesOf(error)).to.deep.equal(['limit']);
      }
      expect((await store.get('/store/inventory?below=0')).status).to.equal(200);
      refused(await store.get('/store/inventory?below=-1'), 400, 'invalid_parameter');
    });
  });

  describe('in a body', () => {
    it('may be the largest id, not larger, and is never rounded', async () => {
      const order = (petId: string) => raw('POST', '/store/orders', `{"petId":${petId}}`);

      expect(refused(await order(LARGEST), 409, 'unknown_pet').message).to.include(LARGEST);
      for (const id of TOO_LARGE.slice(0, 4)) {
        expect(placesOf(refused(await order(id), 422, 'validation_failed'))).to.deep.equal(['/petId']);
      }
      refused(await order('1'.repeat(400)), 422, 'validation_failed');
      refused(await order('1e400'), 422, 'validation_failed');
      refused(await order('0'), 422, 'validation_failed');
      refused(await order('-1'), 422, 'validation_failed');
    });

    it('with a fraction that would be lost is never read as an integer', async () => {
      const order = (petId: string) => raw('POST', '/store/orders', `{"petId":${petId}}`);

      for (const id of [
        '9007199254740991.4',
        '1.00000000000000000001',
        '9007199254740990.6',
        '10000000000000000001e-19',
      ]) {
        expect([400, 422], id).to.include((await order(id)).status);
      }
      expect(placesOf(refused(await order('1.5'), 422, 'validation_failed'))).to.deep.equal(['/petId']);
    });

    it('may be written in every form that JSON has for an integer', async () => {
      await store.pet();

      for (const quantity of ['2', '2.0', '2e0', '20e-1', '0.2E1']) {
        const { status, text } = await raw('PUT', '/store/inventory/1', `{"quantity":${quantity}}`);
        expect(status, text).to.equal(200);
        expect(JSON.parse(text)).to.include({ quantity: 2 });
      }
    });

    it('is never converted from another type', async () => {
      await store.pet();

      for (const quantity of ['"7"', 'true', 'null', '[7]', '{}', '""']) {
        const error = refused(
          await raw('PUT', '/store/inventory/1', `{"quantity":${quantity}}`),
          422,
          'validation_failed',
        );
        expect(placesOf(error)).to.deep.equal(['/quantity']);
      }
      refused(await store.post('/store/orders', { petId: '1' }), 422, 'validation_failed');
      refused(await store.post('/store/orders', { petId: 1, complete: 'false' }), 422, 'validation_failed');
      refused(await store.post('/store/orders', { petId: 1, complete: 0 }), 422, 'validation_failed');
      refused(await store.post('/pets', { name: 7, categoryId: 1 }), 422, 'validation_failed');
      expect((await store.get('/store/inventory/1')).body).to.include({ quantity: 1 });
    });
  });
});
