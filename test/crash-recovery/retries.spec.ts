import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { SeededRandom } from '../../src/conformance/seeded-random.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { type Request, ServiceClient } from '../support/service-client.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { freshFolder } from '../support/temporary.ts';

const order = (key: string): Request => ({ method: 'POST', path: '/store/orders', body: { petId: 1 }, key });

describe('An order with an Idempotency-Key, at a service that is killed without warning,', () => {
  const folder = freshFolder();
  const running: ServiceProcess[] = [];
  const clients: ServiceClient[] = [];

  const file = () => join(folder(), 'petstore.db');
  const start = async () => {
    const service = await ServiceProcess.start({ DATABASE_URL: `sqlite:${file()}` });
    running.push(service);
    return service;
  };
  const counted = (table: string) => {
    const database = new Database(file());
    try {
      return (database.prepare(`select count(*) as rows from ${table}`).get() as { rows: number }).rows;
    } finally {
      database.close();
    }
  };
  const connect = ({ url }: ServiceProcess) => {
    const client = new ServiceClient([url], { retry: false });
    clients.push(client);
    return client;
  };
  const startWithPet = async () => {
    const service = await start();
    const client = connect(service);
    await client.send({ method: 'POST', path: '/categories', body: { name: 'Dogs' } });
    await client.send({ method: 'POST', path: '/pets', body: { name: 'Rex', categoryId: 1 } });
    await client.send({ method: 'PUT', path: '/store/inventory/1', body: { quantity: 1_000_000 } });
    return service;
  };

  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    for (const service of running.splice(0)) await service.kill();
  });

  it('is placed once when the response was lost, and a retry gets the response', async () => {
    const service = await startWithPet();
    // The response stays unread until the service is dead.
    const socket = (await RawSocket.connect(service.url)).pause();
    const body = '{"petId":1}';
    socket.send(
      `POST /store/orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nIdempotency-Key: lost\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    while (counted('idempotency_records') === 0) await new Promise((resolve) => setImmediate(resolve));
    await service.kill();
    await socket.close();

    const client = connect(await start());
    const [first, second] = [await client.send(order('lost')), await client.send(order('lost'))];

    expect(first).to.deep.include({ status: 201, replayed: true });
    expect(second).to.deep.equal(first);
    expect(counted('orders')).to.equal(1);
  });

  it('is placed once for every key, whenever the service is killed and however often the client retries', async () => {
    const random = new SeededRandom(11);
    const responses = new Map<string, string>();
    let service = await startWithPet();
    let lost = 0;

    for (let round = 0; round < 4; round++) {
      const keys = Array.from({ length: 250 }, (_, i) => `${round}-${i}`);
      const client = connect(service);
      const last = 20 + random.nextInt(200);
      let answered = 0;
      const sending = keys.map(async (key) => {
        const response = await client.send(order(key));
        if (!response) return;
        expect(response.status, response.text).to.equal(201);
        responses.set(key, response.text);
        if (++answered === last) await service.kill();
      });
      await Promise.all(sending);
      lost += keys.length - answered;
      service = await start();
      const next = connect(service);
      const retrying = keys.map(async (key) => {
        const retry = await next.send(order(key));
        expect(retry?.status, retry?.text).to.equal(201);
        if (responses.has(key)) expect(retry).to.deep.include({ text: responses.get(key), replayed: true });
        responses.set(key, retry?.text ?? '');
      });
      await Promise.all(retrying);
    }

    expect(lost).to.be.above(100);
    expect(counted('orders')).to.equal(responses.size);
    expect(counted('idempotency_records')).to.equal(responses.size);
    expect(new Set(responses.values()).size).to.equal(responses.size);
  });
});
