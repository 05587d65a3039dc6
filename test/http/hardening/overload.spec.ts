import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { LoadShedder } from '../../../src/adapters/http/handler/load-shedder.ts';
import { InMemoryStore } from '../../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../../src/adapters/in-memory/unit-of-work.ts';
import type { InventoryItemBody, OrderBody } from '../../../src/api/schemas/schemas.ts';
import { CredentialVerifier } from '../../../src/application/ports/credential-verifier.ts';
import { UnitOfWork, type WriteOptions, type WriteScope } from '../../../src/application/ports/unit-of-work.ts';
import { latch } from '../../support/promises.ts';
import { RawSocket } from '../../support/raw-socket.ts';
import { refused } from '../../support/refusals.ts';
import { runningPetstore } from '../../support/running-petstore.ts';
import { posting } from '../raw-socket/raw-requests.ts';

/** Where a unit of work can be delayed: before its first step, before it writes its event, and while it is committed. */
type Place = 'at its beginning' | 'in its middle' | 'in its commit';

/** A storage that delays units of work on request, and has no time limit itself. */
class HeldUp extends UnitOfWork {
  readonly #inner: UnitOfWork;
  #hold: { readonly place: Place; readonly begun: () => void; readonly end: Promise<void> } | undefined;
  readonly #ended: Promise<unknown>[] = [];

  constructor(inner: UnitOfWork) {
    super();
    this.#inner = inner;
  }

  /** Delays every unit of work until `release` is called; `begun` resolves when one is delayed. */
  hold(place: Place): { begun: Promise<void>; release: () => void } {
    const [begun, end] = [latch(), latch()];
    this.#hold = { place, begun: begun.open, end: end.opened };
    return {
      begun: begun.opened,
      release: () => {
        this.#hold = undefined;
        end.open();
      },
    };
  }

  /** Resolves when all units of work so far have ended, successfully or not. */
  async allEnded(): Promise<void> {
    await Promise.allSettled(this.#ended);
  }

  override write<Result>(work: (scope: WriteScope) => Promise<Result>, options?: WriteOptions): Promise<Result> {
    const hold = this.#hold;
    const held = async (place: Place) => {
      if (hold?.place !== place) return;
      hold.begun();
      await hold.end;
    };
    const committed = this.#inner.write(async (scope) => {
      await held('at its beginning');
      const result = await work({
        ...scope,
        outbox: {
          purge: async () => 0,
          append: async (event) => {
            await held('in its middle');
            await scope.outbox.append(event);
          },
        },
      });
      return result;
    }, options);
    const ended = committed.then(async (result) => {
      await held('in its commit');
      return result;
    });
    this.#ended.push(ended);
    return ended;
  }
}

const holding = new ContainerModule(({ rebind }) => {
  rebind(UnitOfWork)
    .toResolvedValue((store) => new HeldUp(new InMemoryUnitOfWork(store)), [InMemoryStore])
    .inSingletonScope();
});

describe('A request whose operation takes too long', () => {
  const store = runningPetstore({ modules: [holding], limits: { operationTime: 1_500 } });

  const storage = () => store.petstore.container.get(UnitOfWork) as HeldUp;
  const stock = async () => (await store.get<InventoryItemBody>('/store/inventory/1')).body;
  const orders = async () => (await store.get<OrderBody[]>('/store/orders')).body;

  for (const place of ['at its beginning', 'in its middle'] as const) {
    for (const headers of [{}, { 'Idempotency-Key': 'mine' }]) {
      const withKey = 'Idempotency-Key' in headers ? ', with an Idempotency-Key' : '';
      it(`${place} is 503, and nothing of it is stored${withKey}`, async () => {
        await store.pet({ stock: 5 });
        const { begun, release } = storage().hold(place);

        const answer = store.post('/store/orders', { petId: 1, quantity: 2 }, headers);
        await begun;
        const { message } = refused(await answer, 503, 'unavailable');
        release();
        await storage().allEnded();

        expect(message).to.include('1500 ms');
        expect(Number((await answer).header('retry-after'))).to.be.at.least(1);
        expect(await orders()).to.deep.equal([]);
        expect(await stock()).to.deep.include({ quantity: 5, reserved: 0 });
        expect((await store.post('/store/orders', { petId: 1, quantity: 2 }, headers)).status).to.equal(201);
        expect(await stock()).to.deep.include({ reserved: 2 });
      });
    }
  }

  it('while it is being committed is answered with its result, however long that takes', async () => {
    await store.pet({ stock: 5 });
    const { begun, release } = storage().hold('in its commit');
    const first = store.post<OrderBody>('/store/orders', { petId: 1 });
    await begun;

    // It arrived later: when its time is over, so is that of the first.
    const stalled = storage().hold('at its beginning');
    const second = await store.post('/store/orders', { petId: 1 });
    stalled.release();
    release();
    await storage().allEnded();

    refused(second, 503, 'unavailable');
    expect((await first).status).to.equal(201);
    expect(await orders()).to.have.length(1);
  });
});

