import { client } from './generated/client.gen.js';
import {
  cancelOrder,
  createCategory,
  createPet,
  listPets,
  placeOrder,
  updateOrder,
  updatePet,
} from './generated/sdk.gen.js';

client.setConfig({ baseUrl: process.argv[2] ?? '' });

/** The data of a response that must be a success. */
function data<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(error instanceof Error ? error.message : JSON.stringify(error));
  return data;
}

function refused({ error }: { error?: { status: number; code: string } }): string {
  return error ? `refused ${error.status} ${error.code}` : 'not refused';
}

const category = data(await createCategory({ body: { name: 'Dogs' } }));
console.log(`category ${category.id} ${category.name}`);

const rex = { headers: { 'Idempotency-Key': 'rex' }, body: { name: 'Rex', categoryId: category.id } };
const pet = data(await createPet(rex));
console.log(`pet ${pet.id} ${pet.name} ${pet.status}`);
console.log(`pet ${data(await createPet(rex)).id} again`);
data(await createPet({ body: { name: 'Tim', categoryId: category.id, status: 'pending' } }));
data(await createPet({ body: { name: 'Tom', categoryId: category.id, status: 'sold' } }));
const listed = data(await listPets({ query: { status: ['available', 'pending'] } }));
console.log(`list ${listed.map(({ name }) => name).join(' ')}`);

const placed = { petId: pet.id, quantity: 1, shipDate: '2026-12-24T09:00:00Z' };
const order = data(await placeOrder({ body: placed }));
console.log(`order ${order.id} ships ${Date.parse(order.shipDate ?? '') / 1000}`);
const path = { orderId: order.id ?? 0 };
const unscheduled = data(await updateOrder({ path, body: { shipDate: null } }));
console.log(`order ${unscheduled.id} ${unscheduled.shipDate === undefined ? 'has no ship date' : 'ships'}`);
const completed = data(await updateOrder({ path, body: { complete: true } }));
console.log(`order ${completed.id} ${completed.complete ? 'complete' : 'open'}`);

console.log(refused(await cancelOrder({ path })));
console.log(
  refused(await updatePet({ path: { petId: pet.id }, headers: { 'If-Match': '"stale"' }, body: { name: 'Max' } })),
);
