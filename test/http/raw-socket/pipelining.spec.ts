import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import { serializeRequests } from '../../../src/adapters/http/koa/pipelining.ts';
import { RawSocket } from '../../support/raw-socket.ts';
import { request } from './raw-requests.ts';

/** Long enough that the buffers of the network hold only a few. */
const PADDED = request('GET /quick', `X-Note: ${'x'.repeat(10_000)}`);

describe('Pipelined requests', () => {
  let server: Server;
  let url: string;
  /** The connections, in the order in which they were opened. */
  let sockets: Socket[];
  /** Responses to /held, which the test sends. */
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
    server = createServer(serializeRequests(listener, { perConnection: 10, inTotal: 100 }));
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

  it('are no longer read above the limit of a connection, and are all answered in the end', async () => {
    const [greedy, modest] = [await RawSocket.connect(url), await RawSocket.connect(url)];
    greedy.send(request('GET /held')).send(PADDED.repeat(2_000));
    // With every response the service has a chance to read more.
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

  it('let other connections be served between two of them', async () => {
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

  it('above the total limit, close a connection that exceeds its own', async () => {
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
