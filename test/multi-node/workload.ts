import { codeOf, type Response, type RoundRobin } from './round-robin.ts';

interface OrderBody {
  readonly id: number;
  readonly petId: number;
  readonly quantity: number;
  readonly complete: boolean;
}

/** What was acknowledged to the clients and must be in the store. */
export interface Memory {
  /** Orders that were acknowledged and not cancelled, as in the last response. */
  readonly orders: Map<number, OrderBody>;
  readonly cancelled: Set<number>;
  /** The number of orders that were refused because of the stock. */
  refused: number;
  operations: number;
  /** Responses that must not occur. */
  readonly faults: string[];
}

const PETS = 12;

/** Each pet has so many `units`: far fewer than are ordered, so that orders compete for the last ones. */
export async function openShop(nodes: RoundRobin, units: number): Promise<void> {
  await nodes.ask({ method: 'POST', path: '/categories', body: { name: 'Dogs' }, key: 'shop' });
  for (let id = 1; id <= PETS; id++) {
    await nodes.ask({ method: 'POST', path: '/pets', body: { name: `Dog ${id}`, categoryId: 1 }, key: `pet-${id}` });
    await nodes.ask({ method: 'PUT', path: `/store/inventory/${id}`, body: { quantity: units } });
  }
}

/** Runs so many operations by `people` concurrent clients, and more until they are `enough`; calls `each` after each of them. */
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
      // A count below what is reserved is refused.
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
    const response = await nodes.ask({ method: 'POST', path: '/store/orders', body, key });
    if (response.status === 409) {
      memory.refused += 1;
      return;
    }
    expected(response, 201);
    const order = response.body as OrderBody;
    if (memory.orders.has(order.id) || memory.cancelled.has(order.id))
      memory.faults.push(`order ${order.id} was assigned twice`);
    memory.orders.set(order.id, order);
    own.push(order.id);
    // A retry gets the same response on every node.
    if (random() < 0.1) {
      const again = await nodes.ask({ method: 'POST', path: '/store/orders', body, key });
      if (!again.replayed || (again.body as OrderBody).id !== order.id) memory.faults.push(`${key} was executed again`);
    }
  }

  async function complete(key: string, id: number): Promise<void> {
    const response = await nodes.ask({ method: 'PATCH', path: `/store/orders/${id}`, body: { complete: true }, key });
    expected(response, 200);
    memory.orders.set(id, response.body as OrderBody);
  }

  async function cancel(id: number, own: number[]): Promise<void> {
    const response = await nodes.ask({ method: 'DELETE', path: `/store/orders/${id}` });
    if (response.status === 409 && codeOf(response) === 'order_already_complete') return;
    // The first attempt may have been done, and only its answer lost.
    if (!(response.status === 404 && response.again)) expected(response, 204);
    memory.orders.delete(id);
    memory.cancelled.add(id);
    own.splice(own.indexOf(id), 1);
  }

  async function look(id: number): Promise<void> {
    const response = await nodes.ask({ method: 'GET', path: `/store/orders/${id}` });
    expected(response, 200);
    const { quantity } = response.body as OrderBody;
    if (quantity !== memory.orders.get(id)?.quantity) memory.faults.push(`order ${id} was read with ${quantity} units`);
  }

  function expected(response: Response, ...statuses: number[]): void {
    if (!statuses.includes(response.status)) memory.faults.push(`${response.status} ${JSON.stringify(response.body)}`);
  }

  await Promise.all(Array.from({ length: people }, (_, who) => person(who)));
  return memory;
}
