import type { RequestListener, ServerResponse } from 'node:http';
import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { RequestListenerToken } from '../../../src/composition/tokens.ts';
import { RawSocket } from '../../support/raw-socket.ts';
import { type Circumstances, RunningPetstore, runningPetstore } from '../../support/running-petstore.ts';
import { expectAlive, expectRefusal, head, posting, request } from './raw-requests.ts';

const BIRDS = '{"name":"Birds"}';
const LENGTH = `Content-Length: ${BIRDS.length}`;

/** A file of the service that is larger than the buffers of the network. */
const LARGE = request('GET /docs/scalar.js');

/** Wraps the listener that serves requests. */
function inFront(wrap: (listener: RequestListener) => RequestListener): ContainerModule {
  return new ContainerModule(({ onActivation }) => {
    onActivation(RequestListenerToken, (_context, listener: RequestListener) => wrap(listener));
  });
}

describe('A connection', () => {
  const store = runningPetstore();

  describe('with several requests at once', () => {
    it('serves them one after the other, in their order', async () => {
      const socket = await RawSocket.connect(store.url);
      socket.send(
        [
          posting('{"name":"Dogs"}', 'Content-Length: 15'),
          request('GET /health/live'),
          posting(BIRDS, LENGTH),
          request('GET /nowhere'),
          request('GET /categories/2'),
          request('GET /openapi.json'),
          request('DELETE /categories/2'),
          request('OPTIONS *'),
        ].join(''),
      );

      const statuses: (number | undefined)[] = [];
      for (const method of ['POST', 'GET', 'POST', 'GET', 'GET', 'GET', 'DELETE', 'OPTIONS'])
        statuses.push((await socket.answer(method))?.status);

      expect(statuses).to.deep.equal([201, 200, 201, 404, 200, 200, 204, 204]);
      expect(socket.rest).to.equal('');
      await socket.close();
    });

    it('receives 1,000 responses to 1,000 requests', async () => {
      const socket = await RawSocket.connect(store.url);
      socket.send(
        Array.from({ length: 1_000 }, (_, i) => request(`GET /categories/${i + 1}`, `X-Request-Id: ${i}`)).join(''),
      );

      for (let i = 0; i < 1_000; i++) expect((await socket.answer())?.headers.get('x-request-id')).to.equal(String(i));
      await socket.close();
    });

    it('receives all responses before the one to a malformed request, and is closed', async () => {
      const socket = await RawSocket.connect(store.url);
      socket.send(`${request('GET /health/live')}${request('GET /categories')}good morning\r\n\r\n`);

      expect([(await socket.answer())?.status, (await socket.answer())?.status]).to.deep.equal([200, 200]);
      await expectRefusal(store, await socket.answer(), 400, 'malformed_request');
      await socket.closed;
    });

    it('never receives the response to a malformed request in place of an earlier one', async () => {
      const socket = await RawSocket.connect(store.url);
      socket.send(`${posting(BIRDS, LENGTH)}good morning\r\n\r\n`);

      expect([(await socket.answer())?.status, (await socket.answer())?.status]).to.deep.equal([201, 400]);
      await socket.closed;
    });

    it('may be reset while 1,000 responses are being sent', async () => {
      const socket = await RawSocket.connect(store.url);
      await socket.send(request('GET /openapi.json').repeat(1_000)).answer();
      await socket.reset();

      await expectAlive(store);
    });

    it('is closed after the response to a request with Connection: close', async () => {
      const socket = await RawSocket.connect(store.url);
      socket.send(`${request('GET /health/live', 'Connection: close')}${request('GET /categories')}`);

      expect((await socket.answer())?.headers.get('connection')).to.equal('close');
      expect(await socket.answer()).to.equal(undefined);
      await socket.closed;
    });
  });

  describe('that is half closed', () => {
    for (const [when, bytes] of Object.entries({
      'before there was anything': '',
      'within the request line': 'GET /cat',
      'within the headers': head('GET /categories'),
      'within the name of a header': `${head('GET /categories')}X-No`,
      'within the body': posting(BIRDS.slice(0, 5), LENGTH),
      'within a chunk': posting(`10\r\n${BIRDS.slice(0, 5)}`, 'Transfer-Encoding: chunked'),
      'before the last chunk': posting(`10\r\n${BIRDS}\r\n`, 'Transfer-Encoding: chunked'),
    })) {
      it(`${when} is closed without harm`, async () => {
        const socket = await RawSocket.connect(store.url);
        socket.send(bytes).finish();

        const answer = await socket.answer();
        if (answer) await expectRefusal(store, answer, 400, 'malformed_request');
        await socket.closed;
        await expectAlive(store);
      });
    }

    it('after its request still receives the response', async () => {
      const socket = await RawSocket.connect(store.url);

      expect((await socket.send(posting(BIRDS, LENGTH)).finish().answer())?.status).to.equal(201);
      await socket.closed;
    });
  });

  describe('that is reset', () => {
    for (const [when, bytes] of Object.entries({
      'before there was anything': '',
      'within the request line': 'GET /cat',
      'within the headers': head('POST /categories', 'Content-Type: application/json'),
      'before the body': posting('', LENGTH),
      'within the body': posting(BIRDS.slice(0, 5), LENGTH),
      'within a chunk': posting(`10\r\n${BIRDS.slice(0, 5)}`, 'Transfer-Encoding: chunked'),
      'while it waits for 100 (Continue)': posting('', LENGTH, 'Expect: 100-continue'),
      'before the answer is read': request('GET /openapi.json'),
      'while a large answer is on its way': LARGE,
      'after what is no request': 'good morning\r\n\r\n',
    })) {
      it(`${when} does no harm`, async () => {
        for (let round = 0; round < 10; round++) {
          const socket = await RawSocket.connect(store.url);
          await socket.send(bytes).flushed();
          await socket.reset();
        }

        await expectAlive(store);
      });
    }

    it('as soon as its request is complete has it executed completely or not at all', async () => {
      const sockets = await Promise.all(Array.from({ length: 50 }, () => RawSocket.connect(store.url)));
      await Promise.all(
        sockets.map(async (socket, i) => {
          const body = JSON.stringify({ name: `Birds ${i}` });
          await socket.send(posting(body, `Content-Length: ${body.length}`)).flushed();
          await socket.reset();
        }),
      );

      const { body } = await store.get<{ name: string }[]>('/categories?limit=100');
      for (const { name } of body) expect(name).to.match(/^Birds \d+$/);
      expect((await store.get('/metrics')).status).to.equal(200);
    });
  });
});

