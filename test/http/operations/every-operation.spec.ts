import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { InMemoryStore } from '../../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../../src/adapters/in-memory/unit-of-work.ts';
import { AlreadyExecuted, IdempotentUnitOfWork } from '../../../src/application/idempotency.ts';
import { EventLog } from '../../../src/application/ports/event-log.ts';
import { Reader } from '../../../src/application/ports/reader.ts';
import { Storage } from '../../../src/application/ports/storage.ts';
import { UnitOfWork } from '../../../src/application/ports/unit-of-work.ts';
import { afterCheck } from '../../support/after-check.ts';
import type { Answer } from '../../support/client.ts';
import type { OperationObject } from '../../support/document-check.ts';
import { refused } from '../../support/refusals.ts';
import { requestIdOf } from '../../support/request-id.ts';
import { OVER_FETCH, type RunningPetstore, runningPetstore } from '../../support/running-petstore.ts';

interface Request {
  readonly path: string;
  readonly body?: unknown;
}

/** A request that succeeds for every operation, in the store that is set up below. */
const SUCCEEDING: Readonly<Record<string, Request>> = {
  listPets: { path: '/pets' },
  createPet: { path: '/pets', body: { name: 'Tim', categoryId: 1 } },
  createPets: { path: '/pets/batch', body: [{ name: 'Tim', categoryId: 1 }] },
  getPet: { path: '/pets/1' },
  getStorePet: { path: '/store/pets/1' },
  replacePet: { path: '/store/pets/1', body: { name: 'Tim', categoryId: 1 } },
  updatePet: { path: '/store/pets/1', body: { name: 'Tim' } },
  deletePet: { path: '/store/pets/2' },
  listCategories: { path: '/categories' },
  createCategory: { path: '/categories', body: { name: 'Birds' } },
  getCategory: { path: '/categories/1' },
  replaceCategory: { path: '/categories/1', body: { name: 'Hounds' } },
  updateCategory: { path: '/categories/1', body: { name: 'Hounds' } },
  deleteCategory: { path: '/categories/2' },
  listOrders: { path: '/store/orders' },
  placeOrder: { path: '/store/orders', body: { petId: 1 } },
  getOrder: { path: '/store/orders/1' },
  updateOrder: { path: '/store/orders/1', body: { quantity: 1 } },
  cancelOrder: { path: '/store/orders/1' },
  listInventory: { path: '/store/inventory' },
  getInventorySummary: { path: '/store/inventory/summary' },
  getInventoryItem: { path: '/store/inventory/1' },
  setStock: { path: '/store/inventory/1', body: { quantity: 9 } },
  listStockMovements: { path: '/store/inventory/1/movements' },
  listWebhooks: { path: '/store/webhooks' },
  createWebhook: { path: '/store/webhooks', body: { url: 'http://127.0.0.1:9/' } },
  getWebhook: { path: '/store/webhooks/1' },
  updateWebhook: { path: '/store/webhooks/1', body: { active: false } },
  deleteWebhook: { path: '/store/webhooks/1' },
  rotateWebhookSecret: { path: '/store/webhooks/1/rotate-secret' },
  listWebhookDeliveries: { path: '/store/webhooks/1/deliveries' },
  redeliverWebhook: { path: '/store/webhooks/1/deliveries/1/redeliver' },
  pingWebhook: { path: '/store/webhooks/1/ping' },
  listEvents: { path: '/store/events' },
};

