import { codeOf, type RoundRobin, type Told } from './round-robin.ts';

interface OrderBody {
  readonly id: number;
  readonly petId: number;
  readonly quantity: number;
  readonly complete: boolean;
}

/** What the crowd was told and must find again. */
export interface Memory {
  /** Orders that were acknowledged and not cancelled, as they were acknowledged last. */
  readonly orders: Map<number, OrderBody>;
  readonly cancelled: Set<number>;
  /** How many orders were refused for want of stock. */
  refused: number;
  operations: number;
  /** What a node should never have said. */
  readonly faults: string[];
}

const PETS = 12;

/** Each pet has so many `units`: far fewer than the crowd wants, so that the last ones are fought for. */
export async function openShop(nodes: RoundRobin, units: number): Promise<void> {
  await nodes.ask({ method: 'POST', path: '/categories', body: { name: 'Dogs' }, key: 'shop' });
  for (let id = 1; id <= PETS; id++) {
    await nodes.ask({ method: 'POST', path: '/pets', body: { name: `Dog ${id}`, categoryId: 1 }, key: `pet-${id}` });
    await nodes.ask({ method: 'PUT', path: `/store/inventory/${id}`, body: { quantity: units } });
  }
}

/** Lets `people` at once do so many operations in all, or more until they are `enough`; calls `each` after every one of them. */
export async function runWorkload(
  nodes: RoundRobin,
  { people, operations, units, random }: { people: number; operations: number; units: number; random: () => number },
  each: (done: number) => void,
  enough: () => boolean = () => true,
): Promise<Memory> {
  const memory: Memory = { orders: new Map(), cancelled: new Set(), refused: 0, operations: 0, faults: [] };
  const person = async (who: number) => {
    const own: number[] = [];
    while (memory.operations < operations || !enough()) {
      const n = memory.operations++;
      await oneOf(random(), `${who}-${n}`, own);
      each(n);
    }
  };
  const pet = () => 1 + Math.floor(random() * PETS);

  async function oneOf(chance: number, key: string, own: number[]): Promise<void> {
    if (chance < 0.5) return place(key, own);
    const id = own[Math.floor(random() * own.length)];
    if (chance < 0.6)
      return expected(await nodes.ask({ method: 'GET', path: `/store/pets/${pet()}?expand=inventory` }), 200);
    if (chance < 0.65) {
      const body = { name: `Dog ${Math.floor(random() * 1000)}` };
      return expected(await nodes.ask({ method: 'PATCH', path: `/store/pets/${pet()}`, body, key }), 200);
    }
    if (chance < 0.68) {
      // Somebody counts: never below what is promised.
      const body = { quantity: units };
      return expected(await nodes.ask({ method: 'PUT', path: `/store/inventory/${pet()}`, body }), 200, 409);
    }
    if (id === undefined) return place(key, own);
    if (chance < 0.8) return complete(key, id);
    if (chance < 0.9) return cancel(id, own);
    return look(id);
  }

  async function place(key: string, own: number[]): Promise<void> {
    const body = { petId: pet(), quantity: 1 + Math.floor(random() * 3) };
    const told = await nodes.ask({ method: 'POST', path: '/store/orders', body, key });
    if (told.status === 409) {
      memory.refused += 1;
      return;
    }
    expected(told, 201);
    const order = told.body as OrderBody;
    if (memory.orders.has(order.id) || memory.cancelled.has(order.id))
      memory.faults.push(`order ${order.id} was given twice`);
    memory.orders.set(order.id, order);
    own.push(order.id);
    // Whoever asks again gets the same, whichever node is asked.
    if (random() < 0.1) {
      const again = await nodes.ask({ method: 'POST', path: '/store/orders', body, key });
      if (!again.replayed || (again.body as OrderBody).id !== order.id) memory.faults.push(`${key} was done again`);
    }
  }

  async function complete(key: string, id: number): Promise<void> {
    const told = await nodes.ask({ method: 'PATCH', path: `/store/orders/${id}`, body: { complete: true }, key });
    expected(told, 200);
    memory.orders.set(id, told.body as OrderBody);
  }

  async function cancel(id: number, own: number[]): Promise<void> {
    const told = await nodes.ask({ method: 'DELETE', path: `/store/orders/${id}` });
    if (told.status === 409 && codeOf(told) === 'order_already_complete') return;
    // The first attempt may have been done, and only its answer lost.
    if (!(told.status === 404 && told.again)) expected(told, 204);
    memory.orders.delete(id);
    memory.cancelled.add(id);
    own.splice(own.indexOf(id), 1);
  }

  async function look(id: number): Promise<void> {
    const told = await nodes.ask({ method: 'GET', path: `/store/orders/${id}` });
    expected(told, 200);
    const { quantity } = told.body as OrderBody;
    if (quantity !== memory.orders.get(id)?.quantity) memory.faults.push(`order ${id} was read with ${quantity} units`);
  }

  function expected(told: Told, ...statuses: number[]): void {
    if (!statuses.includes(told.status)) memory.faults.push(`${told.status} ${JSON.stringify(told.body)}`);
  }

  await Promise.all(Array.from({ length: people }, (_, who) => person(who)));
  return memory;
}
