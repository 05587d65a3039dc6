import { Agent, request } from 'node:http';

/** An order as its customer knows it. */
export interface KnownOrder {
  readonly petId: number;
  readonly quantity: number;
  /** In milliseconds since 1970-01-01T00:00:00Z; another one for every order, so that each can be told from all others. */
  readonly shipDate: number;
  readonly complete: boolean;
}

/** Gives numbers from 0 to 1 that look random, the same ones for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const FIRST_SHIP_DATE = Date.UTC(2030, 0, 1);

/** What customers know of their orders, and what they doubt. */
export type Knowledge = Pick<Customers, 'orders' | 'cancelled' | 'doubtfulOrders' | 'doubtfulChanges'>;

/**
 * People who order without a pause, complete what they ordered or cancel it, and remember every word that they were given.
 * What was never answered may have been done or not: that stays in doubt until somebody looks.
 */
export class Customers {
  /** Orders that were acknowledged, by their identifier, as they were acknowledged last. */
  readonly orders = new Map<number, KnownOrder>();
  /** Orders whose cancellation was acknowledged. */
  readonly cancelled = new Set<number>();
  /** Orders that were asked for and never answered, by their ship date. */
  readonly doubtfulOrders = new Map<number, KnownOrder>();
  /** Changes of orders that were asked for and never answered. */
  readonly doubtfulChanges = new Map<number, 'complete' | 'cancel'>();
  acknowledged = 0;
  /** How often the store asked to be left alone for a moment. */
  unavailable = 0;
  readonly #pets: readonly number[];
  readonly #random: () => number;
  #asked = 0;
  #waiting: { readonly acknowledged: number; readonly go: () => void } | undefined;

  constructor(pets: readonly number[], random: () => number) {
    this.#pets = pets;
    this.#random = random;
  }

  copyOfKnowledge(): Knowledge {
    return {
      orders: new Map(this.orders),
      cancelled: new Set(this.cancelled),
      doubtfulOrders: new Map(this.doubtfulOrders),
      doubtfulChanges: new Map(this.doubtfulChanges),
    };
  }

  /** Lets `crowd` of them order at a service until `isOver`, or until the service is gone. */
  async order(url: string, crowd: number, isOver: () => boolean): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: crowd });
    await Promise.all(Array.from({ length: crowd }, () => this.#orderOn(url, agent, isOver)));
    agent.destroy();
  }

  /** Resolves when so many orders have been acknowledged in all. */
  told(acknowledged: number): Promise<void> {
    return new Promise((go) => {
      this.#waiting = { acknowledged, go };
    });
  }

  async #orderOn(url: string, agent: Agent, isOver: () => boolean): Promise<void> {
    const own: number[] = [];
    while (!isOver()) {
      const wish = this.#random();
      const id = wish < 0.2 ? own.shift() : undefined;
      const went =
        id === undefined
          ? await this.#place(url, agent, own)
          : await this.#change(url, agent, id, wish < 0.1 ? 'complete' : 'cancel');
      if (!went) return;
    }
  }

  async #place(url: string, agent: Agent, own: number[]): Promise<boolean> {
    const n = this.#asked++;
    const order: KnownOrder = {
      petId: this.#pets[n % this.#pets.length] as number,
      quantity: 1 + (n % 5),
      shipDate: FIRST_SHIP_DATE + 1000 * n,
      complete: this.#random() < 0.1,
    };
    this.doubtfulOrders.set(order.shipDate, order);
    const answer = await ask(url, agent, 'POST', '/store/orders', {
      ...order,
      shipDate: new Date(order.shipDate).toISOString(),
    });
    if (!answer) return false;
    this.doubtfulOrders.delete(order.shipDate);
    if (this.#isPutOff(answer, 201)) return true;
    const { id, shipDate, ...rest } = answer.body as { id: number; shipDate: string };
    const told = JSON.stringify({ ...rest, shipDate: Date.parse(shipDate) });
    if (!same(JSON.parse(told), order)) throw new Error(`Asked for ${JSON.stringify(order)}, was told ${told}.`);
    if (this.orders.has(id) || this.cancelled.has(id)) throw new Error(`Order ${id} was given twice.`);
    this.orders.set(id, order);
    if (!order.complete) own.push(id);
    this.acknowledged += 1;
    if (this.#waiting && this.acknowledged >= this.#waiting.acknowledged) this.#waiting.go();
    return true;
  }

  async #change(url: string, agent: Agent, id: number, change: 'complete' | 'cancel'): Promise<boolean> {
    this.doubtfulChanges.set(id, change);
    const answer =
      change === 'complete'
        ? await ask(url, agent, 'PATCH', `/store/orders/${id}`, { complete: true })
        : await ask(url, agent, 'DELETE', `/store/orders/${id}`);
    if (!answer) return false;
    this.doubtfulChanges.delete(id);
    if (this.#isPutOff(answer, change === 'complete' ? 200 : 204)) return true;
    if (change === 'complete') this.orders.set(id, { ...(this.orders.get(id) as KnownOrder), complete: true });
    else {
      this.orders.delete(id);
      this.cancelled.add(id);
    }
    return true;
  }

  #isPutOff({ status, body }: Answered, expected: number): boolean {
    if (status === expected) return false;
    if (status !== 503) throw new Error(`The service answered ${status}: ${JSON.stringify(body)}`);
    this.unavailable += 1;
    return true;
  }
}

export function same(a: KnownOrder, b: KnownOrder): boolean {
  return a.petId === b.petId && a.quantity === b.quantity && a.shipDate === b.shipDate && a.complete === b.complete;
}

interface Answered {
  readonly status: number;
  readonly body: unknown;
}

/** The answer of the service; `undefined` if it went away before it had given a whole one. */
export function ask(
  url: string,
  agent: Agent | undefined,
  method: string,
  path: string,
  body?: object,
): Promise<Answered | undefined> {
  return new Promise((resolve) => {
    const content = body === undefined ? undefined : JSON.stringify(body);
    const headers =
      content === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(content) };
    const asking = request(`${url}${path}`, { method, headers, ...(agent && { agent }) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', () => resolve(undefined));
      response.once('close', () => {
        const text = Buffer.concat(chunks).toString();
        resolve(
          response.complete
            ? { status: response.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) }
            : undefined,
        );
      });
    });
    asking.once('error', () => resolve(undefined));
    asking.end(content);
  });
}
