import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { CredentialVerifier } from '../../../src/application/ports/credential-verifier.ts';
import { latch } from '../../support/promises.ts';
import { RawSocket } from '../../support/raw-socket.ts';
import { runningPetstore } from '../../support/running-petstore.ts';
import { chunked, expectAlive, expectRefusal, head, posting, request, sent } from './raw-requests.ts';

const BIRDS = '{"name":"Birds"}';
const LENGTH = `Content-Length: ${BIRDS.length}`;
const SIZE = BIRDS.length.toString(16);
const MIB = 1024 * 1024;

/** Requests that do not state, or state twice, where the body ends (RFC 9112, section 6). */
const MISFRAMED: Record<string, string> = {
  'two lengths that differ': posting(BIRDS, LENGTH, 'Content-Length: 3'),
  'the same length twice': posting(BIRDS, LENGTH, LENGTH),
  'two lengths in one': posting(BIRDS, `${LENGTH}, ${BIRDS.length}`),
  'a length below nothing': posting(BIRDS, 'Content-Length: -16'),
  'a length with a sign': posting(BIRDS, 'Content-Length: +16'),
  'a length in hexadecimal': posting(BIRDS, 'Content-Length: 0x10'),
  'a length with a fraction': posting(BIRDS, 'Content-Length: 16.0'),
  'a length that no number holds': posting(BIRDS, `Content-Length: ${'9'.repeat(40)}`),
  'an empty length': posting(BIRDS, 'Content-Length:'),
  'a length in words': posting(BIRDS, 'Content-Length: sixteen'),
  'a length and chunks': posting(`${SIZE}\r\n${BIRDS}\r\n0\r\n\r\n`, LENGTH, 'Transfer-Encoding: chunked'),
  'chunks and a length': posting(`${SIZE}\r\n${BIRDS}\r\n0\r\n\r\n`, 'Transfer-Encoding: chunked', LENGTH),
  'chunks twice': posting(
    `${SIZE}\r\n${BIRDS}\r\n0\r\n\r\n`,
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: chunked',
  ),
  'chunks of chunks': posting(`${SIZE}\r\n${BIRDS}\r\n0\r\n\r\n`, 'Transfer-Encoding: chunked, chunked'),
  'chunks in gzip': posting(`${SIZE}\r\n${BIRDS}\r\n0\r\n\r\n`, 'Transfer-Encoding: chunked, gzip'),
  'gzip in chunks': posting(`${SIZE}\r\n${BIRDS}\r\n0\r\n\r\n`, 'Transfer-Encoding: gzip, chunked'),
  'an unknown coding': posting(BIRDS, 'Transfer-Encoding: smoke'),
  'a coding that is none': posting(BIRDS, 'Transfer-Encoding: identity'),
  'a coding that is nearly one': posting(`${SIZE}\r\n${BIRDS}\r\n0\r\n\r\n`, 'Transfer-Encoding: xchunked'),
  'chunks in HTTP/1.0': `POST /categories HTTP/1.0\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${SIZE}\r\n${BIRDS}\r\n0\r\n\r\n`,
  'a chunk without a size': chunked('', BIRDS, '0', '', ''),
  'a chunk with a size that is no number': chunked('zz', BIRDS, '0', '', ''),
  'a chunk with a size below nothing': chunked(`-${SIZE}`, BIRDS, '0', '', ''),
  'a chunk with a sign': chunked(`+${SIZE}`, BIRDS, '0', '', ''),
  'a chunk with 0x in front of its size': chunked(`0x${SIZE}`, BIRDS, '0', '', ''),
  'a chunk with a space in front of its size': chunked(` ${SIZE}`, BIRDS, '0', '', ''),
  'a chunk with a space behind its size': chunked(`${SIZE} `, BIRDS, '0', '', ''),
  'a chunk with a size that no number holds': chunked('f'.repeat(17), BIRDS, '0', '', ''),
  'a chunk that is longer than its size': chunked('2', BIRDS, '0', '', ''),
  'chunks that end in a line feed alone': posting(`${SIZE}\n${BIRDS}\n0\n\n`, 'Transfer-Encoding: chunked'),
  'a chunk extension of 20 KB': chunked(`${SIZE};${'x'.repeat(20_000)}`, BIRDS, '0', '', ''),
  'a chunk extension with a carriage return': chunked(`${SIZE};a\rb`, BIRDS, '0', '', ''),
  'a length behind its chunks': chunked(SIZE, BIRDS, '0', 'Content-Length: 5', '', ''),
  'a coding behind its chunks': chunked(SIZE, BIRDS, '0', 'Transfer-Encoding: chunked', '', ''),
  'a Host behind its chunks only': `POST /categories HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${SIZE}\r\n${BIRDS}\r\n0\r\nHost: localhost\r\n\r\n`,
};

