import { expect } from 'chai';
import type { PetBody } from '../../../src/api/schemas/schemas.ts';
import { placesOf, refused } from '../../support/refusals.ts';
import { OVER_FETCH, runningPetstore } from '../../support/running-petstore.ts';

describe('A parameter', () => {
  const store = runningPetstore();

  const LISTS: [path: string, single: Record<string, string>, several: Record<string, string>][] = [
    ['/pets', { categoryId: '1', name: 'Rex', sort: 'name', limit: '5' }, { status: 'sold', id: '1' }],
    ['/categories', { name: 'Dogs', sort: '-name', limit: '5' }, {}],
    [
      '/store/orders',
      {
        petId: '1',
        complete: 'true',
        shipDateFrom: '2026-01-01T00:00:00Z',
        shipDateTo: '2027-01-01T00:00:00Z',
        sort: 'shipDate',
        limit: '5',
      },
      {},
    ],
    ['/store/inventory', { below: '5', sort: '-quantity', limit: '5' }, { status: 'sold', petId: '1' }],
    ['/store/inventory/1/movements', { limit: '5' }, {}],
    ['/store/pets/1', {}, { expand: 'category' }],
  ];

  beforeEach(() => store.pet());

  it('must not be empty', async () => {
    for (const [path, single, several] of LISTS) {
      for (const name of [...Object.keys(single), ...Object.keys(several)]) {
        for (const query of [`${name}=`, name]) {
          const error = refused(await store.get(`${path}?${query}`), 400, 'invalid_parameter');
          expect(placesOf(error), `${path}?${query}`).to.deep.equal([name]);
        }
      }
    }
    refused(await store.get('/pets?cursor='), 400, 'invalid_parameter');
  });

  it('must not contain an empty value, if it takes several', async () => {
    for (const [path, , several] of LISTS) {
      for (const [name, value] of Object.entries(several)) {
        for (const query of [
          `${name}=${value},`,
          `${name}=,${value}`,
          `${name}=${value},,${value}`,
          `${name}=${value}&${name}=`,
        ]) {
          const error = refused(await store.get(`${path}?${query}`), 400, 'invalid_parameter');
          expect(placesOf(error), `${path}?${query}`).to.deep.equal([name]);
        }
      }
    }
  });

  it('must not be repeated, unless it takes several values', async () => {
    for (const [path, single, several] of LISTS) {
      for (const [name, value] of Object.entries(single)) {
        for (const query of [`${name}=${value}&${name}=${value}`, `${name}=${value}&${name}=`]) {
          const error = refused(await store.get(`${path}?${query}`), 400, 'invalid_parameter');
          expect(placesOf(error), `${path}?${query}`).to.include(name);
        }
      }
      for (const [name, value] of Object.entries(several)) {
        expect((await store.get(`${path}?${name}=${value}&${name}=${value}`)).status).to.equal(200);
      }
    }
  });

  it('with one value accepts no list', async () => {
    for (const query of ['categoryId=1,2', 'sort=id,name', 'limit=1,2']) {
      refused(await store.get(`/pets?${query}`), 400, 'invalid_parameter');
    }
    expect((await store.get('/pets?name=Rex,Tom')).body).to.deep.equal([]);
  });

  it('must be one of its declared values, in the same case', async () => {
    for (const query of [
      '/pets?status=lost',
      '/pets?status=SOLD',
      '/pets?status=sold;available',
      '/pets?status=sold%20available',
      '/pets?status=%20sold',
      '/pets?sort=name%20',
      '/pets?sort=age',
      '/pets?sort=--id',
      '/pets?sort=ID',
      '/categories?sort=status',
      '/store/orders?sort=petId',
      '/store/orders?complete=yes',
      '/store/orders?complete=TRUE',
      '/store/orders?complete=1',
      '/store/inventory?sort=id',
      '/store/pets/1?expand=all',
    ]) {
      const error = refused(await store.get(query), 400, 'invalid_parameter');
      expect(error.details, query).to.have.lengthOf(1);
    }
    expect(refused(await store.get('/pets?sort=age'), 400, 'invalid_parameter').message).to.include('-name');
  });

  it('may be percent-encoded, in its name and in its value', async () => {
    const same = await store.get('/pets?status=available,sold&name=Rex');

    for (const query of ['st%61tus=available%2Csold&name=R%65x', 'status=%61vailable,sold&n%61me=%52ex']) {
      expect((await store.get(`/pets?${query}`)).body).to.deep.equal(same.body);
    }
    expect((await store.get('/pe%74s?status=available')).status).to.equal(200);
    expect((await store.get('/store/pets/%31')).body).to.include({ id: 1 });
  });

  it('reads a plus sign as a space, and an encoded one as a plus sign', async () => {
    await store.pet({ name: 'Rex two' });
    await store.pet({ name: 'Rex+two' });
    const names = async (query: string) =>
      (await store.get<PetBody[]>(`/pets?name=${query}`)).body.map(({ name }) => name);

    expect(await names('rex+two')).to.deep.equal(['Rex two']);
    expect(await names('rex%20two')).to.deep.equal(['Rex two']);
    expect(await names('rex%2Btwo')).to.deep.equal(['Rex+two']);
  });

  it('must be percent-encoded correctly', async () => {
    for (const target of ['/pets?name=%zz', '/pets?name=%', '/pets?name=%e4', '/pets?%ff=1', '/pets?name=%ed%a0%80']) {
      refused(await store.get(target), 400, 'malformed_request');
    }
    for (const target of ['/store/pets/%zz', '/store/pets/%e4', '/%', '/store/pets/%c0%af']) {
      refused(await store.get(target), 400, 'malformed_request');
    }
  });

  it('in the path is one segment, also with an encoded slash', async () => {
    refused(await store.get('/store/pets/1%2F'), 400, 'invalid_parameter');
    refused(await store.get('/store/inventory/1%2Fmovements'), 400, 'invalid_parameter');
    refused(await store.get('/store%2Fpets/1'), 404, 'not_found');
    refused(await store.get('/store/pets/..%2F1'), 400, 'invalid_parameter');
    // A Request has no such path: its URL resolves it.
    if (!OVER_FETCH) refused(await store.get('/store/inventory/../pets/1'), 404, 'not_found');
  });
});
