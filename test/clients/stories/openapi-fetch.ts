import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });

/** The data of a response that must be a success. */
function data<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

function refused({ error }: { error?: { status: number; code: string } }): string {
  return error ? `refused ${error.status} ${error.code}` : 'not refused';
}

const category = data(await client.POST('/categories', { body: { name: 'Dogs' } }));
console.log(`category ${category.id} ${category.name}`);

const rex = {
  params: { header: { 'Idempotency-Key': 'rex' } },
  body: { name: 'Rex', categoryId: category.id },
};
const pet = data(await client.POST('/pets', rex));
console.log(`pet ${pet.id} ${pet.name} ${pet.status}`);
console.log(`pet ${data(await client.POST('/pets', rex)).id} again`);
await client.POST('/pets', { body: { name: 'Tim', categoryId: category.id, status: 'pending' } });
await client.POST('/pets', { body: { name: 'Tom', categoryId: category.id, status: 'sold' } });
const listed = data(await client.GET('/pets', { params: { query: { status: ['available', 'pending'] } } }));
console.log(`list ${listed.map(({ name }) => name).join(' ')}`);

const placed = { petId: pet.id, quantity: 1, shipDate: '2026-12-24T09:00:00Z' };
const order = data(await client.POST('/store/orders', { body: placed }));
console.log(`order ${order.id} ships ${Date.parse(order.shipDate ?? '') / 1000}`);
const params = { path: { orderId: order.id ?? 0 } };
const unscheduled = data(await client.PATCH('/store/orders/{orderId}', { params, body: { shipDate: null } }));
console.log(`order ${unscheduled.id} ${unscheduled.shipDate === undefined ? 'has no ship date' : 'ships'}`);
const completed = data(await client.PATCH('/store/orders/{orderId}', { params, body: { complete: true } }));
console.log(`order ${completed.id} ${completed.complete ? 'complete' : 'open'}`);

console.log(refused(await client.DELETE('/store/orders/{orderId}', { params })));
const stale = { path: { petId: pet.id }, header: { 'If-Match': '"stale"' } };
console.log(refused(await client.PATCH('/store/pets/{petId}', { params: stale, body: { name: 'Max' } })));
