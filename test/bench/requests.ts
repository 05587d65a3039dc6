import type { Request } from 'autocannon';
import { SeededRandom } from '../../src/conformance/seeded-random.ts';
import { CATEGORIES, statusOfPet } from './shop.ts';

/** The measured operations, as reports show them. */
export const WORK = {
  get: 'GET /store/pets/{petId}',
  list: 'GET /pets?status=available&categoryId={id}&limit=20',
  order: 'POST /store/orders',
  hot: 'POST /store/orders for one pet',
} as const;

export type Work = keyof typeof WORK;

const COUNT = 20_000;
const SEED = 20_261_121;

/**
 * The requests of one round, uniform over all pets of the shop: the same ones in every run and for every contestant, other ones in
 * every round. A path stands for itself, repeated.
 */
export function requestsFor(work: Work | { readonly path: string }, pets: number, round: number): Request[] {
  if (typeof work === 'object') return [{ method: 'GET', path: work.path }];
  const random = new SeededRandom(SEED + round);
  const any = (end: number) => 1 + random.nextInt(end);
  return Array.from({ length: COUNT }, () => oneOf(work, pets, any));
}

function oneOf(work: Work, pets: number, any: (end: number) => number): Request {
  switch (work) {
    case 'get':
      return { method: 'GET', path: `/store/pets/${any(pets)}` };
    case 'list':
      return { method: 'GET', path: `/pets?status=available&categoryId=${any(CATEGORIES)}&limit=20` };
    case 'order': {
      let petId = any(pets);
      while (statusOfPet(petId) !== 'available') petId = any(pets);
      return orderOf(petId);
    }
    case 'hot':
      return orderOf(1);
  }
}

function orderOf(petId: number): Request {
  return {
    method: 'POST',
    path: '/store/orders',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ petId, quantity: 1 }),
  };
}
