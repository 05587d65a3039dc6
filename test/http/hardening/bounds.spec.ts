import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { mock } from 'node:test';
import { expect } from 'chai';
import { LoadShedder } from '../../../src/adapters/http/handler/load-shedder.ts';
import { Metrics } from '../../../src/adapters/http/handler/metrics.ts';
import { RequestDeadlines } from '../../../src/adapters/http/handler/request-deadlines.ts';
import { AddressLimit } from '../../../src/adapters/http/koa/address-limit.ts';
import { queryReader } from '../../../src/adapters/http/request/query.ts';
import { DEFAULT_LIMITS } from '../../../src/adapters/http/settings.ts';
import { AjvCompiler } from '../../../src/api/ajv-compiler.ts';
import { petOperations } from '../../../src/api/pets.operations.ts';
import { RawSocket } from '../../support/raw-socket.ts';
import { runningPetstore } from '../../support/running-petstore.ts';
import { request } from '../raw-socket/raw-requests.ts';

describe('Parsed queries', () => {
  const reader = () => queryReader({ name: { description: 'A name.', schema: { type: 'string' } } }, new AjvCompiler());

  it('are cached, up to 500 of them', () => {
    const read = reader();
    const first = read('name=first');
    for (let i = 0; i < 498; i++) read(`name=${i}`);
    expect(read('name=first')).to.equal(first);

    for (let i = 500; i < 1_000; i++) read(`name=${i}`);

    expect(read('name=first') === first).to.equal(false);
    expect(read('name=first')).to.deep.equal(first);
  });

  it('are not cached if they are long', () => {
    const read = reader();
    const [short, long] = [`name=${'x'.repeat(195)}`, `name=${'x'.repeat(196)}`];

    expect(read(short)).to.equal(read(short));
    expect(read(long)).to.not.equal(read(long));
  });
});

describe('Callers in the metrics', () => {
  it('are counted separately up to a thousand, and together beyond that', () => {
    const metrics = new Metrics();
    const getPet = petOperations({ since: 0, sunset: 1 }).find(({ operationId }) => operationId === 'getPet');
    if (!getPet) return expect.fail('There is no getPet.');

    for (let i = 0; i < 1_100; i++) metrics.observe(getPet, 200, 0.001, `key:${i}`);
    metrics.observe(getPet, 200, 0.001, 'key:999');

    const lines = metrics.print([]).match(/^petstore_deprecated_calls_total\{.*$/gm) ?? [];
    expect(lines).to.have.length(1_001);
    expect(lines).to.include('petstore_deprecated_calls_total{operation="getPet",caller="key:999"} 2');
    expect(lines).to.include('petstore_deprecated_calls_total{operation="getPet",caller="others"} 100');
  });
});

describe('The limit on the connections of an address', () => {
  const accepted: Socket[] = [];
  let server: Server;
  afterEach(() => {
    server.close();
    for (const socket of accepted.splice(0)) socket.destroy();
  });

  it('forgets an address with its last connection', async () => {
    const limit = new AddressLimit(2);
    server = createServer((socket) => {
      socket.on('error', () => undefined).resume();
      accepted.push(socket);
      limit.admit(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const clientFrom = async (localAddress: string) => {
      const client = connect({ host: '127.0.0.1', port, localAddress });
      const [socket] = await Promise.all([once(server, 'connection'), once(client, 'connect')]);
      return { client, closed: once(socket[0] as Socket, 'close') };
    };

    const clients = [await clientFrom('127.0.0.1'), await clientFrom('127.0.0.1'), await clientFrom('127.0.0.2')];
    const refused = await clientFrom('127.0.0.1');
    await refused.closed;
    expect(limit.addresses).to.equal(2);
    for (const [i, left] of [2, 1, 0].entries()) {
      clients[i]?.client.destroy();
      await clients[i]?.closed;
      expect(limit.addresses, `after ${i + 1}`).to.equal(left);
    }

    expect(accepted).to.have.length(4);
  });
});

describe('Overload that begins while a body is read', () => {
  const store = runningPetstore({ limits: { requestsInFlight: 1 } });

  /** Sends a body after the service has requested it and has become overloaded. */
  const statusOf = async (body: string) => {
    const workTime = store.petstore.container.get(RequestDeadlines);
    const socket = await RawSocket.connect(store.url);
    const length = `Content-Length: ${body.length}`;
    socket.send(request('POST /categories', 'Content-Type: application/json', length, 'Expect: 100-continue'));
    expect((await socket.answer())?.status).to.equal(100);
    const other = workTime.begin(() => undefined);
    const answer = await socket.send(body).answer();
    workTime.end(other);
    await socket.close();
    return answer?.status;
  };

  it('sheds the request before its operation begins', async () => {
    expect(await statusOf('{"name":"Dogs"}')).to.equal(503);
    expect(await statusOf('{"name":')).to.equal(400);
    expect((await store.get('/categories')).body).to.deep.equal([]);
  });

  it('sheds the request before a large body is parsed', async () => {
    expect(await statusOf('{"name":'.padEnd(65 * 1024))).to.equal(503);
  });
});

describe('A process whose event loop lagged', () => {
  let now = 0;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setInterval'] });
    mock.method(performance, 'now', () => now);
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  it('accepts requests again only when its lag is half of the limit', () => {
    const load = new LoadShedder({ ...DEFAULT_LIMITS, eventLoopLag: 1_000 }, { requestsInFlight: 0 });
    const isTaking = (late: number) => {
      now += 50 + late;
      mock.timers.tick(50);
      try {
        load.shedIfOverloaded();
        return true;
      } catch {
        return false;
      }
    };

    // A peak decays by half at every measurement: 900, 450, 1,500, 750, 375, 750.
    expect([900, 0, 1_500, 0, 0, 750].map(isTaking)).to.deep.equal([true, true, false, false, true, true]);
    load.close();
  });
});
