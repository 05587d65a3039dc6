import { client } from './generated/client.gen.js';
import {
  addPet,
  deleteOrder,
  deletePet,
  findPetsByStatus,
  findPetsByTags,
  getPetById,
  placeOrder,
  updatePetWithForm,
  uploadFile,
} from './generated/sdk.gen.js';

client.setConfig({ baseUrl: process.argv[2] ?? '' });

/** The data of a response that must be a success. */
function data<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(error instanceof Error ? error.message : JSON.stringify(error));
  return data;
}

function refused({ error, response }: { error?: unknown; response?: Response }): string {
  return error ? `refused ${response?.status} ${(error as { message: string }).message}` : 'not refused';
}

const body = {
  id: 820_001,
  category: { name: 'Dogs' },
  name: 'doggie',
  photoUrls: ['https://pictures.example/doggie.png'],
  tags: [{ name: 'friendly' }],
};
data(await addPet({ body }));
const path = { petId: body.id };
const pet = data(await getPetById({ path }));
console.log(`pet ${pet.id} ${pet.name} ${pet.status} ${pet.category?.name} ${pet.tags?.[0]?.name}`);
const [byStatus] = data(await findPetsByStatus({ query: { status: ['available', 'pending'] } }));
const [byTag] = data(await findPetsByTags({ query: { tags: ['friendly'] } }));
console.log(`found ${byStatus?.id} ${byTag?.id}`);
const form = data(await updatePetWithForm({ path, body: { name: 'Rex' } })) as { message: string };
console.log(`form ${form.message}`);
const order = data(await placeOrder({ body: { id: 77, petId: body.id, quantity: 1 } }));
console.log(`order ${order.id} for ${order.petId} ${order.status}`);
console.log(refused(await placeOrder({ body: { petId: body.id, quantity: 1 } })));
data(await deleteOrder({ path: { orderId: 77 } }));
console.log('cancelled');
console.log(`picture ${data(await uploadFile({ path, body: { file: new Blob(['12345']) } })).message}`);
data(await deletePet({ path }));
console.log('deleted');
console.log(refused(await getPetById({ path })));
