import { expect } from 'chai';
import { type Call, operation } from '../../src/api/operation.ts';
import { newOrder, orderPatch } from '../../src/api/schemas/order-schemas.ts';
import { newPet, newPets } from '../../src/api/schemas/pet-schemas.ts';
import { petStatus } from '../../src/api/schemas/schema-values.ts';

const common = {
  operationId: 'tryTypes',
  tag: 'Store',
  scope: 'store:write',
  summary: 'Try the types',
  description: 'Tries the types.',
  success: 204,
  response: { description: 'Nothing.' },
  refusals: [],
  show: () => undefined,
} as const;

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only if both types are the same. */
function same<A, B>(..._proof: Equal<A, B> extends true ? [] : [never]): void {}

/*
 * These tests run in the compiler: a line below `@ts-expect-error` that compiles is an error there. What runs here shows that
 * the definitions are the ones that the compiler saw.
 */
describe('The data of an operation', () => {
  it('types the body that its handler receives', () => {
    const { body } = operation({
      ...common,
      method: 'post',
      path: '/store/orders',
      body: { description: 'The order to place.', schema: newOrder },
      handle: async (call) => {
        same<typeof call.body.petId, number>();
        same<typeof call.body.quantity, number>();
        same<typeof call.body.shipDate, string | undefined>();
        // @ts-expect-error an order has no name
        void call.body.name;
        return {};
      },
    });

    expect(body?.schema).to.equal(newOrder);
  });

  it('does not accept a handler for the body of another schema', () => {
    interface PetBody {
      readonly name: string;
      readonly categoryId: number;
    }
    const handle = async (_call: Call<unknown, unknown, PetBody>) => ({});

    operation({ ...common, method: 'post', path: '/pets', body: { description: 'A pet.', schema: newPet }, handle });
    operation({
      ...common,
      method: 'post',
      path: '/pets',
      body: { description: 'An order.', schema: newOrder },
      // @ts-expect-error an order is no pet
      handle,
    });
  });

  it('types a patch, in which a field may be absent or null', () => {
    operation({
      ...common,
      method: 'patch',
      path: '/store/orders/{orderId}',
      body: { description: 'The fields to change.', schema: orderPatch },
      handle: async ({ path, body }) => {
        same<typeof path.orderId, number>();
        same<typeof body.quantity, number | undefined>();
        same<typeof body.shipDate, string | null | undefined>();
        // @ts-expect-error the path has no petId
        void path.petId;
        return {};
      },
    });
  });

  it('types a batch, and an operation without a body', () => {
    operation({
      ...common,
      method: 'post',
      path: '/pets/batch',
      body: { description: 'The pets.', schema: newPets },
      handle: async ({ body }) => {
        same<(typeof body)[number]['status'], 'available' | 'pending' | 'sold'>();
        return {};
      },
    });
    operation({
      ...common,
      method: 'get',
      path: '/pets',
      query: { status: { description: 'The statuses.', schema: { type: 'array', items: petStatus } } },
      handle: async ({ body, query }) => {
        same<typeof body, undefined>();
        same<typeof query.status, readonly ('available' | 'pending' | 'sold')[] | undefined>();
        return {};
      },
    });
  });
});
