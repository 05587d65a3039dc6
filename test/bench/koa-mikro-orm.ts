import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import { MikroORM } from '@mikro-orm/sqlite';
import Koa from 'koa';
import { connectionTo } from '../../src/adapters/mikro-orm/sqlite/storage.ts';
import { sqliteTables } from '../../src/adapters/mikro-orm/tables.ts';
import type { PetStatus } from '../../src/domain/pet-status.ts';

/*
 * Koa, @koa/router and MikroORM as their documentation shows them: managed entities, an entity manager for each request, and a
 * transaction for each order. DATABASE_URL is sqlite: and a file.
 */

const [, Pet, Order, Movement, , , , , , Event] = sqliteTables;
const orm = await MikroORM.init({
  ...connectionTo((process.env['DATABASE_URL'] ?? '').slice('sqlite:'.length)),
  replicas: [],
});
for (const pragma of ['journal_mode = wal', 'synchronous = full', 'wal_autocheckpoint = 10000', 'cache_size = -6000']) {
  await orm.em.getConnection().execute(`pragma ${pragma}`);
}

interface StoredPet {
  readonly id: number;
  readonly name: string;
  readonly categoryId: { readonly id: number };
  readonly status: PetStatus;
}

const toJson = ({ id, name, categoryId, status }: StoredPet) => ({ id, name, categoryId: categoryId.id, status });

const router = new Router();

router.get('/store/pets/:petId', async (context) => {
  const pet = await orm.em.fork().findOne(Pet, { id: Number(context['params'].petId) });
  if (pet) context.body = toJson(pet);
});

router.get('/pets', async (context) => {
  const { status, categoryId, limit } = context.query;
  const where = { status: status as PetStatus, categoryId: Number(categoryId) };
  const pets = await orm.em.fork().find(Pet, where, { orderBy: { id: 'asc' }, limit: Number(limit) });
  context.body = pets.map(toJson);
});

router.post('/store/orders', async (context) => {
  const chunks: Buffer[] = [];
  for await (const chunk of context.req) chunks.push(chunk as Buffer);
  const { petId, quantity = 1 } = JSON.parse(Buffer.concat(chunks).toString()) as { petId: number; quantity?: number };

  context.body = await orm.em.fork().transactional(async (em) => {
    const pet = await em.findOneOrFail(Pet, { id: petId });
    if (pet.status !== 'available' || quantity > pet.quantity - pet.reserved) context.throw(409);
    pet.reserved += quantity;
    if (pet.reserved === pet.quantity) pet.status = 'pending';
    const stored = em.create(Order, { petId: pet, quantity, complete: 0 });
    await em.flush();
    const order = { id: stored.id, petId, quantity, complete: false };
    const at = Date.now();
    em.create(Movement, { petId: pet, kind: 'reserved', quantity: 0, reserved: quantity, orderId: stored.id, at });
    em.create(Event, { type: 'order.placed', data: JSON.stringify(order), at });
    return order;
  });
  context.status = 201;
});

const server = new Koa().use(router.routes()).listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => {
  server.close(() => void orm.close());
  server.closeAllConnections();
});