describe('More requests than may be in flight', () => {
  const store = runningPetstore({ modules: [holding], limits: { requestsInFlight: 2 } });

  it('are 503 at once, before anything is done, until others have ended', async () => {
    await store.pet({ stock: 9 });
    const storage = store.petstore.container.get(UnitOfWork) as HeldUp;
    const { begun, release } = storage.hold('at its beginning');
    const held = [store.post('/store/orders', { petId: 1 }), store.post('/store/orders', { petId: 1 })];
    await begun;
    // The second is in flight as soon as its body has been read.
    while (!/^petstore_http_requests_in_flight 2$/m.test((await store.get('/metrics')).text));

    for (const answer of [await store.post('/store/orders', { petId: 1 }), await store.get('/pets')]) {
      refused(answer, 503, 'unavailable');
      expect(Number(answer.header('retry-after'))).to.be.at.least(1);
    }
    expect((await store.get('/health/live')).status).to.equal(200);
    expect((await store.get('/metrics')).text).to.match(/^petstore_http_requests_shed_total 2$/m);

    release();
    expect((await Promise.all(held)).map(({ status }) => status)).to.deep.equal([201, 201]);
    expect((await store.post('/store/orders', { petId: 1 })).status).to.equal(201);
    expect((await store.get<OrderBody[]>('/store/orders')).body).to.have.length(3);
  });
});

describe('More credentials than may be verified at once', () => {
  let release = () => {};
  const verifier = new ContainerModule(({ bind }) => {
    bind(CredentialVerifier).toConstantValue({
      async verify(credential) {
        await new Promise<void>((resolve) => {
          const others = release;
          release = () => {
            others();
            resolve();
          };
        });
        return { name: `acme:${credential}`, scopes: new Set(['pets:read'] as const) };
      },
    });
  });
  const store = runningPetstore({ modules: [verifier], auth: ['api-key'], limits: { requestsInFlight: 2 } });

  it('are 503 at once, before they are verified, until others have ended', async () => {
    const ask = (guest: string) => store.get('/pets', { Authorization: `Bearer ${guest}` });
    const held = [ask('alice'), ask('bob')];
    while (store.petstore.container.get(LoadShedder).requestsInFlight < 2)
      await new Promise((resolve) => setImmediate(resolve));

    refused(await ask('carol'), 503, 'unavailable');
    expect((await store.get('/health/live')).status).to.equal(200);
    expect((await store.get('/openapi.json', { Authorization: 'Bearer dora' })).status).to.equal(200);

    release();
    expect((await Promise.all(held)).map(({ status }) => status)).to.deep.equal([200, 200]);
    const last = ask('carol');
    while (store.petstore.container.get(LoadShedder).requestsInFlight < 1)
      await new Promise((resolve) => setImmediate(resolve));
    release();
    expect((await last).status).to.equal(200);
  });
});

describe('A process whose event loop lags', () => {
  const store = runningPetstore({ limits: { eventLoopLag: 1_000 } });

  it('sheds requests, and accepts them again when it has caught up', async () => {
    const socket = await RawSocket.connect(store.url);
    // The request has arrived when the loop continues; the lag is measured before it is handled.
    socket.send(posting('{"name":"Dogs"}', 'Content-Length: 15'));
    const until = performance.now() + 2_500;
    while (performance.now() < until);

    const answer = await socket.answer();
    await socket.close();
    expect([answer?.status, JSON.parse(String(answer?.body)).code]).to.deep.equal([503, 'unavailable']);
    expect((await store.get('/health/live')).status).to.equal(200);
    let status = 503;
    while (status === 503) ({ status } = await store.post('/categories', { name: 'Cats' }));
    expect(status).to.equal(201);
  });
});
