import { SeededRandom } from '../../src/conformance/seeded-random.ts';
import type { Request, Response, ServiceClient } from './service-client.ts';

const STATUSES = ['available', 'pending', 'sold'] as const;
/** What a change can be answered with: also refusals, as the ids are random. A 503 is recorded by the client. */
const EXPECTED = [200, 201, 204, 404, 409, 422, 503];
const PETS = 12;

/** Concurrent clients that send every change of the interface, in random order and with random values. */
export class RandomChanges {
  operations = 0;
  /** Changes that were acknowledged. */
  changes = 0;
  readonly faults: string[] = [];
  readonly #random: SeededRandom;
  readonly #categories: number[] = [];
  readonly #pets: number[] = [];
  readonly #orders: number[] = [];
  readonly #milestones: { readonly last: number; readonly pass: () => void }[] = [];

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  /** Creates what the changes begin with. */
  async begin(client: ServiceClient): Promise<void> {
    await this.#send(client, { method: 'POST', path: '/categories', body: { name: 'Dogs' } }, this.#categories);
    for (let pet = 0; pet < PETS; pet++) await this.#send(client, this.#createPet(), this.#pets);
  }

  /** Runs `clients` at once until `isOver`, or until the client gets no response. */
  async run(client: ServiceClient, clients: number, isOver: () => boolean): Promise<void> {
    const work = async () => {
      while (!isOver()) {
        this.operations += 1;
        const isAnswered = await this.#operate(client);
        for (const { last, pass } of this.#milestones) if (this.operations >= last) pass();
        if (!isAnswered) return;
      }
    };
    await Promise.all(Array.from({ length: clients }, work));
  }

  /** Resolves when this number of operations has begun. */
  reaches(last: number): Promise<void> {
    return new Promise((pass) => {
      if (this.operations >= last) pass();
      else this.#milestones.push({ last, pass });
    });
  }

  /** Executes one operation. Returns whether there was a response. */
  #operate(client: ServiceClient): Promise<boolean> {
    const chance = this.#random.nextInt(100);
    const [categoryId, petId, orderId] = [
      this.#pick(this.#categories),
      this.#pick(this.#pets),
      this.#pick(this.#orders),
    ];
    const category = `/categories/${categoryId}`;
    const pet = `/store/pets/${petId}`;
    const order = `/store/orders/${orderId}`;
    const send = (method: Request['method'], path: string, body?: object) =>
      this.#send(client, { method, path, ...(body && { body }) });
    const name = `Number ${this.operations}`;
    if (chance < 30) return this.#send(client, this.#place(petId), this.#orders);
    if (chance < 38) return send('PATCH', order, { quantity: 1 + this.#random.nextInt(4) });
    if (chance < 42) return send('PATCH', order, { shipDate: new Date(this.operations * 1000).toISOString() });
    if (chance < 44) return send('PATCH', order, { quantity: 1 + this.#random.nextInt(4), complete: true });
    if (chance < 52) return send('PATCH', order, { complete: true });
    if (chance < 62) return this.#delete(client, order, this.#orders, orderId);
    if (chance < 74) return send('PUT', `/store/inventory/${petId}`, { quantity: this.#random.nextInt(40) });
    if (chance < 82) return send('PATCH', pet, { status: this.#status() });
    if (chance < 85) return send('PATCH', pet, { name, status: this.#status() });
    if (chance < 88) return send('PATCH', pet, { categoryId });
    if (chance < 91) return this.#send(client, this.#createPet(), this.#pets);
    if (chance < 92) return this.#send(client, this.#createTwoPets(), this.#pets);
    if (chance < 94) return this.#delete(client, pet, this.#pets, petId);
    if (chance < 96)
      return this.#send(client, { method: 'POST', path: '/categories', body: { name } }, this.#categories);
    if (chance < 97) return send('PATCH', category, { name, description: name });
    if (chance < 98) return send('PATCH', category, { description: null });
    // The newest category is the least likely to have pets.
    const newest = this.#categories.at(-1) ?? 1;
    return this.#delete(client, `/categories/${newest}`, this.#categories, newest);
  }

  #place(petId: number): Request {
    const body = { petId, quantity: 1 + this.#random.nextInt(3), complete: this.#random.nextInt(10) === 0 };
    return { method: 'POST', path: '/store/orders', body };
  }

  #createPet(): Request {
    return { method: 'POST', path: '/pets', body: this.#newPet() };
  }

  #createTwoPets(): Request {
    return { method: 'POST', path: '/pets/batch', body: [this.#newPet(), this.#newPet()] };
  }

  #newPet() {
    return { name: `Dog ${this.operations}`, categoryId: this.#pick(this.#categories), status: this.#status() };
  }

  async #delete(client: ServiceClient, path: string, known: number[], id: number): Promise<boolean> {
    const response = await client.send({ method: 'DELETE', path });
    if (response && this.#isAcknowledged(response) && known.includes(id)) known.splice(known.indexOf(id), 1);
    return response !== undefined;
  }

  /** Adds the id of what was created to `known`. */
  async #send(client: ServiceClient, request: Request, known?: number[]): Promise<boolean> {
    const response = await client.send(request);
    if (response && this.#isAcknowledged(response)) {
      const created = [response.body as { id: number } | { id: number }[]].flat();
      known?.push(...created.map(({ id }) => id));
    }
    return response !== undefined;
  }

  #isAcknowledged({ status, text }: Response): boolean {
    if (!EXPECTED.includes(status)) this.faults.push(`${status} ${text}`);
    if (status >= 300) return false;
    this.changes += 1;
    return true;
  }

  #status(): string {
    return this.#random.oneOf(STATUSES);
  }

  /** One of the known ids, or the smallest one. */
  #pick(ids: readonly number[]): number {
    return ids[this.#random.nextInt(ids.length)] ?? 1;
  }
}