describe('A body sent over a raw socket', () => {
  const store = runningPetstore();

  for (const [what, bytes] of Object.entries(MISFRAMED)) {
    it(`is 400 and the end of the connection, when it has ${what}`, async () => {
      const socket = await RawSocket.connect(store.url);

      const answer = await socket.send(bytes).answer();

      await expectRefusal(store, answer, 400, 'malformed_request');
      expect(answer?.headers.get('connection')).to.equal('close');
      await socket.closed;
    });
  }

  it('is 431, when 30 KB of headers come behind its chunks', async () => {
    const bytes = chunked(SIZE, BIRDS, '0', ...Array<string>(3_000).fill('X-Note: x'), '', '');

    await expectRefusal(store, await sent(store, bytes), 431, 'headers_too_large');
  });

  for (const [what, bytes] of Object.entries({
    'a length': posting(BIRDS, LENGTH),
    'a length with zeros in front': posting(BIRDS, 'Content-Length: 00016'),
    'a chunk': chunked(SIZE, BIRDS, '0', '', ''),
    'a chunk for each byte': chunked(...[...BIRDS].flatMap((byte) => ['1', byte]), '0', '', ''),
    'zeros in front of a size': chunked(`000${SIZE}`, BIRDS, '0000', '', ''),
    'a chunk extension': chunked(`${SIZE};note=x`, BIRDS, '0', '', ''),
    'headers behind its chunks': chunked(SIZE, BIRDS, '0', 'X-Note: x', 'Host: other.example', '', ''),
    'a coding in other letters': posting(`${SIZE}\r\n${BIRDS}\r\n0\r\n\r\n`, 'transfer-encoding: Chunked'),
  })) {
    it(`is accepted with ${what}`, async () => {
      const answer = await sent(store, bytes);

      expect(JSON.parse(answer?.body.toString() ?? '')).to.deep.equal({ id: 1, name: 'Birds' });
      expect(answer?.status).to.equal(201);
    });
  }

  it('never contains a smuggled request that is then executed', async () => {
    const smuggled = request('DELETE /categories/1');
    const socket = await RawSocket.connect(store.url);
    await socket.send(posting(BIRDS, LENGTH)).answer();

    socket.send(posting(`0\r\n\r\n${smuggled}`, 'Content-Length: 5', 'Transfer-Encoding: chunked'));
    socket.send(smuggled);
    expect((await socket.answer())?.status).to.equal(400);
    await socket.closed;

    expect((await store.get('/categories/1')).status).to.equal(200);
  });

  it('on an operation without a body is discarded, and is not read as the next request', async () => {
    const socket = await RawSocket.connect(store.url);
    for (const body of ['hello', request('DELETE /categories/1')]) {
      socket.send(`${request('GET /categories', `Content-Length: ${body.length}`)}${body}`);
      expect((await socket.answer())?.status).to.equal(200);
    }
    socket.send(`${request('GET /categories', 'Transfer-Encoding: chunked')}5\r\nhello\r\n0\r\n\r\n`);
    expect((await socket.answer())?.status).to.equal(200);
    socket.send(request('GET /health/live'));
    expect((await socket.answer())?.body.toString()).to.contain('live');
    expect(socket.rest).to.equal('');
    await socket.close();
  });

  it('that is too large is refused by its declared length, before it is received', async () => {
    const socket = await RawSocket.connect(store.url);

    await expectRefusal(
      store,
      await socket.send(posting('', 'Content-Length: 999999999999')).answer(),
      413,
      'payload_too_large',
    );
    await socket.close();
  });

  it('that is too large is refused as soon as the limit is exceeded, inside of a chunk', async () => {
    const socket = await RawSocket.connect(store.url);

    socket.send(chunked('fffffff', 'x'.repeat(MIB + 1)));

    await expectRefusal(store, await socket.answer(), 413, 'payload_too_large');
    await socket.close();
  });

  it('that is too large leaves the connection in step with its requests', async () => {
    const socket = await RawSocket.connect(store.url);
    socket.send(posting('x'.repeat(2 * MIB), `Content-Length: ${2 * MIB}`)).send(request('GET /health/live'));

    expect((await socket.answer())?.status).to.equal(413);
    expect((await socket.answer())?.body.toString()).to.contain('live');
    await socket.close();
  });

  describe('that waits for 100 (Continue)', () => {
    const EXPECT = 'Expect: 100-continue';

    it('is requested when it is needed, and then read', async () => {
      const socket = await RawSocket.connect(store.url);

      expect((await socket.send(posting('', LENGTH, EXPECT)).answer())?.status).to.equal(100);
      expect((await socket.send(BIRDS).answer())?.status).to.equal(201);
      await socket.close();
    });

    it('is requested whatever the case of the header', async () => {
      expect((await sent(store, posting('', LENGTH, 'EXPECT: 100-Continue')))?.status).to.equal(100);
    });

    for (const [what, [bytes, status, code]] of Object.entries({
      'it is too large': [posting('', `Content-Length: ${MIB + 1}`, EXPECT), 413, 'payload_too_large'],
      'it has another media type': [
        request('POST /categories', 'Content-Type: text/csv', LENGTH, EXPECT),
        415,
        'unsupported_media_type',
      ],
      'the path is not there': [request('POST /nowhere', LENGTH, EXPECT), 404, 'not_found'],
      'the method is not there': [request('PUT /categories', LENGTH, EXPECT), 405, 'method_not_allowed'],
      'a parameter is wrong': [
        request('PUT /categories/x', 'Content-Type: application/json', LENGTH, EXPECT),
        400,
        'invalid_parameter',
      ],
      'nothing of it could be answered': [posting('', LENGTH, EXPECT, 'Accept: text/html'), 406, 'not_acceptable'],
    } satisfies Record<string, readonly [string, number, string]>)) {
      it(`is not requested when ${what}: ${status}`, async () => {
        await expectRefusal(store, await sent(store, bytes), status, code);
      });
    }

    it('is not requested from a client of HTTP/1.0, which does not know 100', async () => {
      const socket = await RawSocket.connect(store.url);
      socket.send(
        `POST /categories HTTP/1.0\r\nContent-Type: application/json\r\n${LENGTH}\r\n${EXPECT}\r\n\r\n${BIRDS}`,
      );

      expect((await socket.answer())?.status).to.equal(201);
      await socket.closed;
    });

    for (const wish of ['tea', '200-ok', '100-continue, tea', '']) {
      it(`is refused with the expectation ${JSON.stringify(wish)}`, async () => {
        const answer = await sent(
          store,
          `${head('POST /categories', 'Content-Type: application/json', LENGTH)}Expect: ${wish}\r\n\r\n`,
        );

        await expectRefusal(store, answer, 400, 'invalid_header');
      });
    }
  });

  it('changes nothing, whatever was wrong with it', async () => {
    for (const bytes of Object.values(MISFRAMED)) await sent(store, bytes);

    await expectAlive(store);
    expect((await store.get<string>('/metrics')).text).to.contain('petstore_pets{status="available"} 0');
  });
});

describe('A body whose fault arrives while the credential is verified', () => {
  const [asked, released] = [latch(), latch()];
  const holding = new ContainerModule(({ bind }) => {
    bind(CredentialVerifier).toConstantValue({
      async verify() {
        asked.open();
        await released.opened;
        return { name: 'acme:alice', scopes: new Set(['admin'] as const) };
      },
    });
  });
  const store = runningPetstore({ modules: [holding], auth: ['api-key'] });

  it('is 400 when the operation would read it', async () => {
    const socket = await RawSocket.connect(store.url);
    socket.send(posting('', 'Authorization: Bearer alice', 'Transfer-Encoding: chunked'));
    await asked.opened;
    socket.send('nonsense\r\n');
    // Their responses show that the service has read what was sent before.
    for (let turn = 0; turn < 5; turn++) await store.get('/health/live');

    released.open();

    const answer = await socket.answer('POST');
    expect(answer?.status).to.equal(400);
    expect(String(answer?.body)).to.include('"malformed_request"');
    await socket.close();
  });
});
