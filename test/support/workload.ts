import { SeededRandom } from '../../src/conformance/seeded-random.ts';
import { codeOf, type Request, type Response, type ServiceClient } from './service-client.ts';

/** An order as the client that placed it knows it. */
export interface KnownOrder {
  readonly petId: number;
  readonly quantity: number;
  /** In milliseconds since 1970-01-01T00:00:00Z; different for every order, which identifies an order without a response. */
  readonly shipDate: number;
  readonly complete: boolean;
}

/** The content of the responses, and what is in doubt because a response was lost. */
export class Knowledge {
  /** Orders that were acknowledged and not cancelled, as they were acknowledged last. */
  readonly orders: Map<number, KnownOrder>;
  readonly cancelled: Set<number>;
  /** Orders without a response, by their ship date. */
  readonly doubtfulOrders: Map<number, KnownOrder>;
  readonly doubtfulChanges: Map<number, 'complete' | 'cancel'>;

  constructor(from?: Knowledge) {
    this.orders = new Map(from?.orders);
    this.cancelled = new Set(from?.cancelled);
    this.doubtfulOrders = new Map(from?.doubtfulOrders);
    this.doubtfulChanges = new Map(from?.doubtfulChanges);
  }
}

const PETS = 12;
const FIRST_SHIP_DATE = Date.UTC(2030, 0, 1);

/**
 * Concurrent clients that place, complete and cancel orders, read them, change pets and count stock, and that compare every
 * response with what they know. The same seed produces the same operations.
 */
export class Workload {
  readonly knowledge = new Knowledge();
  /** Responses that contradict an earlier one, or that the operation cannot have. */
  readonly faults: string[] = [];
  operations = 0;
  /** Orders that were acknowledged. */
  placed = 0;
  /** Orders that were refused because the stock did not suffice. */
  refused = 0;
  readonly #units: number;
  readonly #random: SeededRandom;
  #milestones: { readonly isReached: () => boolean; readonly pass: () => void }[] = [];

  /** Each pet has `units`: where they are few, the clients compete for the last ones. */
  constructor({ units, seed }: { readonly units: number; readonly seed: number }) {
    this.#units = units;
    this.#random = new SeededRandom(seed);
  }

  async createPets(client: ServiceClient): Promise<void> {
    await this.#expect(client, { method: 'POST', path: '/categories', body: { name: 'Dogs' }, key: 'category' }, 201);
    for (let id = 1; id <= PETS; id++) {
      const body = { name: `Dog ${id}`, categoryId: 1 };
      await this.#expect(client, { method: 'POST', path: '/pets', body, key: `pet-${id}` }, 201);
      await this.#expect(client, this.#count(id), 200);
    }
  }

