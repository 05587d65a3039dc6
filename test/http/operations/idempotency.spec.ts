import { expect } from 'chai';
import type { InventoryItemBody, OrderBody, PetBody } from '../../../src/api/schemas/schemas.ts';
import { IdempotentUnitOfWork, RETENTION_MS } from '../../../src/application/idempotency.ts';
import type { Answer } from '../../support/client.ts';
import { refused } from '../../support/refusals.ts';
import { type Circumstances, runningPetstore } from '../../support/running-petstore.ts';

const KEY = { 'Idempotency-Key': 'a-key-of-mine' };

/** The part of the first response that a replay repeats: everything except what belongs to one exchange. */
function lasting({ status, bytes, rawHeaders }: Answer) {
  const ofExchange = ['date', 'x-request-id', 'connection', 'keep-alive', 'idempotent-replayed'];
  const headers: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (!ofExchange.includes(name.toLowerCase())) headers.push(`${name}: ${rawHeaders[i + 1]}`);
  }
  return { status, body: bytes.toString('hex'), headers: headers.sort() };
}

function expectReplay(answer: Answer, first: Answer): void {
  expect(lasting(answer)).to.deep.equal(lasting(first));
  expect(answer.header('idempotent-replayed')).to.equal('true');
  expect(first.header('idempotent-replayed')).to.equal(undefined);
}

