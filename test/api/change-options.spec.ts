import { expect } from 'chai';
import { categoryOperations } from '../../src/api/categories.operations.ts';
import { inventoryOperations } from '../../src/api/inventory.operations.ts';
import type { Operation } from '../../src/api/operation.ts';
import { orderOperations } from '../../src/api/orders.operations.ts';
import { petOperations } from '../../src/api/pets.operations.ts';
import type { Shop as Desks } from '../../src/application/shop.ts';
import { Shop } from '../application/shop.ts';
import { failureOf } from '../support/promises.ts';

const operations: readonly Operation[] = [
  ...petOperations({ since: 0, sunset: 0 }),
  ...categoryOperations,
  ...orderOperations,
  ...inventoryOperations,
];

describe('An operation that changes the store', () => {
  for (const { operationId, method, body, handle } of operations) {
    if (method === 'get') continue;

    it(`passes its options on: ${operationId}`, async () => {
      const shop = new Shop();
      await shop.categories.create({ name: 'Dogs' });
      await shop.pets.create({ name: 'Rex', categoryId: 1 });
      await shop.orders.place({ petId: 1, quantity: 1 });
      const reason = new Error('too late');
      const call = {
        path: { petId: 1, categoryId: 1, orderId: 1 },
        query: {},
        body: Array.isArray(body?.schema.example) ? body.schema.example : { ...body?.schema.example, id: 1 },
        options: { signal: AbortSignal.abort(reason) },
      };

      let failure: unknown;
      await shop.leaves(async () => {
        failure = await failureOf((handle as (call: object, desks: Desks) => Promise<unknown>)(call, shop.desks));
      });

      expect(failure).to.equal(reason);
    });
  }
});
