import { expect } from 'chai';
import { RawSocket } from '../../support/raw-socket.ts';
import { runningPetstore } from '../../support/running-petstore.ts';
import { chunked, head, request } from './raw-requests.ts';

const MIB = 1024 * 1024;
const CLOSE = 'Connection: close';
const JSON_TYPE = 'Content-Type: application/json';
const body = (bytes: number) => Buffer.alloc(bytes, ' ');

/** A request whose body is sent at once, with the connection closed after the response. */
const asking = (line: string, bytes: number, ...fields: string[]) =>
  Buffer.concat([Buffer.from(request(line, CLOSE, `Content-Length: ${bytes}`, ...fields)), body(bytes)]);

describe('A client that still writes its request', () => {
  describe('reads the response, and then the end of the connection,', () => {
    const store = runningPetstore();

    it('50 times in a row when its body is 3 MiB too large', async () => {
      for (let i = 0; i < 50; i++) {
        const socket = await RawSocket.connect(store.url);
        socket.send(asking('POST /pets', 4 * MIB, JSON_TYPE));

        expect((await socket.answer())?.status, `attempt ${i}`).to.equal(413);
        await socket.flushed();
        await socket.closed;
        expect(socket.fault, `attempt ${i}`).to.equal(undefined);
      }
    });

    for (const [status, bytes] of [
      [
        403,
        Buffer.concat([
          Buffer.from(`POST /pets HTTP/1.1\r\nHost: evil.example\r\n${CLOSE}\r\nContent-Length: ${4 * MIB}\r\n\r\n`),
          body(4 * MIB),
        ]),
      ],
      [404, asking('POST /nowhere', 4 * MIB)],
      [405, asking('PUT /pets', 4 * MIB)],
      [406, asking('POST /pets', 4 * MIB, 'Accept: text/html')],
      [415, asking('POST /pets', 4 * MIB, 'Content-Type: text/plain')],
      [
        413,
        Buffer.from(
          chunked(`${(4 * MIB).toString(16)}`, ' '.repeat(4 * MIB), '0', '', '').replace(
            JSON_TYPE,
            `${JSON_TYPE}\r\n${CLOSE}`,
          ),
        ),
      ],
      [400, Buffer.from(chunked('zz', ' '.repeat(4 * MIB)))],
      [431, Buffer.concat([Buffer.from(head('GET /pets')), Buffer.from('X-Long: '), Buffer.alloc(4 * MIB, 'x')])],
      [200, asking('GET /pets', 4 * MIB)],
    ] as const) {
      it(`also when that is ${status}`, async () => {
        for (let i = 0; i < 5; i++) {
          const socket = await RawSocket.connect(store.url);
          socket.send(bytes);

          expect((await socket.answer())?.status).to.equal(status);
          await socket.flushed();
          await socket.closed;
          expect(socket.fault).to.equal(undefined);
        }
      });
    }

    it('at once also when it asks with HEAD, and then goes on with the next request', async () => {
      const socket = await RawSocket.connect(store.url);
      socket.send(request('HEAD /openapi.json', 'Content-Length: 5'));

      expect((await socket.answer('HEAD'))?.status).to.equal(200);
      socket.send(`12345${request('GET /health/live', CLOSE)}`);
      expect((await socket.answer())?.status).to.equal(200);
      await socket.closed;
    });

    it('or goes on with the next request on the same connection', async () => {
      const socket = await RawSocket.connect(store.url);
      socket.send(request('POST /pets', JSON_TYPE, `Content-Length: ${4 * MIB}`)).send(body(4 * MIB));
      socket.send(request('GET /health/live'));

      expect((await socket.answer())?.status).to.equal(413);
      expect((await socket.answer())?.status).to.equal(200);
      await socket.close();
    });

    it('and is answered once only, when the rest of its body is malformed', async () => {
      const socket = await RawSocket.connect(store.url);
      socket.send(request('POST /nowhere', 'Transfer-Encoding: chunked'));
      expect((await socket.answer())?.status).to.equal(404);
      socket.send('zz\r\n');

      await socket.closed;
      expect(socket.rest).to.equal('');
    });
  });

  describe('is cut off', () => {
    const store = runningPetstore();

    it('when it has sent 16 MiB more', async () => {
      const socket = await RawSocket.connect(store.url);
      socket.send(request('POST /pets', JSON_TYPE, `Content-Length: ${1024 * MIB}`));
      expect((await socket.answer())?.status).to.equal(413);
      let sent = 0;
      const isOver = socket.closed.then(() => true);
      for (let over = false; !over && sent < 200 * MIB; sent += MIB) {
        socket.send(body(MIB));
        over = await Promise.race([isOver, socket.flushed().then(() => false)]);
      }

      await socket.closed;
      expect(sent).to.be.within(16 * MIB, 100 * MIB);
    });

    it('when it has not come to an end after five seconds', async () => {
      const socket = await RawSocket.connect(store.url);
      const since = performance.now();
      socket.send(request('POST /pets', JSON_TYPE, `Content-Length: ${4 * MIB}`));
      expect((await socket.answer())?.status).to.equal(413);

      await socket.closed;

      expect(performance.now() - since).to.be.within(4_900, 120_000);
    });
  });
});