/** Requests that cause the store's own refusals, for each operation that declares them. */
const REFUSED: Readonly<Record<string, Readonly<Record<string, Request>>>> = {
  createPet: { unknown_category: { path: '/pets', body: { name: 'Tim', categoryId: 9 } } },
  createPets: { unknown_category: { path: '/pets/batch', body: [{ name: 'Tim', categoryId: 9 }] } },
  replacePet: {
    unknown_category: { path: '/store/pets/1', body: { name: 'Tim', categoryId: 9 } },
    invalid_status_transition: { path: '/store/pets/3', body: { name: 'Tim', categoryId: 1, status: 'pending' } },
    status_managed_by_orders: { path: '/store/pets/1', body: { name: 'Tim', categoryId: 1, status: 'sold' } },
  },
  updatePet: {
    unknown_category: { path: '/store/pets/1', body: { categoryId: 9 } },
    invalid_status_transition: { path: '/store/pets/3', body: { status: 'pending' } },
    status_managed_by_orders: { path: '/store/pets/1', body: { status: 'sold' } },
  },
  deletePet: { pet_has_orders: { path: '/store/pets/1' } },
  createCategory: { category_name_taken: { path: '/categories', body: { name: 'cats' } } },
  replaceCategory: { category_name_taken: { path: '/categories/1', body: { name: 'cats' } } },
  updateCategory: { category_name_taken: { path: '/categories/1', body: { name: 'cats' } } },
  deleteCategory: { category_in_use: { path: '/categories/1' } },
  placeOrder: {
    unknown_pet: { path: '/store/orders', body: { petId: 9 } },
    pet_not_available: { path: '/store/orders', body: { petId: 3 } },
    insufficient_stock: { path: '/store/orders', body: { petId: 1, quantity: 4 } },
  },
  updateOrder: {
    order_already_complete: { path: '/store/orders/2', body: { quantity: 2 } },
    pet_not_available: { path: '/store/orders/3', body: { quantity: 2 } },
    insufficient_stock: { path: '/store/orders/1', body: { quantity: 6 } },
  },
  cancelOrder: { order_already_complete: { path: '/store/orders/2' } },
  setStock: { stock_below_reserved: { path: '/store/inventory/1', body: { quantity: 1 } } },
};

/** Pet 1 has five units, two of them promised; pet 2 nothing to do with orders; pet 3 is sold; pet 4 is held with an open order. */
async function furnish(store: RunningPetstore): Promise<void> {
  await store.category('Dogs');
  await store.category('Cats');
  await store.pet({ stock: 6 });
  await store.pet();
  await store.pet({ status: 'sold' });
  await store.pet({ stock: 5 });
  await store.order({ petId: 1, quantity: 2 });
  await store.order({ petId: 1, complete: true });
  await store.order({ petId: 4 });
  await store.patch('/store/pets/4', { status: 'pending' });
  await store.post('/store/webhooks', { url: 'http://127.0.0.1:9/', active: false });
  await store.send('POST', '/store/webhooks/1/ping');
}

type Provocation = (
  store: RunningPetstore,
  method: string,
  sound: Request,
  operation: OperationObject,
) => Promise<Answer>;

function ask(
  store: RunningPetstore,
  method: string,
  { path, body }: Request,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const json = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const content = body === undefined ? {} : { content: typeof body === 'string' ? body : JSON.stringify(body) };
  return store.send(method, path, { headers: { ...json, ...headers }, ...content });
}

const withQuery =
  (query: string): Provocation =>
  (store, method, { path, body }) =>
    ask(store, method, { path: `${path}?${query}`, body });
const withBody =
  (body: string): Provocation =>
  (store, method, { path }) =>
    ask(store, method, { path, body });
const withHeaders =
  (headers: Record<string, string>): Provocation =>
  (store, method, sound) =>
    ask(store, method, sound, headers);
const withId =
  (id: string): Provocation =>
  (store, method, { path, body }) =>
    ask(store, method, { path: path.replace(/\d+/, id), body });

const KEY = { 'Idempotency-Key': 'a-key' };

/** Another request under the same key, in progress while `act` runs, unless it was executed before. */
async function withSameKey(store: RunningPetstore, method: string, { path }: Request, act: () => Promise<string>) {
  const id = requestIdOf('anonymous', `${method.toLowerCase()} ${path}`, KEY['Idempotency-Key']);
  const idempotency = { id, fingerprint: 'another', render: String, renderRefusal: () => undefined };
  try {
    await store.petstore.container.get(IdempotentUnitOfWork).write(act, { idempotency });
  } catch (error) {
    if (!(error instanceof AlreadyExecuted)) throw error;
  }
}