  /** Runs `clients` at once until `isOver`, or until the client gets no response. */
  async run(client: ServiceClient, clients: number, isOver: () => boolean): Promise<void> {
    const work = async () => {
      const own: number[] = [];
      while (!isOver()) {
        const isAnswered = await this.#operate(client, `operation-${this.operations++}`, own);
        for (const { pass } of this.#milestones.filter(({ isReached }) => isReached())) pass();
        if (!isAnswered) return;
      }
    };
    await Promise.all(Array.from({ length: clients }, work));
  }

  /** Resolves after the first operation that makes the condition true. */
  reaches(isReached: () => boolean): Promise<void> {
    return new Promise((pass) => this.#milestones.push({ isReached, pass }));
  }

  /** Executes one operation. Returns whether there was a response. */
  async #operate(client: ServiceClient, key: string, own: number[]): Promise<boolean> {
    const chance = this.#random.nextInt(100);
    const petId = 1 + this.#random.nextInt(PETS);
    const id = own[this.#random.nextInt(own.length)];
    if (chance < 50) return this.#place(client, key, petId, own);
    if (chance < 60) return this.#expect(client, { method: 'GET', path: `/store/pets/${petId}?expand=inventory` }, 200);
    if (chance < 65) {
      const body = { name: `Dog ${this.#random.nextInt(1000)}` };
      return this.#expect(client, { method: 'PATCH', path: `/store/pets/${petId}`, body, key }, 200);
    }
    // A count below what is reserved is refused.
    if (chance < 68) return this.#expect(client, this.#count(petId), 200, 409);
    if (id === undefined) return this.#place(client, key, petId, own);
    if (chance < 80) return this.#complete(client, key, id);
    if (chance < 90) return this.#cancel(client, id, own);
    return this.#read(client, id);
  }

  async #place(client: ServiceClient, key: string, petId: number, own: number[]): Promise<boolean> {
    const { orders, cancelled, doubtfulOrders } = this.knowledge;
    const order: KnownOrder = {
      petId,
      quantity: 1 + this.#random.nextInt(3),
      shipDate: FIRST_SHIP_DATE + 1000 * this.operations,
      complete: this.#random.nextInt(10) === 0,
    };
    const body = { ...order, shipDate: new Date(order.shipDate).toISOString() };
    const request: Request = { method: 'POST', path: '/store/orders', body, key };
    doubtfulOrders.set(order.shipDate, order);
    const response = await client.send(request);
    if (!response) return false;
    doubtfulOrders.delete(order.shipDate);
    if (response.status === 409) this.refused += 1;
    if (response.status === 409 || !this.#isExpected(response, 201)) return true;

    const { id, ...placed } = response.body as typeof body & { id: number };
    if (!isSame({ ...placed, shipDate: Date.parse(placed.shipDate) }, order)) {
      this.faults.push(`${JSON.stringify(order)} was placed as ${response.text}`);
    }
    if (orders.has(id) || cancelled.has(id)) this.faults.push(`order ${id} was placed twice`);
    orders.set(id, order);
    this.placed += 1;
    own.push(id);
    if (this.#random.nextInt(10) > 0) return true;
    // A retry gets the first response, whichever service it is sent to.
    const retry = await client.send(request);
    if (retry && retry.status !== 503 && !(retry.replayed && retry.text === response.text)) {
      this.faults.push(`${key} was executed again: ${retry.text}`);
    }
    return retry !== undefined;
  }

  async #complete(client: ServiceClient, key: string, id: number): Promise<boolean> {
    const { orders, doubtfulChanges } = this.knowledge;
    doubtfulChanges.set(id, 'complete');
    const body = { complete: true };
    const response = await client.send({ method: 'PATCH', path: `/store/orders/${id}`, body, key });
    if (!response) return false;
    doubtfulChanges.delete(id);
    if (this.#isExpected(response, 200)) orders.set(id, { ...(orders.get(id) as KnownOrder), complete: true });
    return true;
  }

  async #cancel(client: ServiceClient, id: number, own: number[]): Promise<boolean> {
    const { orders, cancelled, doubtfulChanges } = this.knowledge;
    doubtfulChanges.set(id, 'cancel');
    const response = await client.send({ method: 'DELETE', path: `/store/orders/${id}` });
    if (!response) return false;
    doubtfulChanges.delete(id);
    if (orders.get(id)?.complete && codeOf(response) === 'order_already_complete') return true;
    // The first attempt may have been executed, and only its response lost.
    if (!(response.status === 404 && response.retried) && !this.#isExpected(response, 204)) return true;
    orders.delete(id);
    cancelled.add(id);
    own.splice(own.indexOf(id), 1);
    return true;
  }

  async #read(client: ServiceClient, id: number): Promise<boolean> {
    const response = await client.send({ method: 'GET', path: `/store/orders/${id}` });
    if (!response || !this.#isExpected(response, 200)) return response !== undefined;
    const { petId, quantity, shipDate, complete } = response.body as Omit<KnownOrder, 'shipDate'> & {
      shipDate: string;
    };
    const known = this.knowledge.orders.get(id) as KnownOrder;
    if (!isSame({ petId, quantity, shipDate: Date.parse(shipDate), complete }, known)) {
      this.faults.push(`order ${id} was read as ${response.text}, not ${JSON.stringify(known)}`);
    }
    return true;
  }

  #count(petId: number): Request {
    return { method: 'PUT', path: `/store/inventory/${petId}`, body: { quantity: this.#units } };
  }

  async #expect(client: ServiceClient, request: Request, ...statuses: number[]): Promise<boolean> {
    const response = await client.send(request);
    if (response) this.#isExpected(response, ...statuses);
    return response !== undefined;
  }

  /** A client that does not retry leaves it at a 503, which is recorded. */
  #isExpected({ status, text }: Response, ...statuses: number[]): boolean {
    if (statuses.includes(status)) return true;
    if (status !== 503) this.faults.push(`${status} ${text}`);
    return false;
  }
}

export function isSame(a: KnownOrder, b: KnownOrder): boolean {
  return a.petId === b.petId && a.quantity === b.quantity && a.shipDate === b.shipDate && a.complete === b.complete;
}
