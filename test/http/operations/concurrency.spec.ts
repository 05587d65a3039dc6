import { expect } from 'chai';
import type { InventoryItemBody, OrderBody } from '../../../src/api/schemas/schemas.ts';
import { refused } from '../../support/refusals.ts';
import { type Circumstances, runningPetstore } from '../../support/running-petstore.ts';

for (const storage of ['memory', 'sqlite', 'postgresql'] as const satisfies Circumstances['storage'][]) {
  describe(`Many concurrent requests over HTTP (${storage})`, () => {
    const store = runningPetstore({ storage });

    const stockOf = async (petId: number) => (await store.get<InventoryItemBody>(`/store/inventory/${petId}`)).body;
    const tally = (statuses: number[]) =>
      Object.fromEntries(
        [...new Set(statuses)].sort().map((status) => [status, statuses.filter((s) => s === status).length]),
      );

    it('sell exactly the existing units: of 200 orders for 50 units, 50 succeed', async () => {
      await store.pet({ stock: 50 });

      const answers = await Promise.all(
        Array.from({ length: 200 }, () => store.post<OrderBody>('/store/orders', { petId: 1 })),
      );

      expect(tally(answers.map(({ status }) => status))).to.deep.equal({ 201: 50, 409: 150 });
      for (const answer of answers.filter(({ status }) => status === 409)) refused(answer, 409, 'pet_not_available');
      const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
      expect(new Set(ids).size).to.equal(50);
      expect(await stockOf(1)).to.deep.equal({ petId: 1, quantity: 50, reserved: 50, status: 'pending' });
      expect((await store.get('/store/orders', { Prefer: 'return=total-count' })).header('x-total-count')).to.equal(
        '50',
      );
    });

    it('place, change, complete and cancel orders, and the stock adds up', async () => {
      await store.pet({ stock: 40 });
      const orders = await Promise.all(Array.from({ length: 20 }, () => store.order({ petId: 1 })));

      await Promise.all(
        orders.flatMap(({ id }, i) => [
          store.patch(`/store/orders/${id}`, i % 2 ? { complete: true } : { quantity: 2 }),
          store.delete(`/store/orders/${id}`),
          store.post('/store/orders', { petId: 1 }),
        ]),
      );

      const { body: open } = await store.get<OrderBody[]>('/store/orders?complete=false&limit=100');
      const { body: movements } = await store.get<{ quantity: number; reserved: number }[]>(
        '/store/inventory/1/movements?limit=100',
      );
      const stock = await stockOf(1);
      const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
      expect(stock.reserved).to.equal(sum(open.map(({ quantity = 0 }) => quantity)));
      expect(movements.length).to.be.below(100);
      expect(stock.quantity).to.equal(sum(movements.map(({ quantity }) => quantity)));
      expect(stock.reserved).to.equal(sum(movements.map(({ reserved }) => reserved)));
    });

    it('assign a name only once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => store.post('/categories', { name: i % 2 ? 'Dogs' : 'DOGS' })),
      );

      expect(tally(answers.map(({ status }) => status))).to.deep.equal({ 201: 1, 409: 19 });
    });

    it('never leave an order without its pet', async () => {
      for (let id = 1; id <= 10; id++) {
        await store.pet();
        const [ordered, deleted] = await Promise.all([
          store.post('/store/orders', { petId: id }),
          store.delete(`/store/pets/${id}`),
        ]);
        expect([
          [201, 409],
          [409, 204],
        ]).to.deep.include([ordered.status, deleted.status]);
      }
    });
  });
}
