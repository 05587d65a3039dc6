import { join } from 'node:path';
import { requestsFor, WORK, type Work } from './requests.ts';
import { Server } from './server.ts';
import { auditShop, issueKey } from './shop.ts';
import type { Store } from './store.ts';

/** Who is measured beside the service: the least that does its work, and itself with credentials and limits. */
export type Rival = 'floor' | 'guarded';
export type Who = 'service' | Rival;

/** What `npm start` tells Node. */
const FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=50'];

/** Limits that count every request twice, as the default ones do, and refuse nobody. */
export const LIMITS = { PETSTORE_RATE_PER_MINUTE: '1000000000', PETSTORE_RATE_BURST: '166666666' } as const;

export interface Entrant {
  readonly who: Who;
  /** The process that is asked, or several on one shop. */
  readonly servers: readonly [Server, ...Server[]];
  /** Its own copy of the shop. */
  readonly shop: string;
  /** What every request to it carries. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What a contest is about. */
export interface Terms {
  readonly pets: number;
  readonly rivals: readonly Rival[];
  readonly store: Store;
  /** The service's own start file. */
  readonly program: string;
  /** Where everybody's output goes. */
  readonly folder: string;
}

/** The service and its rivals, each on its own copy of one shop. */
export class Contest {
  readonly pets: number;
  readonly store: Store;
  readonly service: Entrant;
  /** The service and its rivals. */
  readonly entrants: readonly Entrant[];
  readonly #terms: Terms;
  /** Processes of the service that came later, on its shop. */
  readonly #helpers: Server[] = [];

  private constructor(terms: Terms, service: Entrant, rivals: readonly Entrant[]) {
    this.pets = terms.pets;
    this.store = terms.store;
    this.service = service;
    this.entrants = [service, ...rivals];
    this.#terms = terms;
  }

  /** Makes a shop in the store, and starts everybody on it. */
  static async open(terms: Terms): Promise<Contest> {
    const { pets, rivals, store } = terms;
    const shop = await store.makeShop(`service-${pets}`, pets);
    const shops: [Rival, string][] = [];
    for (const rival of rivals) shops.push([rival, await store.copyShop(shop, `${rival}-${pets}`)]);

    const service = await start('service', shop, terms);
    const others: Entrant[] = [];
    for (const [rival, copy] of shops) others.push(await start(rival, copy, terms));
    return new Contest(terms, service, others);
  }

  /** Has more processes of the service work on its shop, and gives the first `count` of all for each of the counts. */
  async reinforce(counts: readonly number[]): Promise<Map<number, Entrant>> {
    while (this.#helpers.length < Math.max(...counts) - 1) {
      const log = join(this.#terms.folder, `helper-${this.#helpers.length}.log`);
      this.#helpers.push(await startOpen(this.service.shop, this.#terms, log));
    }
    const [first] = this.service.servers;
    return new Map(
      counts.map((count) => [count, { ...this.service, servers: [first, ...this.#helpers.slice(0, count - 1)] }]),
    );
  }

  /** All must give the same answers before it means anything who is faster. Gives what is not as it must be. */
  async compare(): Promise<string[]> {
    const differences: string[] = [];
    for (const work of Object.keys(WORK) as Work[]) {
      for (const { path, method, headers, body } of requestsFor(work, this.pets).slice(0, 20)) {
        const answers = await Promise.all(
          this.entrants.map(async ({ servers: [server], headers: own }) => {
            const init = { method, headers: { ...headers, ...own }, ...(body !== undefined && { body }) };
            const answer = await fetch(server.url + path, init);
            return `${answer.status} ${await answer.text()}`;
          }),
        );
        if (new Set(answers).size === 1) continue;
        const told = answers.map((answer, i) => `\n  ${this.entrants[i]?.who.padEnd(7)} ${answer}`);
        differences.push(`${method} ${path} is answered differently:${told.join('')}`);
        break;
      }
    }
    return [...differences, ...(await this.#unguarded())];
  }

  /** Ends all, has the service's own audit look over what each of them wrote, and gives what it found. */
  async close(): Promise<string[]> {
    for (const server of [...this.entrants.flatMap(({ servers }) => servers), ...this.#helpers]) await server.stop();
    const broken: string[] = [];
    for (const { who, shop } of this.entrants) {
      const { findings } = await auditShop(shop);
      if (findings[0])
        broken.push(`The ${who} broke a rule of stock: pet ${findings[0].petId}, ${findings[0].message}.`);
      await this.store.removeShop(shop);
    }
    return broken;
  }

  /** A guard that lets everybody in, or counts nobody, would look as fast as none. */
  async #unguarded(): Promise<string[]> {
    const guarded = this.entrants.find(({ who }) => who === 'guarded');
    if (!guarded) return [];
    const { status, headers } = await fetch(`${guarded.servers[0].url}/store/pets/1`);
    const complaints: string[] = [];
    if (status !== 401) complaints.push(`The guarded service answers ${status} to who shows no key.`);
    if (!headers.has('ratelimit')) complaints.push('The guarded service does not count requests.');
    return complaints;
  }
}

async function start(who: Who, shop: string, terms: Terms): Promise<Entrant> {
  const { store, folder, program } = terms;
  const log = join(folder, `${who}-${terms.pets}.log`);
  switch (who) {
    case 'floor': {
      const server = await Server.start([store.floor], { DATABASE_URL: shop, ...store.environment }, log);
      return { who, shop, servers: [server], headers: {} };
    }
    case 'service':
      return { who, shop, servers: [await startOpen(shop, terms, log)], headers: {} };
    case 'guarded': {
      const headers = { authorization: `Bearer ${await issueKey(shop)}` };
      const environment = { ...environmentOn(shop, store), PETSTORE_AUTH: 'api-key', ...LIMITS };
      return { who, shop, servers: [await Server.start([...FLAGS, program, 'serve'], environment, log)], headers };
    }
  }
}

/** Starts the service so that it asks nobody who they are. */
function startOpen(shop: string, { store, program }: Terms, log: string): Promise<Server> {
  return Server.start([...FLAGS, program, 'serve'], { ...environmentOn(shop, store), PETSTORE_AUTH: 'open' }, log);
}

function environmentOn(shop: string, { environment }: Store) {
  return { DATABASE_URL: shop, HOST: '127.0.0.1', PORT: '0', PETSTORE_DEMO: 'off', ...environment };
}
