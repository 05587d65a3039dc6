import { expect } from 'chai';
import { PinoLog } from '../../../src/adapters/logging/pino-log.ts';
import { RawSocket } from '../../support/raw-socket.ts';
import { ServiceProcess } from '../../support/service-process.ts';
import { posting, request } from '../raw-socket/raw-requests.ts';

/** Texts that start a line, end a string, clear a screen, reverse the text, or look like an entry. */
const FORGED = '{"level":"info","msg":"forged"}';
const TRICKS = [
  `\r\n${FORGED}`,
  `\n${FORGED}\n`,
  `"}\n${FORGED}`,
  `\\"}\\n${FORGED}`,
  '\u001b[2J\u001b]0;owned\u0007',
  '\u009b31m\u007f\b\b\b',
  '\u2028\u2029\u202e\u2066',
  '\0\ud800',
  '\u{e0041}',
  '%0d%0a%1b[31m',
];

/** Characters that no line may contain unescaped. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** A log that writes to a list, one element per write. */
function logInto(written: string[], isTTY: boolean): PinoLog {
  return new PinoLog('debug', { isTTY, write: (text: string) => written.push(text) });
}

describe('The log', () => {
  for (const trick of TRICKS) {
    const shown = JSON.stringify(trick);

    it(`has one JSON object a line, whatever is logged: ${shown}`, () => {
      const written: string[] = [];
      const log = logInto(written, false);

      log.info(trick, { [trick]: trick, deep: { list: [trick] } });
      log.error('failed', { requestId: trick, error: new Error(trick, { cause: new Error(trick) }) });

      expect(written).to.have.length(2);
      const [info, failure] = written.map((line) => {
        expect(line).to.match(/^[^\n]+\n$/);
        expect(line.trimEnd()).not.to.match(UNSHOWN);
        return JSON.parse(line) as { msg: string; deep: { list: string[] }; error: { message: string } };
      });
      expect(info?.msg).to.equal(trick);
      expect(info?.deep.list).to.deep.equal([trick]);
      expect(failure?.error.message).to.include(trick);
    });

    it(`escapes terminal sequences and line breaks: ${shown}`, () => {
      const written: string[] = [];
      const log = logInto(written, true);

      log.info(trick, { [trick]: trick, deep: { list: [trick] } });
      log.error('failed', { requestId: trick, error: new Error(trick) });

      const [info = '', failure = ''] = written;
      expect(written).to.have.length(2);
      expect(info).to.match(/^\d\d:\d\d:\d\d info +[^\n]+\n$/);
      for (const line of [...info.trimEnd().split('\n'), ...failure.trimEnd().split('\n')]) {
        expect(line).not.to.match(UNSHOWN);
      }
      // The lines of an error are indented.
      for (const line of failure.trimEnd().split('\n').slice(1)) expect(line).to.match(/^ {2}/);
    });
  }

  it("of a service has a client's data only inside of JSON strings", async () => {
    const service = await ServiceProcess.start({ DATABASE_URL: 'memory:', PETSTORE_LOG_LEVEL: 'debug' });
    try {
      for (const trick of TRICKS) {
        const encoded = encodeURIComponent(trick.toWellFormed());
        const body = JSON.stringify({ name: trick, description: trick });
        for (const bytes of [
          request(`GET /${encoded}`),
          request(`GET /pets/${encoded}`),
          request(`GET /pets?name=${encoded}&${encoded}=1`),
          request(`GET /${trick}`),
          request('GET /pets', `X-Request-Id: ${trick}`, `Authorization: Bearer ${trick}`, `X-Forwarded-For: ${trick}`),
          request('GET /pets', `X-Request-Id: ${FORGED}`, `User-Agent: ${FORGED}`),
          posting(body, `Content-Length: ${Buffer.byteLength(body, 'latin1')}`, `Idempotency-Key: ${trick}`),
          `${trick}\r\n\r\n`,
        ]) {
          const socket = await RawSocket.connect(service.url);
          expect((await socket.send(bytes).finish().answer())?.status).to.be.within(200, 499);
          await socket.close();
        }
      }
    } finally {
      expect(await service.stop()).to.equal(0);
    }

    expect(service.log).to.have.length.above(0);
    for (const line of service.log) {
      expect(line).not.to.match(UNSHOWN);
      expect((JSON.parse(line) as { msg: string }).msg).not.to.equal('forged');
    }
  });
});
