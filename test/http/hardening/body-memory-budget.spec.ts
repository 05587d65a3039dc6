import { expect } from 'chai';
import {
  BodyMemoryBudget,
  type IncomingBody,
  LARGE_BODY,
} from '../../../src/adapters/http/handler/body-memory-budget.ts';
import type { HttpError } from '../../../src/adapters/http/http-error.ts';
import { RawSocket } from '../../support/raw-socket.ts';
import { runningPetstore } from '../../support/running-petstore.ts';
import { request } from '../raw-socket/raw-requests.ts';

const KIB = 1024;

describe('The memory budget for bodies', () => {
  const givenUp: string[] = [];
  const reasons: HttpError[] = [];
  let room: BodyMemoryBudget;

  beforeEach(() => {
    givenUp.length = 0;
    reasons.length = 0;
    room = new BodyMemoryBudget(100);
  });

  const body = (name: string): IncomingBody => ({
    bytes: 0,
    evict: (reason) => {
      givenUp.push(name);
      reasons.push(reason);
    },
  });

  it('reserves up to its limit, to the byte', () => {
    const [a, b] = [body('a'), body('b')];

    expect([room.reserve(a, 60), room.reserve(b, 40)]).to.deep.equal([true, true]);
    expect(givenUp).to.deep.equal([]);
    expect(room.reserve(b, 41)).to.equal(true);

    expect(givenUp).to.deep.equal(['a']);
  });

  it('evicts the oldest bodies until there is space', () => {
    const bodies = ['a', 'b', 'c', 'd'].map(body);
    for (const each of bodies) room.reserve(each, 25);
    // Growth does not change the age.
    room.reserve(bodies[0] as IncomingBody, 25);

    expect(room.reserve(body('e'), 45)).to.equal(true);

    expect(givenUp).to.deep.equal(['a', 'b']);
    expect(room.evicted).to.equal(2);
    expect(reasons.map(({ code, headers }) => [code, ...headers])).to.deep.equal(
      Array(2).fill(['unavailable', 'Retry-After', '1', 'Connection', 'close']),
    );
  });

  it('counts a growing body once, with its size', () => {
    const a = body('a');
    for (const bytes of [10, 20, 40, 80]) expect(room.reserve(a, bytes)).to.equal(true);

    expect(room.reserve(body('b'), 20)).to.equal(true);
    expect(givenUp).to.deep.equal([]);
  });

  it('evicts the growing body itself if it is the oldest', () => {
    const a = body('a');

    expect(room.reserve(a, 101)).to.equal(false);

    expect(givenUp).to.deep.equal(['a']);
    expect(room.reserve(body('b'), 100)).to.equal(true);
  });

  it('releases complete bodies one in a turn, and evicted ones not at all', async () => {
    const bodies = ['a', 'b', 'c', 'd'].map(body);
    const [, b] = bodies;
    const begun: string[] = [];
    for (const [i, each] of bodies.entries()) {
      room.reserve(each, 25);
      room.complete(each, LARGE_BODY + 1, () => begun.push('abcd'[i] as string));
    }
    room.release(b as IncomingBody);
    expect(begun).to.deep.equal([]);

    const turn = () => new Promise((resolve) => setImmediate(resolve));
    for (const expected of ['a', 'ac', 'acd', 'acd']) {
      await turn();
      expect(begun.join('')).to.equal(expected);
    }

    expect(room.reserve(body('e'), 100)).to.equal(true);
    expect(givenUp).to.deep.equal([]);
  });

  it('regains the bytes of a released body once, however often it is released', () => {
    const a = body('a');
    room.reserve(a, 100);
    room.release(a);
    room.release(a);

    expect(room.reserve(body('b'), 100)).to.equal(true);
    expect(room.reserve(body('c'), 1)).to.equal(true);
    expect(givenUp).to.deep.equal(['b']);
  });
});

describe('Large bodies that are held back', () => {
  const LARGEST = 64 * KIB;
  const store = runningPetstore({ limits: { body: KIB, batchBody: LARGEST } });
  const pets = '[{"name":"Rex","categoryId":1}]';
  const begin = `${request('POST /pets/batch', 'Content-Type: application/json', `Content-Length: ${LARGEST}`)}`;
  const most = ' '.repeat(40_000);

  /** Sixteen of the largest fit; further ones evict the oldest. */
  it('are evicted for others: the oldest is 503, with Retry-After', async () => {
    await store.category();
    const sockets: RawSocket[] = [];
    for (let i = 0; i < 30; i++) {
      const socket = await RawSocket.connect(store.url);
      sockets.push(socket);
      await socket.send(begin + most).flushed();
      // The response shows that everything sent before was read.
      await store.get('/health/live');
    }
    const [longest, last] = [sockets[0], sockets.at(-1)];

    const refusal = await longest?.answer('POST');
    const error = JSON.parse(refusal?.body.toString() ?? '') as { code: string };
    expect([refusal?.status, error.code]).to.deep.equal([503, 'unavailable']);
    expect(Number(refusal?.headers.get('retry-after'))).to.be.at.least(1);
    expect(refusal?.headers.get('connection')).to.equal('close');
    await longest?.closed;

    expect((await store.post('/pets', { name: 'Tom', categoryId: 1 })).status).to.equal(201);
    last?.send(pets.padStart(LARGEST - most.length));
    expect((await last?.answer('POST'))?.status).to.equal(201);
    const metrics = (await store.get('/metrics')).text;
    expect(Number(/^petstore_http_requests_shed_total (\d+)$/m.exec(metrics)?.[1])).to.be.within(1, 30 - 16);

    for (const socket of sockets) await socket.close();
    expect((await store.get<unknown[]>('/pets')).body).to.have.length(2);
  });

  it('release their memory when their clients disconnect', async () => {
    for (let round = 0; round < 4; round++) {
      const sockets = await Promise.all(Array.from({ length: 12 }, () => RawSocket.connect(store.url)));
      await Promise.all(sockets.map((socket) => socket.send(begin + most).flushed()));
      await store.get('/health/live');
      await Promise.all(sockets.map((socket) => socket.close()));
      await store.get('/health/live');
    }

    expect((await store.get('/metrics')).text).to.match(/^petstore_http_requests_shed_total 0$/m);
  });
});
