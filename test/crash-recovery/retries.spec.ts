import { Agent, request } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { RawSocket } from '../support/raw-socket.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { freshFolder } from '../support/temporary.ts';
import { ask, randomFrom } from './customers.ts';

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly replayed: boolean;
}

/** Orders under a key. Gives nothing if the service went away before it had answered. */
function order(url: string, agent: Agent, key: string): Promise<Answered | undefined> {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
  return new Promise((resolve) => {
    const asking = request(`${url}/store/orders`, { method: 'POST', headers, agent }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.once('error', () => resolve(undefined));
      response.once('close', () => {
        const { statusCode: status = 0, headers: fields, complete } = response;
        resolve(complete ? { status, text, replayed: fields['idempotent-replayed'] === 'true' } : undefined);
      });
    });
    asking.once('error', () => resolve(undefined));
    asking.end('{"petId":1}');
  });
}

describe('An order with an Idempotency-Key at a service that is killed without a warning', () => {
  const folder = freshFolder();
  const agent = new Agent({ keepAlive: true, maxSockets: 24 });
  const running: ServiceProcess[] = [];

  const file = () => join(folder(), 'petstore.db');
  const start = async () => {
    const service = await ServiceProcess.start({ DATABASE_URL: `sqlite:${file()}` });
    running.push(service);
    return service;
  };
  const counted = (what: string) => {
    const database = new Database(file());
    try {
      return (database.prepare(`select count(*) as rows from ${what}`).get() as { rows: number }).rows;
    } finally {
      database.close();
    }
  };
  const openShop = async (url: string) => {
    await ask(url, undefined, 'POST', '/categories', { name: 'Dogs' });
    await ask(url, undefined, 'POST', '/pets', { name: 'Rex', categoryId: 1 });
    await ask(url, undefined, 'PUT', '/store/inventory/1', { quantity: 1_000_000 });
  };

  afterEach(async () => {
    for (const service of running.splice(0)) await service.kill();
    agent.destroy();
  });

  it('is there once when its answer was lost, and is answered to the one who asks again', async () => {
    const service = await start();
    await openShop(service.url);
    // The answer stays unread: nobody has got it when the service dies.
    const socket = (await RawSocket.connect(service.url)).pause();
    const body = '{"petId":1}';
    socket.send(
      `POST /store/orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nIdempotency-Key: lost\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    while (counted('idempotency_records') === 0) await new Promise((turn) => setImmediate(turn));
    await service.kill();
    await socket.close();

    const { url } = await start();
    const [again, oncemore] = [await order(url, agent, 'lost'), await order(url, agent, 'lost')];

    expect(again).to.deep.include({ status: 201, replayed: true });
    expect(oncemore).to.deep.equal(again);
    expect(counted('orders')).to.equal(1);
  });

  it('is there once for every key, whenever it is killed and however often it is asked for', async () => {
    const random = randomFrom(11);
    const told = new Map<string, string>();
    let service = await start();
    await openShop(service.url);
    let lost = 0;

    for (let round = 0; round < 4; round++) {
      const keys = Array.from({ length: 250 }, (_, i) => `${round}-${i}`);
      let answers = 0;
      const last = 20 + Math.floor(random() * 200);
      const asking = keys.map(async (key) => {
        const answer = await order(service.url, agent, key);
        if (!answer) return;
        expect(answer.status, answer.text).to.equal(201);
        told.set(key, answer.text);
        if (++answers === last) await service.kill();
      });
      await Promise.all(asking);
      lost += keys.length - answers;
      service = await start();
      const repeating = keys.map(async (key) => {
        const again = await order(service.url, agent, key);
        expect(again?.status, again?.text).to.equal(201);
        if (told.has(key)) expect(again).to.deep.equal({ status: 201, text: told.get(key), replayed: true });
        told.set(key, again?.text ?? '');
      });
      await Promise.all(repeating);
    }

    expect(lost).to.be.above(100);
    expect(counted('orders')).to.equal(told.size);
    expect(counted('idempotency_records')).to.equal(told.size);
    expect(new Set(told.values()).size).to.equal(told.size);
  });
});
