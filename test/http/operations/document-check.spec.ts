import { expect } from 'chai';
import { DocumentBroken, type Exchanged } from '../../support/document-check.ts';
import { runningPetstore } from '../../support/running-petstore.ts';

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

describe('The check of every response against the document', () => {
  const store = runningPetstore();

  async function exchange(method: string, target: string): Promise<Exchanged> {
    const { status, rawHeaders, bytes } = await store.send(method, target);
    return { method, target, status, rawHeaders, body: bytes };
  }

  function faultsOf(exchanged: Exchanged): string {
    try {
      store.check.check(exchanged);
    } catch (error) {
      if (error instanceof DocumentBroken) return error.message;
      throw error;
    }
    return 'none';
  }

  const without = ({ rawHeaders }: Exchanged, name: string) => {
    const at = rawHeaders.findIndex((field, i) => i % 2 === 0 && field.toLowerCase() === name.toLowerCase());
    return at < 0 ? rawHeaders : rawHeaders.filter((_, i) => i !== at && i !== at + 1);
  };
  const withHeader = (exchanged: Exchanged, name: string, value: string) => [...without(exchanged, name), name, value];

  beforeEach(() => store.pet());

  it('accepts the real responses', async () => {
    for (const [method, target] of [
      ['GET', '/store/pets/1'],
      ['GET', '/store/pets/1?expand=category,inventory'],
      ['HEAD', '/store/pets/1'],
      ['GET', '/pets'],
      ['GET', '/pets/1'],
      ['GET', '/store/inventory/summary'],
      ['GET', '/store/pets/9'],
      ['GET', '/nowhere'],
      ['POST', '/store/pets/1'],
      ['OPTIONS', '/pets'],
      ['DELETE', '/store/pets/1'],
    ] as const) {
      expect(faultsOf(await exchange(method, target)), target).to.equal('none');
    }
  });

  const pet = { id: 1, name: 'Rex', categoryId: 1, status: 'available' };
  const wrongPets: [string, unknown, string][] = [
    ['a field that is not declared', { ...pet, colour: 'brown' }, 'additional properties'],
    ['a field that is missing', { id: 1, categoryId: 1 }, "required property 'name'"],
    ['null for a field without a value', { ...pet, status: null }, 'body/status'],
    ['a text for a number', { ...pet, id: '1' }, 'body/id must be integer'],
    ['an id that not every client can hold', { ...pet, id: 2 ** 53 }, 'body/id'],
    ['a status that does not exist', { ...pet, status: 'lost' }, 'body/status'],
    ['a name that is too long', { ...pet, name: 'x'.repeat(101) }, 'body/name'],
    ['a list for one', [pet], 'body must be object'],
    ['a fault inside of what was expanded', { ...pet, inventory: { petId: 1, status: 'sold' } }, 'body/inventory'],
  ];
  for (const [violation, body, message] of wrongPets) {
    it(`reports ${violation}`, async () => {
      const real = await exchange('GET', '/store/pets/1');

      expect(faultsOf({ ...real, body: json(body) })).to.include(message);
    });
  }

  it('reports a date-time that is not in UTC with milliseconds', async () => {
    await store.order({ petId: 1 });
    const real = await exchange('GET', '/store/orders/1');

    for (const shipDate of ['2026-12-24T09:00:00Z', '2026-12-24T09:00:00.000+00:00', '2026-02-30T09:00:00.000Z']) {
      expect(faultsOf({ ...real, body: json({ id: 1, shipDate }) }), shipDate).to.include('body/shipDate');
    }
  });

  it('reports a body that is not JSON, or missing', async () => {
    const real = await exchange('GET', '/store/pets/1');

    expect(faultsOf({ ...real, body: Buffer.from('{') })).to.include('no JSON');
    expect(faultsOf({ ...real, body: Buffer.from([0x22, 0xff, 0x22]) })).to.include('no JSON');
    expect(faultsOf({ ...real, body: Buffer.alloc(0) })).to.include('no JSON');
  });

  it('reports a body where none is declared', async () => {
    const head = await exchange('HEAD', '/store/pets/1');
    const gone = await exchange('DELETE', '/store/pets/1');

    expect(faultsOf({ ...head, body: json(pet) })).to.include('where none is declared');
    expect(faultsOf({ ...gone, body: json(pet) })).to.include('where none is declared');
    expect(faultsOf({ ...gone, rawHeaders: withHeader(gone, 'Content-Type', 'application/json') })).to.include(
      'has the type',
    );
  });

  it('reports a status that is not declared', async () => {
    const real = await exchange('GET', '/store/pets/1');

    expect(faultsOf({ ...real, status: 202 })).to.include('does not declare the status 202');
    expect(faultsOf({ ...real, status: 409 })).to.include('does not declare the status 409');
  });

  it('reports a media type that is not declared', async () => {
    const real = await exchange('GET', '/store/pets/1');

    expect(faultsOf({ ...real, rawHeaders: withHeader(real, 'Content-Type', 'text/html') })).to.include('text/html');
    expect(faultsOf({ ...real, rawHeaders: without(real, 'Content-Type') })).to.include('is not declared');
  });

  it('reports a missing header', async () => {
    const cases: [target: string, headers: string[]][] = [
      ['/store/pets/1', ['X-Request-Id', 'API-Version', 'ETag']],
      ['/pets', ['Link', 'ETag']],
      ['/pets/1', ['Deprecation', 'Sunset', 'Link']],
      ['/store/inventory/1/movements', ['Stability']],
      ['/nowhere', ['X-Request-Id', 'API-Version']],
      ['/health/live', ['X-Request-Id', 'API-Version']],
    ];
    for (const [target, headers] of cases) {
      const real = await exchange('GET', target);
      for (const name of headers) {
        expect(faultsOf({ ...real, rawHeaders: without(real, name) })).to.include(`there is no ${name}`);
      }
    }
  });

  it('reports a header that is not declared, or has another value', async () => {
    const real = await exchange('GET', '/store/pets/1');

    expect(faultsOf({ ...real, rawHeaders: withHeader(real, 'X-Powered-By', 'koa') })).to.include('x-powered-by');
    expect(faultsOf({ ...real, rawHeaders: withHeader(real, 'Location', '/x') })).to.include('location');
    expect(faultsOf({ ...real, rawHeaders: withHeader(real, 'API-Version', '2.0.0') })).to.include('API-Version');
  });

  it('reports an error that contradicts itself, or that the operation does not declare', async () => {
    const real = await exchange('GET', '/store/pets/9');
    const error = JSON.parse(real.body.toString());

    expect(faultsOf({ ...real, body: json({ ...error, status: 410 }) })).to.include('the body says 410');
    expect(faultsOf({ ...real, body: json({ ...error, code: 'order_not_found' }) })).to.include('order_not_found');
    expect(faultsOf({ ...real, body: json({ ...error, requestId: 'another' }) })).to.include('request id');
    expect(faultsOf({ ...real, body: json({ ...error, stack: 'at …' }) })).to.include('additional properties');
  });

  it('reports an error outside of the document that is not an Error', async () => {
    const nowhere = await exchange('GET', '/nowhere');
    const notAllowed = await exchange('POST', '/store/pets/1');

    expect(faultsOf({ ...nowhere, body: json({ message: 'no' }) })).to.include("required property 'code'");
    expect(faultsOf({ ...nowhere, rawHeaders: withHeader(nowhere, 'Content-Type', 'text/plain') })).to.include(
      'text/plain',
    );
    expect(faultsOf({ ...notAllowed, rawHeaders: without(notAllowed, 'Allow') })).to.include('Allow');
  });

  it('matches a concrete path before a template', () => {
    expect(store.check.operationOf('GET', '/store/inventory/summary')?.operation.operationId).to.equal(
      'getInventorySummary',
    );
    expect(store.check.operationOf('GET', '/store/inventory/7?x=1')?.operation.operationId).to.equal(
      'getInventoryItem',
    );
    expect(store.check.operationOf('POST', '/pets/batch')?.operation.operationId).to.equal('createPets');
    expect(store.check.operationOf('GET', '/pets/')).to.equal(undefined);
  });
});