describe('A slow connection', () => {
  /** Short, and still longer than the delays of a busy machine. */
  const TIMES = { headersTime: 1_000, requestTime: 1_500, slowReader: 1_000 };
  const store = new RunningPetstore();
  const open = (more: Circumstances = {}) => store.open({ limits: TIMES, ...more });

  afterEach(() => store.close());

  for (const [what, bytes] of Object.entries({
    'that never says anything': '',
    'that does not end its request line': 'GET /cat',
    'that does not end its headers': head('GET /categories'),
    'that does not end its body': posting(BIRDS.slice(0, 5), LENGTH),
    'that does not end its chunks': posting(`10\r\n${BIRDS}\r\n`, 'Transfer-Encoding: chunked'),
  })) {
    it(`${what} is 408, and closed`, async () => {
      await open();
      const socket = await RawSocket.connect(store.url);

      const answer = await socket.send(bytes).answer();

      if (bytes !== '' || answer) await expectRefusal(store, answer, 408, 'request_timeout');
      await socket.closed;
    });
  }

  it('that does not end its body is answered in the media type that it accepts', async () => {
    await open();
    const socket = await RawSocket.connect(store.url);
    const asked = ['Accept: application/problem+json', 'X-Request-Id: mine', 'Origin: http://localhost:3000'];

    const answer = await socket.send(posting(BIRDS.slice(0, 5), LENGTH, ...asked)).answer();

    expect(answer?.status).to.equal(408);
    expect(Object.fromEntries(answer?.headers ?? [])).to.include({
      'content-type': 'application/problem+json',
      'x-request-id': 'mine',
      'access-control-allow-origin': 'http://localhost:3000',
      connection: 'close',
    });
    expect(JSON.parse(String(answer?.body))).to.include({ code: 'request_timeout', requestId: 'mine' });
    await socket.closed;
  });

  for (const [what, begin] of Object.entries({
    headers: head('GET /categories'),
    body: posting('', 'Content-Length: 100000'),
  })) {
    it(`whose ${what} arrive byte by byte is closed all the same`, async () => {
      await open();
      const socket = await RawSocket.connect(store.url);
      socket.send(begin);
      const trickle = setInterval(() => socket.send('x'), 20);

      await socket.closed.finally(() => clearInterval(trickle));

      await expectAlive(store);
    });
  }

  it('that is idle is closed after its time, and 200 of them delay no other', async () => {
    await open({ limits: { keepAlive: 500 } });
    const sockets = await Promise.all(Array.from({ length: 200 }, () => RawSocket.connect(store.url)));
    await Promise.all(sockets.map((socket) => socket.send(request('GET /health/live')).answer()));

    await expectAlive(store);
    await Promise.all(sockets.map((socket) => socket.closed));
  });

  it('is closed when it and others pipeline more than 10,000 requests behind slow ones', async () => {
    const held: ServerResponse[] = [];
    const holding = inFront((listener) => (incoming, response) => {
      if (incoming.url === '/held') held.push(response);
      else listener(incoming, response);
    });
    await open({ limits: {}, modules: [holding] });
    const sockets = await Promise.all(Array.from({ length: 12 }, () => RawSocket.connect(store.url)));

    // One read of each contains more than 1,000.
    for (const socket of sockets) socket.send(request('GET /held')).send(request('GET /health/live').repeat(2_000));

    await Promise.race(sockets.map((socket) => socket.closed));
    await expectAlive(store);
    for (const response of held) response.destroy();
    for (const socket of sockets) await socket.close();
  });

  it('that does not read its responses is reset', async () => {
    const { promise: cut, resolve } = Promise.withResolvers<void>();
    const watching = inFront((listener) => (incoming, response) => {
      response.once('close', () => response.writableFinished || resolve());
      listener(incoming, response);
    });
    await open({ modules: [watching] });
    const socket = await RawSocket.connect(store.url);
    socket.pause().send(LARGE.repeat(20));

    await cut;

    await expectAlive(store);
    socket.readOn();
    await socket.closed;
    let whole = 0;
    while (await socket.answer()) whole += 1;
    expect(whole).to.be.below(20);
  });

  it('that reads its responses is not reset, however many there are', async () => {
    await open();
    const socket = await RawSocket.connect(store.url);

    // In total longer than a single response may take.
    for (const until = performance.now() + 2 * TIMES.slowReader; performance.now() < until; ) {
      socket.send(request('GET /openapi.json').repeat(10));
      for (let i = 0; i < 10; i++) expect((await socket.answer())?.status).to.equal(200);
    }
    await socket.close();
  });
});

describe('Connections beyond the limit', () => {
  const isServed = async (socket: RawSocket) =>
    (await socket.send(request('GET /health/live')).answer())?.status === 200;

  for (const [what, limits] of Object.entries({
    'in all': { connections: 5 },
    'from one address': { connectionsPerAddress: 5 },
  })) {
    describe(what, () => {
      const store = new RunningPetstore();
      beforeEach(async () => {
        await store.open({ limits });
        store.disconnect();
      });
      afterEach(() => store.close());

      it('are closed at once, and accepted again when others end', async () => {
        const { url } = store.petstore;
        const sockets = await Promise.all(Array.from({ length: 5 }, () => RawSocket.connect(url)));
        for (const socket of sockets) expect(await isServed(socket)).to.equal(true);

        const late = await Promise.all(Array.from({ length: 20 }, () => RawSocket.connect(url)));
        for (const socket of late) await socket.closed;
        for (const socket of sockets) expect(await isServed(socket)).to.equal(true);

        await sockets[0]?.close();
        let room = false;
        while (!room) {
          const socket = await RawSocket.connect(url);
          room = await isServed(socket).catch(() => false);
          await socket.close();
        }
        for (const socket of sockets.slice(1)) await socket.close();
      });
    });
  }
});