/** Requests that cause the errors that every operation of a kind can return. */
const PROVOKED: Readonly<Record<string, Provocation>> = {
  malformed_request: withQuery('x=%zz'),
  unknown_parameter: withQuery('nonsense=1'),
  invalid_parameter: (store, method, sound, operation) =>
    store.check.parametersOf(operation).some((parameter) => parameter.in === 'path')
      ? withId('x')(store, method, sound, operation)
      : withQuery('limit=0')(store, method, sound, operation),
  invalid_cursor: withQuery('cursor=x'),
  invalid_header: withHeaders({ Expect: 'wonders' }),
  malformed_json: withBody('{'),
  validation_failed: withBody('null'),
  payload_too_large: withBody(' '.repeat(5000)),
  unsupported_media_type: withHeaders({ 'Content-Type': 'text/plain' }),
  forbidden_host: withHeaders({ Host: 'evil.example' }),
  not_acceptable: withHeaders({ Accept: 'text/html' }),
  uri_too_long: withQuery(`limit=${'1'.repeat(9000)}`),
  headers_too_large: withHeaders({ 'X-Long': 'x'.repeat(20_000) }),
  precondition_failed: withHeaders({ 'If-Match': '"another"' }),
  idempotency_key_reused: async (store, method, sound) => {
    await withSameKey(store, method, sound, async () => 'answered');
    return ask(store, method, sound, KEY);
  },
  idempotency_key_in_progress: async (store, method, sound) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const first = withSameKey(store, method, sound, () => promise);
    const answer = await ask(store, method, sound, KEY);
    resolve('answered');
    await first;
    return answer;
  },
  pet_not_found: withId('999'),
  category_not_found: withId('999'),
  order_not_found: withId('999'),
  webhook_not_found: withId('999'),
  delivery_not_found: (store, method) => ask(store, method, { path: '/store/webhooks/1/deliveries/999/redeliver' }),
  operation_withdrawn: (store, method, sound) => {
    store.clock.set(Date.UTC(2030, 0, 1));
    return ask(store, method, sound);
  },
  events_expired: async (store, method, { path }) => {
    const everything = { before: Number.MAX_SAFE_INTEGER, upTo: 0 };
    await store.petstore.container.get(UnitOfWork).write(({ outbox }) => outbox.purge(everything, 1_000));
    return ask(store, method, { path: `${path}?after=0` });
  },
  unavailable: async (store, method, sound) => {
    await store.petstore.container.get(Storage).close();
    return ask(store, method, sound);
  },
};

/** Occurs before the operation is known, and takes its time: it is tested once, on a raw socket. */
const ELSEWHERE = ['request_timeout'];
/** Needs a store that fails: tested below. */
const FAILING = ['internal_error'];

describe('Every operation', () => {
  const store = runningPetstore({ limits: { body: 4096, batchBody: 4096 } });

  const operations = () =>
    Object.values(store.document.paths).flatMap((methods) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), operation })),
    );

  /** The codes that an operation declares, by status. */
  const declared = ({ responses }: OperationObject) =>
    Object.keys(responses)
      .filter((status) => Number(status) >= 400)
      .flatMap((status) =>
        store.check.codesOf(responses[status] ?? expect.fail()).map((code) => ({ status: Number(status), code })),
      );

  it('is in the list of this test', () => {
    expect(operations().map(({ operation }) => operation.operationId)).to.have.members(Object.keys(SUCCEEDING));
  });

  for (const [operationId, sound] of Object.entries(SUCCEEDING)) {
    const found = () =>
      operations().find(({ operation }) => operation.operationId === operationId) ?? expect.fail('It is gone.');

    describe(operationId, () => {
      beforeEach(() => furnish(store));

      it('succeeds as it declares, and returns 304 for what has not changed', async () => {
        const { method, operation } = found();

        const answer = await ask(store, method, sound);

        expect(Object.keys(operation.responses), answer.text).to.include(String(answer.status));
        expect(answer.status).to.be.below(300);
        if (method === 'GET') expect((await ask(store, method, sound, { 'If-None-Match': '*' })).status).to.equal(304);
      });

      it('is refused in every way that it declares', async () => {
        const { method, operation } = found();
        const codes = declared(operation).filter(
          ({ code }) => ![...ELSEWHERE, ...FAILING, ...OF_SERVER].includes(code),
        );
        // What cannot be taken back comes last: a key is used up, the clock moved, the storage closed.
        const last = ['idempotency_key_reused', 'operation_withdrawn', 'unavailable'];
        const inOrder = codes.toSorted((a, b) => last.indexOf(a.code) - last.indexOf(b.code));

        for (const { status, code } of inOrder) {
          if (code === 'unavailable') store.clock.set(Date.UTC(2026, 11, 1));
          const own = REFUSED[operationId]?.[code];
          const provoke = own ? () => ask(store, method, own) : PROVOKED[code];
          if (!provoke) expect.fail(`This test cannot provoke ${code}.`);
          refused(await provoke(store, method, sound, operation), status, code);
        }
        expect(codes.map(({ code }) => code)).to.include.members(Object.keys(REFUSED[operationId] ?? {}));
      });
    });
  }
});

