import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import { serializeRequests } from '../../../src/adapters/http/koa/pipelining.ts';
import { RawSocket } from '../../support/raw-socket.ts';
import { request } from './raw-requests.ts';

/** So much comes of a request that the network cannot hold many of them. */
const PADDED = request('GET /quick', `X-Note: ${'x'.repeat(10_000)}`);

describe('Requests ahead of an answer', () => {
  let server: Server;
  let url: string;
  /** The connections, in the order in which they were made. */
  let sockets: Socket[];
  /** Answers to /held, which are given when the test wants. */
  let held: ServerResponse[];
  let served: string[];
  let onServed: (() => void) | undefined;

  const listener: RequestListener = (incoming, response) => {
    served.push(incoming.url ?? '');
    if (incoming.url === '/quick') onServed?.();
    if (incoming.url === '/held') held.push(response);
    else response.setHeader('Content-Length', 0).end();
  };

  beforeEach(async () => {
    sockets = [];
    held = [];
    served = [];
    server = createServer(serializeRequests(listener, { onEach: 10, onAll: 100 }));
    server.on('connection', (socket: Socket) => sockets.push(socket));
    server.listen({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const asked = async (socket: RawSocket, path: string) => (await socket.send(request(`GET ${path}`)).answer())?.status;

  it('are not read any further beyond what a connection may have, and all answered in the end', async () => {
    const [greedy, modest] = [await RawSocket.connect(url), await RawSocket.connect(url)];
    greedy.send(request('GET /held')).send(PADDED.repeat(2_000));
    // Each answer is a turn of the service, in which it could read more.
    while (!sockets[0]?.isPaused()) expect(await asked(modest, '/other')).to.equal(200);

    const before = sockets[0]?.bytesRead ?? 0;
    for (let turn = 0; turn < 50; turn++) expect(await asked(modest, '/other')).to.equal(200);
    expect(sockets[0]?.bytesRead)
      .to.equal(before)
      .and.be.below(1024 * 1024);
    expect(served).not.to.include('/quick');

    held[0]?.setHeader('Content-Length', 0).end();
    for (let i = 0; i < 2_001; i++) expect((await greedy.answer())?.status).to.equal(200);
    expect(served.filter((path) => path === '/quick')).to.have.length(2_000);
    await greedy.close();
    await modest.close();
  });

  it('leave everybody else a turn between two of them', async () => {
    const [greedy, modest] = [await RawSocket.connect(url), await RawSocket.connect(url)];
    greedy.send(request('GET /held') + request('GET /quick').repeat(80));
    while (held.length === 0) await asked(modest, '/other');
    served.length = 0;

    onServed = () => {
      onServed = undefined;
      modest.send(request('GET /other'));
    };
    held[0]?.setHeader('Content-Length', 0).end();
    for (let i = 0; i < 81; i++) await greedy.answer();
    await modest.answer();

    expect(served).to.have.length(81);
    expect(served.indexOf('/other')).to.be.within(1, 79);
    await greedy.close();
    await modest.close();
  });

  it('cost a connection that has more than its share, while there are too many in all', async () => {
    const greedy = await Promise.all(Array.from({ length: 4 }, () => RawSocket.connect(url)));
    const modest = await RawSocket.connect(url);
    for (const socket of greedy) socket.send(request('GET /held') + request('GET /quick').repeat(30));
    await Promise.race(greedy.map((socket) => socket.closed));
    modest.send(request('GET /held') + request('GET /quick').repeat(5));

    while (held.length < 5) await asked(await RawSocket.connect(url), '/other');
    for (const response of held) response.setHeader('Content-Length', 0).end();

    const answered: number[] = [];
    for (const socket of [...greedy, modest]) {
      let count = 0;
      while (count < (socket === modest ? 6 : 31) && (await socket.answer())) count += 1;
      answered.push(count);
      await socket.close();
    }
    expect(answered.sort((a, b) => a - b)).to.deep.equal([0, 6, 31, 31, 31]);
  });
});
