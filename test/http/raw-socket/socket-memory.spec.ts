import { expect } from 'chai';
import { RawSocket } from '../../support/raw-socket.ts';
import { ServiceProcess } from '../../support/service-process.ts';
import { chunked, head, posting, request } from './raw-requests.ts';

const LARGE = request('GET /docs/scalar.js');

/** Every state in which a bad network or client may leave a connection. */
const REMAINS: readonly string[] = [
  '',
  'GET /cat',
  'good morning\r\n\r\n',
  head('GET /categories', `X-Note: ${'x'.repeat(12_000)}`),
  request('GET /categories', `X-Note: ${'x'.repeat(60_000)}`),
  request('GET /categories').repeat(100),
  posting('{"name":', 'Content-Length: 1000'),
  posting('x'.repeat(200_000), 'Content-Length: 1000000'),
  posting('x'.repeat(1_100_000), 'Content-Length: 1100000'),
  posting('', 'Content-Length: 20', 'Expect: 100-continue'),
  chunked('10', '{"name":"Birds"}'),
  chunked('zz', '{"name":"Birds"}'),
  LARGE,
];

describe('The memory of broken connections', () => {
  it('is released, and the process lives', async () => {
    const service = await ServiceProcess.start({
      DATABASE_URL: 'memory:',
      PETSTORE_LOG_LEVEL: 'info',
      PETSTORE_HEADERS_TIMEOUT_MS: '1000',
      PETSTORE_REQUEST_TIMEOUT_MS: '1500',
      PETSTORE_SLOW_READER_MS: '1000',
    });
    try {
      const memory: number[] = [];
      for (let round = 0; round < 6; round++) {
        await breakConnections(service.url);
        memory.push(await memoryOf(service.url));
      }

      expect(service.isRunning).to.equal(true);

      const [before, after] = [Math.max(...memory.slice(0, 3)), Math.min(...memory.slice(4))];
      expect((after - before) / 2 ** 20, `grown by so many MiB: ${memory}`).to.be.below(32);
    } finally {
      expect(await service.stop()).to.equal(0);
    }
    expect(service.log.filter((line) => !line.includes('"level":"info"'))).to.deep.equal([]);
  });
});

/** Ten connections for each such state, abandoned in every possible way, and some that stay silent. */
async function breakConnections(url: string): Promise<void> {
  const ways: ((socket: RawSocket) => Promise<unknown>)[] = [
    (socket) => socket.reset(),
    (socket) => socket.close(),
    (socket) =>
      socket
        .finish()
        .answer()
        .then(() => socket.close()),
    (socket) => socket.answer().then(() => socket.close()),
    (socket) => socket.answer().then(() => socket.reset()),
  ];
  const sleepers = await Promise.all(Array.from({ length: 20 }, () => RawSocket.connect(url)));
  for (const sleeper of sleepers)
    sleeper.pause().send(LARGE.repeat(10)).send(request('GET /health/live', 'Connection: close'));
  await Promise.all(
    REMAINS.flatMap((bytes) =>
      [...ways, ...ways].map(async (leave) => {
        const socket = await RawSocket.connect(url);
        await socket.send(bytes).flushed();
        await leave(socket);
      }),
    ),
  );
  await Promise.all(sleepers.map((sleeper) => sleeper.readOn().closed));
}

async function memoryOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { Connection: 'close' } })).text();
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1]);
}