for (const storage of ['memory', 'sqlite', 'postgresql'] as const satisfies Circumstances['storage'][]) {
  describe(`A request with an Idempotency-Key (${storage})`, () => {
    const store = runningPetstore({ storage });

    const stockOf = async (petId: number) => (await store.get<InventoryItemBody>(`/store/inventory/${petId}`)).body;
    const orders = async () => (await store.get<OrderBody[]>('/store/orders?limit=100')).body;
    const order = (body: object = { petId: 1 }, headers: Record<string, string> = {}) =>
      store.post<OrderBody>('/store/orders', body, { ...KEY, ...headers });

    it('is executed once, however often it is sent', async () => {
      await store.pet({ stock: 9 });

      const first = await order();
      const again = [await order(), await order()];

      expect(first.status).to.equal(201);
      for (const answer of again) expectReplay(answer, first);
      expect(await orders()).to.have.length(1);
      expect(await stockOf(1)).to.deep.include({ reserved: 1 });
    });

    it('places one order, if it is sent a hundred times at once', async () => {
      await store.pet({ stock: 500 });

      const answers = await Promise.all(Array.from({ length: 100 }, () => order()));

      expect(await orders()).to.have.length(1);
      expect(await stockOf(1)).to.deep.include({ reserved: 1 });
      const made = answers.filter(({ status }) => status === 201);
      const first = made.filter((answer) => answer.header('idempotent-replayed') === undefined);
      expect(first).to.have.length(1);
      for (const answer of answers) {
        if (answer.status === 201) expect(answer.body).to.deep.equal(first[0]?.body);
        else {
          refused(answer, 409, 'idempotency_key_in_progress');
          expect(Number(answer.header('retry-after'))).to.be.at.least(1);
        }
      }
      expectReplay(await order(), first[0] ?? expect.fail('There is none.'));
    });

    it('gets the same refusal again, even if there is stock by then', async () => {
      await store.pet({ stock: 1 });
      const first = await order({ petId: 1, quantity: 2 });
      refused(first, 409, 'insufficient_stock');
      await store.stock(1, 50);

      const again = await order({ petId: 1, quantity: 2 });

      expectReplay(again, first);
      expect(await orders()).to.have.length(0);
      expect((await store.post('/store/orders', { petId: 1, quantity: 2 })).status).to.equal(201);
    });

    it('gets the same refusal again in the media type of the first one', async () => {
      const problem = { Accept: 'application/problem+json' };
      const first = await order({ petId: 7 }, problem);
      refused(first, 409, 'unknown_pet');

      expectReplay(await order({ petId: 7 }), first);
      expect(first.header('content-type')).to.equal('application/problem+json');
    });

    it('is refused with another body, and changes nothing', async () => {
      await store.pet({ stock: 9 });
      await order({ petId: 1, quantity: 2 });

      refused(await order({ petId: 1, quantity: 3 }), 422, 'idempotency_key_reused');
      refused(await order({ petId: 1 }), 422, 'idempotency_key_reused');

      expect(await stockOf(1)).to.deep.include({ reserved: 2 });
    });

    it('is the same request with the same JSON value, however that is written', async () => {
      await store.pet({ stock: 9 });
      const send = (content: string) =>
        store.send('POST', '/store/orders', { headers: { ...KEY, 'Content-Type': 'application/json' }, content });
      const first = await send('{"petId":1,"quantity":2}');

      expectReplay(await send('{ "quantity": 2.0,\n "petId": 1 }'), first);
    });

    it('is another request on another path, with another method, or under another key', async () => {
      await store.pet({ stock: 9 });
      await store.pet({ stock: 9 });
      await order();
      const made = await Promise.all([
        order({ petId: 1 }, { 'Idempotency-Key': 'another' }),
        store.order({ petId: 2 }),
      ]);

      expect(made[0].header('idempotent-replayed')).to.equal(undefined);
      const patched = [1, 2].map((id) => store.patch<OrderBody>(`/store/orders/${id}`, { quantity: 3 }, KEY));
      for (const answer of await Promise.all(patched)) {
        expect(answer.status).to.equal(200);
        expect(answer.header('idempotent-replayed')).to.equal(undefined);
      }
      expect(await orders()).to.have.length(3);
    });

    it('may be a PATCH, whose first response is returned although the resource has changed since', async () => {
      await store.pet({ stock: 9 });
      const before = await store.get<PetBody>('/store/pets/1');
      const rename = () =>
        store.patch<PetBody>('/store/pets/1', { name: 'Tom' }, { ...KEY, 'If-Match': before.header('etag') ?? '' });
      const first = await rename();
      await store.patch('/store/pets/1', { name: 'Tim' });

      expectReplay(await rename(), first);
      expect((await store.get<PetBody>('/store/pets/1')).body.name).to.equal('Tim');
    });

    it('may be a batch, which is created once', async () => {
      await store.category();
      const batch = () =>
        store.post<PetBody[]>(
          '/pets/batch',
          Array.from({ length: 300 }, (_, i) => ({ name: `Rex ${i}`, categoryId: 1 })),
          KEY,
        );
      const first = await batch();

      expectReplay(await batch(), first);
      expect((await store.get('/pets?limit=1', { Prefer: 'return=total-count' })).header('x-total-count')).to.equal(
        '300',
      );
    });

    it('is not recorded if the request was invalid, or the resource did not exist', async () => {
      refused(await store.post('/categories', { name: '' }, KEY), 422, 'validation_failed');
      refused(await store.patch('/categories/1', { name: 'Dogs' }, KEY), 404, 'category_not_found');

      const made = await store.post('/categories', { name: 'Cats' }, KEY);
      const renamed = await store.patch('/categories/1', { name: 'Dogs' }, KEY);

      expect([made.status, renamed.status]).to.deep.equal([201, 200]);
    });

    it('is not recorded if a precondition failed', async () => {
      await store.category('Dogs');
      const rename = (tag: string) => store.patch('/categories/1', { name: 'Hounds' }, { ...KEY, 'If-Match': tag });
      refused(await rename('"another"'), 412, 'precondition_failed');

      expect((await rename('*')).status).to.equal(200);
    });

    it('expires after 24 hours, and is purged', async () => {
      await store.pet({ stock: 9 });
      const first = await order();
      const idempotency = store.petstore.container.get(IdempotentUnitOfWork);

      store.clock.set(store.clock.now() + RETENTION_MS - 1);
      expect(await idempotency.purgeExpired()).to.equal(0);
      expectReplay(await order(), first);
      store.clock.set(store.clock.now() + 1);
      const later = await order();

      expect(later.body.id).to.equal(2);
      expect(later.header('idempotent-replayed')).to.equal(undefined);
      store.clock.set(store.clock.now() + RETENTION_MS + 1);
      expect(await idempotency.purgeExpired()).to.equal(1);
      expect(await idempotency.purgeExpired()).to.equal(0);
    });

    for (const key of ['', ' ', 'two words', 'x'.repeat(256), 'clé', 'a\tb']) {
      it(`is refused with an invalid key: ${JSON.stringify(key.slice(0, 12))}`, async () => {
        await store.pet();
        const sent = Buffer.from(key).toString('latin1');

        const error = refused(await order({ petId: 1 }, { 'Idempotency-Key': sent }), 400, 'invalid_header');

        expect(error.details?.[0]).to.include({ parameter: 'Idempotency-Key' });
        expect(await orders()).to.have.length(0);
      });
    }

    it('may have a key of 255 visible characters', async () => {
      await store.pet();
      const key = { 'Idempotency-Key': '!~"\'\\'.padEnd(255, 'k') };

      const first = await order({ petId: 1 }, key);

      expectReplay(await order({ petId: 1 }, key), first);
    });
  });
}
