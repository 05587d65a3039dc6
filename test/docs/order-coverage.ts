import { Session } from 'node:inspector/promises';
import { ContainerModule } from 'inversify';
import { SqliteUnitOfWork } from '../../src/adapters/mikro-orm/sqlite/unit-of-work.ts';
import { UnitOfWork, type WriteOptions, type WriteScope } from '../../src/application/ports/unit-of-work.ts';
import { createPetstore } from '../../src/composition/create-petstore.ts';

/*
 * Prints, as JSON, the files of src of which a function runs while an order is placed, and those of which one runs inside the unit of
 * work of a change. A process of its own, because the coverage of a process is measured once.
 */
const [databaseUrl = ''] = process.argv.slice(2);
const root = new URL('../../', import.meta.url).href;
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** The files of which a function ran since the last call. */
async function used(): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files = result.filter(
    ({ url, functions }) =>
      url.startsWith(`${root}src/`) &&
      functions.some(({ ranges: [whole] }) => whole && whole.startOffset > 0 && whole.count > 0),
  );
  return files.map(({ url }) => url.slice(root.length));
}

const before = new Set<string>();
const inside = new Set<string>();

class WatchedUnitOfWork extends UnitOfWork {
  readonly #inner: UnitOfWork;

  constructor(inner: UnitOfWork) {
    super();
    this.#inner = inner;
  }

  write<Result>(work: (scope: WriteScope) => Promise<Result>, options?: WriteOptions): Promise<Result> {
    return this.#inner.write(async (scope) => {
      for (const file of await used()) before.add(file);
      const result = await work(scope);
      for (const file of await used()) inside.add(file);
      return result;
    }, options);
  }
}

const petstore = await createPetstore({
  databaseUrl,
  port: 0,
  demo: true,
  logLevel: 'silent',
  limits: { eventLoopLag: 60_000, operationTime: 60_000 },
  modules: [
    new ContainerModule(({ rebind }) => {
      rebind(UnitOfWork)
        .toResolvedValue((inner) => new WatchedUnitOfWork(inner), [SqliteUnitOfWork])
        .inSingletonScope();
    }),
  ],
});

async function send(method: string, path: string, body: object, headers = {}): Promise<Response> {
  const response = await fetch(petstore.url + path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response;
}

/** All files that a request runs through, and those inside its unit of work. */
async function measured(request: () => Promise<Response>) {
  await used();
  before.clear();
  inside.clear();
  await request();
  return { all: [...new Set([...before, ...inside, ...(await used())])].sort(), inside: [...inside].sort() };
}

const tag = (await fetch(`${petstore.url}/store/pets/2`)).headers.get('etag') ?? '';
const order = await measured(() => send('POST', '/store/orders', { petId: 1 }));
const patch = await measured(() =>
  send('PATCH', '/store/pets/2', { name: 'Rex' }, { 'If-Match': tag, 'Idempotency-Key': 'k' }),
);
console.log(JSON.stringify({ order, patch }));
await petstore.close();
