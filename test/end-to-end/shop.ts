import { join } from 'node:path';
import { expect } from 'chai';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { audit, startPetstore } from './built-petstore.ts';
import {
  installTools,
  PRISM_PROBLEM,
  type PublicClient,
  publicClient,
  type Reply,
  type Running,
  startPrism,
} from './public-tools.ts';

/** The story of a shop, with a public client and through a public proxy. */
describe('A shop, from its opening to its audit,', function () {
  this.timeout(120_000);

  let folder: string;
  let file: string;
  let petstore: Running | undefined;
  let prism: Running | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a document has any content
  let document: any;
  let client: PublicClient;
  let exchanged = 0;

  before(async () => {
    folder = await temporaryFolder();
    file = join(folder, 'shop.db');
    await installTools(folder);
    petstore = await startPetstore(file);
    document = await (await fetch(`${petstore.url}/openapi.json`)).json();
    prism = await startPrism(folder, document, petstore.url);
    client = await publicClient(folder, document, prism.url);
  });

  after(async () => {
    await prism?.stop();
    await petstore?.stop();
    await removeFolder(folder);
  });

  /** Calls an operation, and makes sure that Prism found nothing to say about it. */
  async function call(operationId: string, ...given: Parameters<PublicClient[string]>): Promise<Reply> {
    const operation = client[operationId] ?? expect.fail(`no operation ${operationId}`);
    const reply = await operation(...given);
    expect(hasPrismViolation(reply), JSON.stringify(reply.data)).to.equal(false);
    exchanged += 1;
    return reply;
  }

  async function succeeds(operationId: string, ...given: Parameters<PublicClient[string]>): Promise<Reply['data']> {
    const { status, data } = await call(operationId, ...given);
    expect(status, `${operationId}: ${JSON.stringify(data)}`).to.be.within(200, 299);
    return data;
  }

  async function refused(code: string, operationId: string, ...given: Parameters<PublicClient[string]>): Promise<void> {
    const { status, data } = await call(operationId, ...given);
    expect(data, operationId).to.include({ code, status });
  }

  const mergePatch = { headers: { 'Content-Type': 'application/merge-patch+json' } };

  it('begins with a category and its first pet', async () => {
    const { status, data, headers } = await call('createCategory', null, { name: 'Dogs', description: 'They bark.' });
    expect(status).to.equal(201);
    expect(headers['location']).to.equal(`/categories/${data.id}`);
    expect(data).to.deep.equal({ id: 1, name: 'Dogs', description: 'They bark.' });
    await refused('category_name_taken', 'createCategory', null, { name: 'DOGS' });

    const pet = await succeeds('createPet', null, { name: 'Rex', categoryId: 1 });
    expect(pet).to.deep.equal({ id: 1, name: 'Rex', categoryId: 1, status: 'available' });
    await refused('unknown_category', 'createPet', null, { name: 'Miso', categoryId: 2 });
    expect(await succeeds('getStorePet', { petId: 1, expand: ['category', 'inventory'] })).to.deep.equal({
      ...pet,
      category: data,
      inventory: { petId: 1, quantity: 1, reserved: 0, status: 'available' },
    });
  });

  it('counts its stock', async () => {
    expect(await succeeds('setStock', { petId: 1 }, { quantity: 12 })).to.include({ quantity: 12, reserved: 0 });
    await refused('pet_not_found', 'setStock', { petId: 99 }, { quantity: 12 });
  });

  it('takes orders, changes them, and never sells more than there is', async () => {
    const order = await succeeds('placeOrder', null, { petId: 1, quantity: 3 });
    expect(order).to.deep.equal({ id: 1, petId: 1, quantity: 3, complete: false });
    await refused('unknown_pet', 'placeOrder', null, { petId: 99 });
    await refused('insufficient_stock', 'placeOrder', null, { petId: 1, quantity: 10 });

    const shipDate = '2027-01-02T09:00:00.000Z';
    const changed = await succeeds('updateOrder', { orderId: 1 }, { quantity: 5, shipDate }, mergePatch);
    expect(changed).to.deep.equal({ id: 1, petId: 1, quantity: 5, shipDate, complete: false });
    await succeeds('placeOrder', null, { petId: 1, quantity: 7 });
    expect(await succeeds('getInventoryItem', { petId: 1 })).to.deep.equal({
      petId: 1,
      quantity: 12,
      reserved: 12,
      status: 'pending',
    });
    await refused('pet_not_available', 'placeOrder', null, { petId: 1 });
    await refused('stock_below_reserved', 'setStock', { petId: 1 }, { quantity: 11 });
  });

  it('completes an order and cancels another', async () => {
    expect(await succeeds('updateOrder', { orderId: 1 }, { complete: true })).to.include({ complete: true });
    await refused('order_already_complete', 'cancelOrder', { orderId: 1 });
    await succeeds('cancelOrder', { orderId: 2 });
    await refused('order_not_found', 'getOrder', { orderId: 2 });
    expect(await succeeds('getInventoryItem', { petId: 1 })).to.deep.equal({
      petId: 1,
      quantity: 7,
      reserved: 0,
      status: 'available',
    });

    const movements = await succeeds('listStockMovements', { petId: 1 });
    const kinds = movements.map(({ kind }: { kind: string }) => kind);
    expect(kinds).to.deep.equal(['released', 'shipped', 'reserved', 'reserved', 'reserved', 'counted', 'opened']);
    expect(await succeeds('listOrders', { petId: 1, complete: true, sort: '-shipDate' })).to.have.length(1);
    expect(await succeeds('getInventorySummary')).to.deep.include({ available: { pets: 1, units: 7 } });
  });

  it('changes a pet if the client has its current representation', async () => {
    const { headers } = await call('getStorePet', { petId: 1 });
    const etag = headers['etag'] ?? expect.fail('there is no ETag');
    expect((await call('getStorePet', { petId: 1 }, null, { headers: { 'If-None-Match': etag } })).status).to.equal(
      304,
    );

    await succeeds('updatePet', { petId: 1 }, { status: 'pending' }, { headers: { 'If-Match': etag } });
    await refused('precondition_failed', 'updatePet', { petId: 1 }, { name: 'Max' }, { headers: { 'If-Match': etag } });
    await refused('pet_not_available', 'placeOrder', null, { petId: 1 });
    const replaced = await succeeds(
      'replacePet',
      { petId: 1 },
      { id: 1, name: 'Max', categoryId: 1, status: 'available' },
    );
    expect(replaced).to.deep.equal({ id: 1, name: 'Max', categoryId: 1, status: 'available' });
  });

  it('still serves a deprecated operation, and announces its sunset', async () => {
    const { status, headers } = await call('getPet', { petId: 1 });

    expect(status).to.equal(200);
    expect(headers['deprecation']).to.match(/^@\d+$/);
    expect(headers['sunset']).to.match(/ GMT$/);
    expect(headers['link']).to.equal('</store/pets/1>; rel="successor-version"');
  });

  it('explains a refusal in the form of RFC 9457 on request', async () => {
    // Past Prism, which compares only what is behind the + of a media type and takes this for the other form.
    const direct = await publicClient(folder, document, petstore?.url ?? '');
    const asked = direct['getOrder']?.({ orderId: 99 }, null, { headers: { Accept: 'application/problem+json' } });
    const { headers, data } = (await asked) ?? expect.fail('no operation getOrder');

    expect(headers['content-type']).to.equal('application/problem+json');
    expect(data).to.include({ type: '/errors/order_not_found', title: 'Order not found', status: 404 });
  });

  it('deletes what nothing refers to, and nothing else', async () => {
    await refused('pet_has_orders', 'deletePet', { petId: 1 });
    await refused('category_in_use', 'deleteCategory', { categoryId: 1 });
    const { id: categoryId } = await succeeds('createCategory', null, { name: 'Cats' });
    const { id: petId } = await succeeds('createPet', null, { name: 'Miso', categoryId, status: 'sold' });
    await succeeds('updateCategory', { categoryId }, { description: 'They do not.' }, mergePatch);
    await succeeds('replaceCategory', { categoryId }, { name: 'Cats' });

    expect((await call('deletePet', { petId })).status).to.equal(204);
    expect((await call('deleteCategory', { categoryId })).status).to.equal(204);
    await refused('category_not_found', 'getCategory', { categoryId });
    expect(await succeeds('listCategories', { name: 'c' })).to.deep.equal([]);
  });

  it('creates a thousand pets, and lists each of them once, page by page', async () => {
    const wishes = Array.from({ length: 1000 }, (_, i) => ({ name: `Puppy ${(i * 7) % 1000}`, categoryId: 1 }));
    const created = await succeeds('createPets', null, wishes);
    expect(created).to.have.length(1000);

    for (const sort of ['name', '-id']) {
      const seen: number[] = [];
      let parameters: object | undefined = { name: 'puppy', limit: 100, sort };
      while (parameters) {
        const { data, headers } = await call('listPets', parameters, null, {
          headers: { Prefer: 'return=total-count' },
        });
        expect(headers['x-total-count']).to.equal('1000');
        seen.push(...data.map(({ id }: { id: number }) => id));
        const next = /<([^>]*)>; rel="next"/.exec(headers['link'] ?? '')?.[1];
        parameters = next === undefined ? undefined : Object.fromEntries(new URL(next, 'http://shop').searchParams);
      }
      expect(seen, sort).to.have.length(1000);
      expect(new Set(seen).size, sort).to.equal(1000);
    }
    expect(await succeeds('listInventory', { status: ['available', 'sold'], below: 2, limit: 100 })).to.have.length(
      100,
    );
  });

  it('was checked in every exchange by a proxy that does report violations', async () => {
    expect(exchanged).to.be.above(50);
    const wrong = structuredClone(document);
    wrong.components.schemas.StorePet.properties.name.maxLength = 1;
    const other = await startPrism(folder, wrong, petstore?.url ?? '');
    try {
      const strict = await publicClient(folder, document, other.url);
      const reply = (await strict['getStorePet']?.({ petId: 1 })) ?? expect.fail('no operation getStorePet');
      expect(hasPrismViolation(reply), JSON.stringify(reply.data)).to.equal(true);
    } finally {
      await other.stop();
    }
  });

  it('stops normally, and passes the audit', async () => {
    await prism?.stop();
    await petstore?.stop();
    prism = undefined;
    petstore = undefined;

    expect(await audit(file)).to.deep.equal({ output: '1001 pets audited, 0 rules broken\n', code: 0 });
  });
});

function hasPrismViolation({ data, headers }: Reply): boolean {
  return headers['sl-violations'] !== undefined || String(data?.type ?? '').startsWith(PRISM_PROBLEM);
}
