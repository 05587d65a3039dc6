import { expect } from 'chai';
import { RawSocket } from '../../support/raw-socket.ts';
import { runningPetstore } from '../../support/running-petstore.ts';
import { expectAlive, expectRefusal, head, request, sent } from './raw-requests.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** Requests that HTTP/1.1 does not allow, or that this service cannot parse. */
const MALFORMED: Record<string, string | Uint8Array> = {
  words: 'good morning\r\n\r\n',
  'the greeting of TLS': Buffer.from('16030100c8010000c40303aabbccdd0d0a0d0a', 'hex'),
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00',
  NUL: '\0\0\0\0\r\n\r\n',
  'lines that end in a line feed alone': 'GET /categories HTTP/1.1\nHost: localhost\n\n',
  'a line that ends in a carriage return alone': 'GET /categories HTTP/1.1\rHost: localhost\r\r',
  'a request line without a version': 'GET /categories\r\nHost: localhost\r\n\r\n',
  'HTTP/0.9': 'GET /categories HTTP/0.9\r\nHost: localhost\r\n\r\n',
  'HTTP/1.2': 'GET /categories HTTP/1.2\r\nHost: localhost\r\n\r\n',
  'HTTP/2.0 in the words of HTTP/1.1': 'GET /categories HTTP/2.0\r\nHost: localhost\r\n\r\n',
  'a protocol of its own': 'GET /categories PETS/1.1\r\nHost: localhost\r\n\r\n',
  'a method in lower case': request('get /categories'),
  'an unknown method': request('BREW /categories'),
  'a very long method': request(`${'X'.repeat(5_000)} /categories`),
  'a tab in the request line': request('GET\t/categories'),
  'a space in the target': request('GET /cate gories'),
  'no target': 'GET HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'a target that is no path': request('GET categories'),
  'bytes beyond ASCII in the path': latin1(request('GET /caf\xe9')),
  'bytes beyond ASCII in the query': latin1(request('GET /categories?name=\xff\xfe')),
  'a control character in the target': request('GET /cat\x01egories'),
  'a fragment in the target': request('GET /categories#all'),
  'quotes in the target': request('GET /categories?name="x"'),
  'a backslash in the target': request('GET \\categories'),
  'a percent sign without digits': request('GET /categories/%zz'),
  'a percent sign at the end': request('GET /categories/%'),
  'half a character in the path': request('GET /categories/%c3'),
  'an overlong slash': request('GET /categories%c0%af'),
  'an encoded surrogate': request('GET /categories/%ed%a0%80'),
  'a percent sign without digits in the query': request('GET /categories?name=%zz'),
  'half a character in the query': request('GET /categories?name=%c3'),
  'a target of another scheme': request('GET ftp://localhost/categories'),
  'a target without a host': request('GET http:///categories'),
  'no Host': 'GET /categories HTTP/1.1\r\n\r\n',
  'two Hosts': request('GET /categories', 'Host: localhost'),
  'two Hosts that differ': request('GET /categories', 'Host: other.example'),
  'two Hosts in HTTP/1.0': 'GET /categories HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n',
  'a Host with a space': 'GET /categories HTTP/1.1\r\nHost: local host\r\n\r\n',
  'a Host with a path': 'GET /categories HTTP/1.1\r\nHost: localhost/categories\r\n\r\n',
  'a Host with a user': 'GET /categories HTTP/1.1\r\nHost: me@localhost\r\n\r\n',
  'two Hosts in one': 'GET /categories HTTP/1.1\r\nHost: a, b\r\n\r\n',
  'a header that goes on in the next line': request('GET /categories', 'X-Note: one', ' two'),
  'a header that goes on before there was one': `GET /categories HTTP/1.1\r\n two: three\r\nHost: localhost\r\n\r\n`,
  'a space behind the name of a header': request('GET /categories', 'X-Note : one'),
  'a header without a name': request('GET /categories', ': one'),
  'a header without a colon': request('GET /categories', 'X-Note'),
  'a header with a name of other characters': request('GET /categories', 'X(Note): one'),
  'NUL in the value of a header': request('GET /categories', 'X-Note: one\0two'),
  'a carriage return in the value of a header': request('GET /categories', 'X-Note: one\rtwo'),
};

