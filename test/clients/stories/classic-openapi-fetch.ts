import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });

/** The data of a response that must be a success. */
function data<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

function refused({ error, response }: { error?: { message?: string }; response: Response }): string {
  return error ? `refused ${response.status} ${error.message}` : 'not refused';
}

const body = {
  id: 820_001,
  category: { name: 'Dogs' },
  name: 'doggie',
  photoUrls: ['https://pictures.example/doggie.png'],
  tags: [{ name: 'friendly' }],
};
data(await client.POST('/pet', { body }));
const params = { path: { petId: body.id } };
const pet = data(await client.GET('/pet/{petId}', { params }));
console.log(`pet ${pet.id} ${pet.name} ${pet.status} ${pet.category?.name} ${pet.tags?.[0]?.name}`);
const [byStatus] = data(await client.GET('/pet/findByStatus'));
const [byTag] = data(await client.GET('/pet/findByTags', { params: { query: { tags: ['friendly'] } } }));
console.log(`found ${byStatus?.id} ${byTag?.id}`);
const changed = data(await client.POST('/pet/{petId}', { params: { ...params, query: { name: 'Rex' } } }));
console.log(`form ${changed.id} ${changed.name}`);
const order = data(await client.POST('/store/order', { body: { id: 77, petId: body.id, quantity: 1 } }));
console.log(`order ${order.id} for ${order.petId} ${order.status}`);
console.log(refused(await client.POST('/store/order', { body: { petId: body.id, quantity: 1 } })));
const cancelled = await client.DELETE('/store/order/{orderId}', { params: { path: { orderId: 77 } } });
console.log(cancelled.response.ok ? 'cancelled' : refused(cancelled));
const picture = { params, body: '12345', headers: { 'Content-Type': 'application/octet-stream' } };
const received = await client.POST('/pet/{petId}/uploadImage', { ...picture, bodySerializer: (bytes) => bytes });
console.log(`picture ${data(received).message}`);
const deleted = await client.DELETE('/pet/{petId}', { params });
console.log(deleted.response.ok ? 'deleted' : refused(deleted));
console.log(refused(await client.GET('/pet/{petId}', { params })));
