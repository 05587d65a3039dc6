import { expect } from 'chai';
import { RawSocket } from '../../support/raw-socket.ts';
import { runningPetstore } from '../../support/running-petstore.ts';
import { request } from './raw-requests.ts';

/** A line break followed by a header, in all forms that may pass. */
const BREAKS = {
  'line breaks': '\r\nX-Evil: 1',
  'a line feed': '\nX-Evil: 1',
  'a carriage return': '\rX-Evil: 1',
  'a folded line': '\r\n X-Evil: 1',
  'line breaks in percent codes': '%0d%0aX-Evil:%201',
  'line breaks in percent codes of percent codes': '%250d%250aX-Evil:%201',
  'letters whose last byte is a line break': '%C4%8D%C4%8AX-Evil:%201',
  'a line separator': '%E2%80%A8X-Evil:%201',
  'the end of all headers, and an answer behind it': '\r\n\r\nHTTP/1.1 200 OK\r\nX-Evil: 1\r\n\r\n',
  'the same in percent codes': '%0d%0a%0d%0aHTTP/1.1%20200%20OK%0d%0aX-Evil:%201%0d%0a%0d%0a',
  'a quote and what may stand behind it': '"; X-Evil="1',
  'an angle bracket and what may stand behind it': '>; rel="X-Evil"',
};

describe('A response', () => {
  const store = runningPetstore();

  beforeEach(() => store.pet());

  for (const [what, evil] of Object.entries(BREAKS)) {
    it(`has no header from the client, with ${what} in every value that it repeats`, async () => {
      const body = '{"name":"Tom","categoryId":1}';
      const json = ['Content-Type: application/json', `Content-Length: ${body.length}`];
      for (const [method, bytes] of [
        ['GET', request(`GET /${evil}`)],
        ['GET', request(`GET /pets/1${evil}`)],
        ['GET', request(`GET /errors/${evil}`)],
        ['GET', request(`GET /pets?limit=1&name=R${evil}`)],
        ['GET', request(`GET /pets?limit=1&${evil}=1`)],
        ['GET', request(`GET /pets?cursor=${evil}`)],
        ['OPTIONS', request(`OPTIONS /pets${evil}`)],
        ['GET', request('GET /pets', `X-Request-Id: a${evil}`)],
        ['GET', request('GET /pets', `Origin: https://a.example${evil}`)],
        ['GET', request('GET /pets', `Accept: text/html${evil}`)],
        ['GET', request('GET /pets', `X-Forwarded-For: 1.1.1.1${evil}`, `X-Forwarded-Host: a${evil}`)],
        ['GET', request('GET /pets', `If-None-Match: "a"${evil}`, `Prefer: return=total-count${evil}`)],
        ['OPTIONS', request('OPTIONS /pets', 'Origin: https://a.example', `Access-Control-Request-Method: PUT${evil}`)],
        ['POST', request('POST /pets', ...json, `Idempotency-Key: a${evil}`) + body],
        ['POST', request('POST /pets', `Content-Type: text/x${evil}`, `Content-Length: ${body.length}`) + body],
        ['POST', request(`POST /pets?${evil}`, ...json) + body],
      ] as const) {
        const socket = await RawSocket.connect(store.url);
        const answer = await socket.send(bytes).answer(method);
        const fields = [...(answer?.headers ?? [])].map(([name, value]) => `${name}: ${value}`);

        expect(answer?.status, bytes).to.be.within(200, 499);
        expect(fields.length).to.be.above(0);
        for (const line of fields) {
          expect(line).not.to.match(/[\p{Cc}\u2028]/u);
          expect(line).not.to.match(/^x-evil|rel="X-Evil"/i);
        }
        // Nothing follows that the client could read as another response, unless it has sent a second request.
        expect(socket.rest).not.to.match(/X-Evil/);
        await socket.close();
      }
    });
  }
});