describe('A request sent over a raw socket', () => {
  const store = runningPetstore();

  for (const [what, bytes] of Object.entries(MALFORMED)) {
    it(`is 400 if it is or has ${what}`, async () => {
      await expectRefusal(store, await sent(store, bytes), 400, 'malformed_request');
    });
  }

  for (const [what, [bytes, status]] of Object.entries({
    'HTTP/1.0 without a Host': ['GET /categories HTTP/1.0\r\n\r\n', 200],
    'a Host that is an address of IPv6 with a port': ['GET /categories HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n', 200],
    'empty lines in front of it': [`\r\n\r\n${request('GET /categories')}`, 200],
    'a target that is a whole URI of another host': [request('GET http://other.example:81/categories'), 200],
    'a whole URI with a query behind its host': [request('GET http://other.example?x=1'), 200],
    'a path that is not there, encoded': [request('GET /categories%00'), 404],
    'a slash that is encoded': [request('GET /store%2Forders'), 404],
    'dots in its path': [request('GET /store/../categories'), 404],
    'dots in its path, encoded': [request('GET /docs/%2e%2e%2f%2e%2e%2fpackage.json'), 404],
    'two slashes in front': [request('GET //categories'), 404],
    'a path that is encoded where it need not be': [request('GET /%63ategories'), 200],
    'an asterisk without OPTIONS': [request('GET *'), 404],
    'the name of what every object has for a file': [request('GET /docs/constructor'), 404],
    'an Upgrade to WebSocket': [
      request('GET /categories', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'),
      200,
    ],
    'an Upgrade to HTTP/2': [
      request('GET /categories', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'),
      200,
    ],
    'as many headers as are read': [request('GET /categories', ...Array(198).fill('a:b')), 200],
  } satisfies Record<string, readonly [string, number]>)) {
    it(`is ${status} if it is or has ${what}`, async () => {
      const answer = await sent(store, bytes);

      expect(answer?.status).to.equal(status);
      expect(answer?.headers.get('api-version')).to.equal('1.0.0');
      await expectAlive(store);
    });
  }

  it('is decoded once', async () => {
    await expectRefusal(store, await sent(store, request('GET /categories/%2531')), 400, 'invalid_parameter');
    expect((await sent(store, request('GET /categories?name=%2500')))?.status).to.equal(200);
  });

  it('with OPTIONS and an asterisk is answered for the whole server', async () => {
    const answer = await sent(store, request('OPTIONS *'), 'OPTIONS');

    expect(answer?.status).to.equal(204);
    expect(answer?.headers.get('allow')).to.contain('OPTIONS');
  });

  for (const method of ['TRACE', 'PROPFIND', 'PURGE', 'LINK']) {
    it(`with ${method} is 405, with the possible methods`, async () => {
      const answer = await sent(store, request(`${method} /categories`, 'X-Secret: 7'), method);

      const { message } = await expectRefusal(store, answer, 405, 'method_not_allowed');
      expect(answer?.headers.get('allow')?.split(', ')).to.have.members(['GET', 'HEAD', 'POST', 'OPTIONS']);
      expect(message).not.to.contain('Secret');
    });
  }

  for (const target of ['other.example:443', '/categories']) {
    it(`with CONNECT to ${target} is 405, and opens no tunnel`, async () => {
      const answer = await sent(store, request(`CONNECT ${target}`), 'POST');

      await expectRefusal(store, answer, 405, 'method_not_allowed');
      expect(answer?.headers.get('connection')).to.equal('close');
      expect(answer?.headers.get('allow')).to.contain('GET');
    });
  }

  describe('that is too large', () => {
    for (const [what, bytes] of Object.entries({
      '3,000 small headers': request('GET /categories', ...Array.from({ length: 3_000 }, (_, i) => `X-${i}: x`)),
      'one header more than are read': request('GET /categories', ...Array(199).fill('a:b')),
      'one header of 17 KiB': request('GET /categories', `X-Note: ${'x'.repeat(17 * 1024)}`),
      'a header with a name of 17 KiB': request('GET /categories', `${'x'.repeat(17 * 1024)}: x`),
      'headers that never end': head('GET /categories', `X-Note: ${'x'.repeat(60 * 1024)}`),
      'a target and headers that are too large together': request(
        `GET /categories?name=${'x'.repeat(8_000)}`,
        `X-Note: ${'x'.repeat(9_000)}`,
      ),
    })) {
      it(`is 431 for ${what}`, async () => {
        await expectRefusal(store, await sent(store, bytes), 431, 'headers_too_large');
      });
    }

    for (const kib of [9, 15, 20, 60]) {
      it(`is 414 for a target of ${kib} KiB`, async () => {
        await expectRefusal(
          store,
          await sent(store, request(`GET /categories?name=${'x'.repeat(kib * 1024)}`)),
          414,
          'uri_too_long',
        );
      });
    }

    it('is 431 for a header that arrives in many parts', async () => {
      const socket = await RawSocket.connect(store.url);
      const answer = socket.send(`${head('GET /categories')}Cookie: `).answer();
      for (let part = 0; part < 14; part++) await socket.send('a'.repeat(1460)).flushed();

      await expectRefusal(store, await answer, 431, 'headers_too_large');
      await socket.close();
    });

    it('is 414 for a request line that never ends', async () => {
      await expectRefusal(store, await sent(store, `GET /${'x'.repeat(60 * 1024)}`), 414, 'uri_too_long');
    });

    it('is answered without a body if it was HEAD', async () => {
      const answer = await sent(store, request(`HEAD /categories?name=${'x'.repeat(20 * 1024)}`), 'HEAD');

      expect(answer?.status).to.equal(414);
      expect(answer?.body).to.have.length(0);
    });

    it('is closed when megabytes of headers arrive', async () => {
      await sent(store, `${head('GET /categories')}${'X-Note: x\r\n'.repeat(500_000)}\r\n`);

      await expectAlive(store);
    });
  });

  for (const [name, one, other] of [
    ['Authorization', 'Bearer one', 'Bearer two'],
    ['Content-Type', 'application/json', 'text/plain'],
  ] as const) {
    it(`must have at most one ${name}`, async () => {
      const twice = request('GET /categories', `${name}: ${one}`, `${name.toLowerCase()}: ${other}`);

      const error = await expectRefusal(store, await sent(store, twice), 400, 'invalid_header');

      expect(error.message).to.include(name);
    });
  }

  it('that is refused is answered without a body if it was HEAD', async () => {
    const answer = await sent(store, request('HEAD /categories/%zz'), 'HEAD');

    expect(answer?.status).to.equal(400);
    expect(answer?.headers.get('api-version')).to.equal('1.0.0');
  });

  it('cannot inject lines into the response', async () => {
    for (const bytes of [
      request('GET /categories/%0d%0aX-Evil:%201'),
      request('GET /pets/1%0d%0aX-Evil:%201'),
      request('GET /categories?name=%0d%0aX-Evil:%201'),
      request('GET /categories', 'X-Request-Id: 1\tX-Evil: 1'),
      request('GET /categories', 'Origin: http://a.example%0d%0aX-Evil: 1'),
      request('OPTIONS /categories', 'Access-Control-Request-Method: %0d%0aX-Evil: 1'),
    ]) {
      const answer = await sent(store, bytes);
      expect(answer?.headers.has('x-evil')).to.equal(false);
      expect([...(answer?.headers.values() ?? [])].join()).not.to.match(/[\r\n\0]/);
    }
    await expectAlive(store);
  });
});
