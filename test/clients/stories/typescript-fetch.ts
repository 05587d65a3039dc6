import { Configuration, PetStatus, PetsApi, ResponseError, StoreApi } from './generated';

const configuration = new Configuration({ basePath: process.argv[2] });
const pets = new PetsApi(configuration);
const store = new StoreApi(configuration);

async function refused(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'not refused';
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    const { status, code } = (await error.response.json()) as { status: number; code: string };
    return `refused ${status} ${code}`;
  }
}

async function story(): Promise<void> {
  const category = await pets.createCategory({ newCategory: { name: 'Dogs' } });
  console.log(`category ${category.id} ${category.name}`);

  const rex = { idempotencyKey: 'rex', newPet: { name: 'Rex', categoryId: category.id } };
  const pet = await pets.createPet(rex);
  console.log(`pet ${pet.id} ${pet.name} ${pet.status}`);
  console.log(`pet ${(await pets.createPet(rex)).id} again`);
  await pets.createPet({ newPet: { name: 'Tim', categoryId: category.id, status: PetStatus.Pending } });
  await pets.createPet({ newPet: { name: 'Tom', categoryId: category.id, status: PetStatus.Sold } });
  const listed = await pets.listPets({ status: [PetStatus.Available, PetStatus.Pending] });
  console.log(`list ${listed.map(({ name }) => name).join(' ')}`);

  const shipDate = new Date('2026-12-24T09:00:00Z');
  const order = await store.placeOrder({ newOrder: { petId: pet.id, quantity: 1, shipDate } });
  console.log(`order ${order.id} ships ${Number(order.shipDate) / 1000}`);
  const orderId = order.id ?? 0;
  const unscheduled = await store.updateOrder({ orderId, orderPatch: { shipDate: null } });
  console.log(`order ${unscheduled.id} ${unscheduled.shipDate === undefined ? 'has no ship date' : 'ships'}`);
  const completed = await store.updateOrder({ orderId, orderPatch: { complete: true } });
  console.log(`order ${completed.id} ${completed.complete ? 'complete' : 'open'}`);

  console.log(await refused(store.cancelOrder({ orderId })));
  console.log(await refused(pets.updatePet({ petId: pet.id, ifMatch: '"stale"', petPatch: { name: 'Max' } })));
}

void story();