/** What only the server checks, before `fetch` would be called. */
const OF_SERVER = OVER_FETCH ? ['forbidden_host', 'headers_too_large'] : [];

describe('Every operation on a failing store', () => {
  const fail = () => Promise.reject(new Error('broken'));
  const sound = new Map<string | symbol, unknown>([
    ['then', undefined],
    ['subscribe', () => () => {}],
  ]);
  const broken = new Proxy({}, { get: (_, name) => (sound.has(name) ? sound.get(name) : fail) });
  const store = runningPetstore({
    modules: [
      new ContainerModule(({ rebind }) => {
        rebind(Reader).toConstantValue(broken as Reader);
        rebind(EventLog).toConstantValue(broken as EventLog);
        const whole = new InMemoryUnitOfWork(new InMemoryStore());
        rebind(UnitOfWork).toConstantValue(afterCheck(whole, broken as UnitOfWork));
      }),
    ],
  });

  it('returns an internal error', async () => {
    for (const methods of Object.values(store.document.paths)) {
      for (const [method, { operationId }] of Object.entries(methods)) {
        const sound = SUCCEEDING[operationId] ?? expect.fail(`${operationId} is not known here.`);
        refused(await ask(store, method.toUpperCase(), sound), 500, 'internal_error');
      }
    }
  });
});

describe('Every documented example of a body', () => {
  const store = runningPetstore();

  /** The content of the store to which the examples refer, in a new store for each. */
  async function begin(): Promise<void> {
    await store.close();
    await store.open();
    await store.category('My dogs');
    await store.post(
      '/pets/batch',
      Array.from({ length: 7 }, () => ({ name: 'Rex', categoryId: 1 })),
    );
    await store.stock(7, 50);
    for (let i = 0; i < 3; i++) await store.order({ petId: 7 });
    for (let i = 0; i < 3; i++) await store.post('/store/webhooks', { url: 'http://127.0.0.1:9/', active: false });
  }

  it('is accepted, at the documented example of a path', async () => {
    let taken = 0;
    for (const [template, methods] of Object.entries(store.document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const { operationId, requestBody } = operation;
        const path = store.check
          .parametersOf(operation)
          .filter((parameter) => parameter.in === 'path')
          .reduce((filled, { name, example }) => filled.replace(`{${name}}`, String(example)), template);
        for (const [type, { example }] of Object.entries(requestBody?.content ?? {})) {
          await begin();
          const answer = await ask(store, method.toUpperCase(), { path, body: example }, { 'Content-Type': type });
          expect(answer.status, `${operationId}: ${answer.text}`).to.be.oneOf([200, 201]);
          taken += 1;
        }
      }
    }
    expect(taken).to.be.above(10);
  });

  it('exists for every operation that takes a body', () => {
    for (const methods of Object.values(store.document.paths)) {
      for (const { operationId, requestBody } of Object.values(methods)) {
        for (const media of Object.values(requestBody?.content ?? {}))
          expect(media, operationId).to.have.property('example');
      }
    }
  });
});
