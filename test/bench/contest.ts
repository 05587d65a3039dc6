import { join } from 'node:path';
import { CONTESTANTS, type Contestant, type Launch, launchService, type Terms } from './contestants.ts';
import { differencesOf } from './same-responses.ts';
import { Server } from './server.ts';
import { auditShop } from './shop.ts';
import type { Store } from './store.ts';

/** A contestant that runs. */
export interface Entrant {
  readonly name: Contestant;
  /** Its process, or several processes on one shop. */
  readonly servers: readonly [Server, ...Server[]];
  /** Its own copy of the shop. */
  readonly shop: string;
  /** The headers of every request to it. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ContestTerms extends Terms {
  readonly pets: number;
  /** The service first. */
  readonly contestants: readonly Contestant[];
  /** For the output of the servers. */
  readonly folder: string;
  /** Makes the shop, where the store of this checkout does not. */
  readonly shopStore?: Store | undefined;
}

/** Contestants, each on its own copy of one shop. */
export class Contest {
  readonly pets: number;
  readonly store: Store;
  readonly service: Entrant;
  readonly entrants: readonly Entrant[];
  readonly #terms: ContestTerms;
  /** Further processes of the service, on its shop. */
  readonly #helpers: Server[] = [];

  private constructor(terms: ContestTerms, service: Entrant, others: readonly Entrant[]) {
    this.pets = terms.pets;
    this.store = terms.store;
    this.service = service;
    this.entrants = [service, ...others];
    this.#terms = terms;
  }

  /** Makes a shop in the store, copies it, and starts all contestants. */
  static async open(terms: ContestTerms): Promise<Contest> {
    const { pets, contestants, store, shopStore = store } = terms;
    const shop = await shopStore.makeShop('service', pets);
    const shops: [Contestant, string][] = [];
    for (const name of contestants) {
      shops.push([name, name === 'service' ? shop : await store.copyShop(shop, name)]);
    }
    const entrants: Entrant[] = [];
    for (const [name, copy] of shops) entrants.push(await start(name, copy, terms));
    const [service, ...others] = entrants;
    if (service?.name !== 'service') throw new Error('The service must take part.');
    return new Contest(terms, service, others);
  }

  /** Starts further processes of the service on its shop. Returns the first `count` of all for each of the counts. */
  async reinforce(counts: readonly number[]): Promise<Map<number, Entrant>> {
    const { service, store, folder } = this.#terms;
    while (this.#helpers.length < Math.max(...counts) - 1) {
      const { args, environment } = launchService(service, this.service.shop, store);
      this.#helpers.push(await Server.start(args, environment, join(folder, `helper-${this.#helpers.length}.log`)));
    }
    const [first] = this.service.servers;
    return new Map(
      counts.map((count) => [count, { ...this.service, servers: [first, ...this.#helpers.slice(0, count - 1)] }]),
    );
  }

  /** Checks that all contestants return the same responses. Returns what is wrong. */
  async compare(): Promise<string[]> {
    return [...(await differencesOf(this.entrants, this.pets)), ...(await this.#unguarded())];
  }

  /** Ends all contestants and audits their shops. Returns what is wrong. */
  async close(): Promise<string[]> {
    for (const server of [...this.entrants.flatMap(({ servers }) => servers), ...this.#helpers]) await server.stop();
    const broken: string[] = [];
    for (const { name, shop } of this.entrants) {
      const { findings } = await auditShop(shop);
      if (findings[0]) broken.push(`${name} broke a rule of stock: pet ${findings[0].petId}, ${findings[0].message}.`);
      await this.store.removeShop(shop);
    }
    return broken;
  }

  /** A guard that admits everyone, or counts nothing, would look as fast as none. */
  async #unguarded(): Promise<string[]> {
    const guarded = this.entrants.find(({ name }) => name === 'guarded');
    if (!guarded) return [];
    const { status, headers } = await fetch(`${guarded.servers[0].url}/store/pets/1`);
    const complaints: string[] = [];
    if (status !== 401) complaints.push(`guarded returns ${status} without a key.`);
    if (!headers.has('ratelimit')) complaints.push('guarded does not count requests.');
    return complaints;
  }
}

async function start(name: Contestant, shop: string, terms: ContestTerms): Promise<Entrant> {
  const launch: Launch = await CONTESTANTS[name].launch(shop, terms);
  const server = await Server.start(launch.args, launch.environment, join(terms.folder, `${name}.log`));
  return { name, shop, servers: [server], headers: launch.headers ?? {} };
}
