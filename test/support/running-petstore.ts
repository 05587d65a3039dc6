import { join } from 'node:path';
import { ContainerModule } from 'inversify';
import type { CategoryBody, InventoryItemBody, NewPet, OrderBody, PetBody } from '../../src/api/schemas/schemas.ts';
import { Clock } from '../../src/application/ports/clock.ts';
import { createPetstore, type Petstore, type PetstoreConfig } from '../../src/composition/create-petstore.ts';
import { FixedClock } from '../../src/conformance/fixed-clock.ts';
import { Client } from './client.ts';
import { DocumentCheck, type OpenApi } from './document-check.ts';
import { postgresServer } from './postgres-server.ts';
import { removeFolder, temporaryFolder } from './temporary.ts';

/** The clock at the start of every test: 2026-11-21, 09:00 UTC. */
export const OPENING = Date.UTC(2026, 10, 21, 9);

/** On a busy machine the event loop lags: no request is shed for that, unless a test is about it. */
export const PATIENT = { eventLoopLag: 60_000 } as const;

/** Whether requests are sent to the service's own `fetch`, without a network. */
export const OVER_FETCH = process.env['PETSTORE_TEST_TRANSPORT'] === 'fetch';

export interface Circumstances extends Omit<PetstoreConfig, 'databaseUrl'> {
  readonly storage?: 'memory' | 'sqlite' | 'postgresql';
  /** The address of the store, if not the direct one. */
  readonly through?: (url: string) => string;
}

/**
 * A petstore of its own for every test of the suite, with nothing in it, on a free port, under a clock that stands still.
 * Circumstances that are not clear before the suite runs come from a function.
 */
export function runningPetstore(circumstances: Circumstances | (() => Circumstances) = {}): RunningPetstore {
  const store = new RunningPetstore();
  beforeEach(() => store.open(typeof circumstances === 'function' ? circumstances() : circumstances));
  afterEach(() => store.close());
  return store;
}

export class RunningPetstore extends Client {
  #petstore: Petstore | undefined;
  #clock = new FixedClock(OPENING);
  #check: DocumentCheck | undefined;
  #folder: string | undefined;
  #database: string | undefined;

  async open({ storage = 'memory', modules = [], through, ...config }: Circumstances = {}): Promise<void> {
    const clock = new FixedClock(OPENING);
    this.#clock = clock;
    const url = await this.#newStore(storage);
    const timing = new ContainerModule(({ rebind }) => void rebind(Clock).toConstantValue(clock));
    this.#petstore = await createPetstore({
      port: 0,
      demo: false,
      logLevel: 'silent',
      sqliteSynchronous: 'normal',
      ...config,
      limits: { ...PATIENT, ...config.limits },
      databaseUrl: through?.(url) ?? url,
      modules: [timing, ...modules],
    });
    const { url: address } = this.#petstore;
    const check = await documentOf(address, JSON.stringify(config));
    this.#check = check;
    const handler = OVER_FETCH ? this.#petstore.fetch : undefined;
    this.connect(address, (exchanged) => check.check(exchanged), handler);
  }

  async close(): Promise<void> {
    this.disconnect();
    await this.#petstore?.close();
    this.#petstore = undefined;
    if (this.#folder !== undefined) await removeFolder(this.#folder);
    this.#folder = undefined;
    if (this.#database !== undefined) await postgresServer.takeBack(this.#database);
    this.#database = undefined;
  }

  get petstore(): Petstore {
    if (!this.#petstore) throw new Error('The petstore is not open.');
    return this.#petstore;
  }

  get clock(): FixedClock {
    return this.#clock;
  }

  /** The file of a store on SQLite. */
  get file(): string {
    if (this.#folder === undefined) throw new Error('This store is kept in no file.');
    return join(this.#folder, 'store.db');
  }

  /** The address of a store on PostgreSQL. */
  get databaseUrl(): string {
    if (this.#database === undefined) throw new Error('This store is kept in no database.');
    return this.#database;
  }

  /** The OpenAPI document of the service. */
  get check(): DocumentCheck {
    if (!this.#check) throw new Error('The petstore is not open.');
    return this.#check;
  }

  get document(): OpenApi {
    return this.check.document;
  }

  /** Creates a category. */
  async category(name = 'Dogs', description?: string): Promise<CategoryBody> {
    return this.#made('/categories', { name, description });
  }

  /** Creates a pet with a number of units, in the first category by default. */
  async pet({ stock, ...pet }: Partial<NewPet> & { readonly stock?: number } = {}): Promise<PetBody> {
    const categoryId = pet.categoryId ?? (await this.#firstCategory());
    const made = await this.#made<PetBody>('/pets', { name: 'Rex', ...pet, categoryId });
    if (stock === undefined) return made;
    await this.stock(made.id, stock);
    return (await this.get<PetBody>(`/store/pets/${made.id}`)).body;
  }

  /** Sets the stock count of a pet. */
  async stock(petId: number, quantity: number): Promise<InventoryItemBody> {
    const { status, body, text } = await this.put<InventoryItemBody>(`/store/inventory/${petId}`, { quantity });
    if (status !== 200) throw new Error(`The stock could not be set: ${text}`);
    return body;
  }

  /** Places an order. */
  order(order: { petId: number; quantity?: number; shipDate?: string; complete?: boolean }): Promise<Made<OrderBody>> {
    return this.#made('/store/orders', order);
  }

  async #firstCategory(): Promise<number> {
    const { body } = await this.get<CategoryBody[]>('/categories?limit=1');
    return body[0]?.id ?? (await this.category()).id;
  }

  async #made<Body>(path: string, wish: object): Promise<Made<Body>> {
    const { status, body, text } = await this.post<Made<Body>>(path, wish);
    if (status !== 201) throw new Error(`${path} could not be made: ${text}`);
    return body;
  }

  async #newStore(storage: Circumstances['storage']): Promise<string> {
    if (storage === 'memory') return 'memory:';
    if (storage === 'postgresql') {
      this.#database = await postgresServer.makeStore();
      return this.#database;
    }
    this.#folder = await temporaryFolder();
    return `sqlite:${join(this.#folder, 'store.db')}`;
  }
}

const documents = new Map<string, DocumentCheck>();

/** The document of the service; fetched once for each combination of settings. */
async function documentOf(url: string, settings: string): Promise<DocumentCheck> {
  const known = documents.get(settings);
  if (known) return known;
  const answer = await fetch(`${url}/openapi.json`, { headers: { Connection: 'close' } });
  const check = DocumentCheck.by(await answer.text());
  documents.set(settings, check);
  return check;
}

type Made<Body> = Body & { readonly id: number };
