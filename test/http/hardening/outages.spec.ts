import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { Readiness } from '../../../src/adapters/http/handler/readiness.ts';
import { InMemoryReader } from '../../../src/adapters/in-memory/reader.ts';
import { InMemoryStore } from '../../../src/adapters/in-memory/store.ts';
import { InMemoryUnitOfWork } from '../../../src/adapters/in-memory/unit-of-work.ts';
import { Log } from '../../../src/application/ports/log.ts';
import { Reader } from '../../../src/application/ports/reader.ts';
import { Storage } from '../../../src/application/ports/storage.ts';
import { CommitInDoubt, UnitOfWork } from '../../../src/application/ports/unit-of-work.ts';
import { afterCheck } from '../../support/after-check.ts';
import type { Answer } from '../../support/client.ts';
import { type LogLine, RecordingLog } from '../../support/recording-log.ts';
import { refused } from '../../support/refusals.ts';
import { type Circumstances, type RunningPetstore, runningPetstore } from '../../support/running-petstore.ts';

/** One request of every kind: a read, lists, a write with and without a body. */
const ASKED: [method: string, path: string, body?: string][] = [
  ['GET', '/store/pets/1'],
  ['GET', '/pets/1'],
  ['GET', '/pets?limit=1'],
  ['GET', '/store/inventory/summary'],
  ['GET', '/store/inventory/1/movements'],
  ['POST', '/store/orders', '{"petId":1}'],
  ['PATCH', '/store/pets/1', '{"name":"Tom"}'],
  ['DELETE', '/store/pets/1'],
];

for (const storage of ['memory', 'sqlite'] as const satisfies Circumstances['storage'][]) {
  describe(`When the storage is unavailable (${storage}),`, () => {
    const log = new RecordingLog();
    const store = runningPetstore({ storage, modules: [logging(log)] });

    beforeEach(async () => {
      await store.pet();
      await store.petstore.container.get(Storage).close();
    });

    it('every operation that needs it is 503, with Retry-After', async () => {
      for (const [method, path, body] of ASKED) {
        log.lines.length = 0;
        const answer = await send(store, method, path, body);

        const { message } = refused(answer, 503, 'unavailable');
        expect(Number(answer.header('retry-after')), path).to.be.within(1, 60);
        expect(message).to.not.match(/sqlite|database|file|closed/i);
        // What works in the background logs that the storage is unavailable too.
        const lines = log.lines.filter(({ fields }) => fields['requestId'] !== undefined);
        expect(lines.map(({ level, fields }) => [level, fields['requestId']])).to.deep.equal([
          ['warn', answer.header('x-request-id')],
        ]);
      }
    });

    it('the service is live, and not ready', async () => {
      expect((await store.get('/health/live')).status).to.equal(200);
      refused(await store.get('/health/ready'), 503, 'unavailable');
      refused(await store.get('/metrics'), 503, 'unavailable');
    });

    it('everything else still works', async () => {
      expect((await store.get('/openapi.json')).status).to.equal(200);
      refused(await store.get('/store/pets/x'), 400, 'invalid_parameter');
      refused(await store.post('/pets', {}), 422, 'validation_failed');
      refused(await store.get('/nowhere'), 404, 'not_found');
    });
  });
}

describe('When the service shuts down,', () => {
  const store = runningPetstore();

  it('it refuses requests with 503, and closes the connection', async () => {
    await store.pet();
    store.petstore.container.get(Readiness).close();

    for (const [method, path] of ASKED) {
      const answer = await store.send(method, path);
      refused(answer, 503, 'unavailable');
      expect(answer.header('retry-after')).to.equal('1');
      expect(answer.header('connection')).to.equal('close');
    }
    refused(await store.get('/health/ready'), 503, 'unavailable');
    expect((await store.get('/health/live')).status).to.equal(200);
  });
});

describe('When a commit is in doubt,', () => {
  class LostUnitOfWork extends InMemoryUnitOfWork {
    override async write(): Promise<never> {
      throw new CommitInDoubt('The line is dead.');
    }
  }
  const losing = new ContainerModule(({ rebind }) => {
    rebind(UnitOfWork)
      .toResolvedValue((kept) => new LostUnitOfWork(kept), [InMemoryStore])
      .inSingletonScope();
  });
  const store = runningPetstore({ modules: [losing, logging(new RecordingLog())] });

  it('the response is 503, and says so', async () => {
    const { message } = refused(await store.post('/categories', { name: 'Dogs' }), 503, 'unavailable');

    expect(message).to.include('unknown').and.to.include('Idempotency-Key');
    expect(message).to.not.include('nothing was changed');
  });
});

describe('When something fails unexpectedly,', () => {
  const SECRET = 'select password from /etc/shadow at better-sqlite3';
  const log = new RecordingLog();

  class BrokenReader extends InMemoryReader {
    override pet(): never {
      throw new TypeError(SECRET, { cause: new Error('deeper') });
    }
    override async pets(): Promise<never> {
      throw new Error(SECRET);
    }
    override async summary(): Promise<never> {
      // The thrown value need not be an error.
      return Promise.reject(SECRET);
    }
  }
  class BrokenUnitOfWork extends InMemoryUnitOfWork {
    override async write(): Promise<never> {
      throw new RangeError(SECRET);
    }
  }
  const breaking = new ContainerModule(({ rebind }) => {
    rebind(Reader)
      .toResolvedValue((kept) => new BrokenReader(kept), [InMemoryStore])
      .inSingletonScope();
    rebind(UnitOfWork)
      .toResolvedValue((kept) => afterCheck(new InMemoryUnitOfWork(kept), new BrokenUnitOfWork(kept)), [InMemoryStore])
      .inSingletonScope();
  });
  const store = runningPetstore({ modules: [breaking, logging(log)] });

  it('the response is 500 without details, which are in the log under the same id', async () => {
    for (const [method, path, body] of [
      ['GET', '/store/pets/1'],
      ['GET', '/pets/1'],
      ['GET', '/pets'],
      ['GET', '/store/inventory/summary'],
      ['POST', '/categories', '{"name":"Dogs"}'],
      ['DELETE', '/store/orders/1'],
      ['GET', '/metrics'],
    ] as const) {
      log.lines.length = 0;
      const answer = await send(store, method, path, body, { 'X-Request-Id': 'mine' });

      const error = refused(answer, 500, 'internal_error');
      expect(error.requestId).to.equal('mine');
      expect(error, path).to.have.all.keys('code', 'message', 'status', 'requestId');
      const output = `${answer.text}${answer.rawHeaders.join()}`;
      expect(output).to.not.match(/select|sqlite|shadow|Error:|\.ts|node_modules| {4}at /);
      expect(log.lines).to.have.lengthOf(1);
      const [{ level, fields }] = log.lines as [LogLine];
      expect([level, fields['requestId']]).to.deep.equal(['error', 'mine']);
      expect(String(fields['error'])).to.include(SECRET);
    }
  });

  it('the response has no details as a problem of RFC 9457 either', async () => {
    const answer = await store.get('/store/pets/1', { Accept: 'application/problem+json' });

    expect(answer.header('content-type')).to.equal('application/problem+json');
    refused(answer, 500, 'internal_error');
    expect(answer.text).to.not.include('select');
  });

  it('the next request is served', async () => {
    await store.get('/store/pets/1');

    refused(await store.get('/store/orders/1'), 404, 'order_not_found');
  });

  it('HEAD has no body', async () => {
    const answer = await store.head('/store/pets/1');

    expect([answer.status, answer.bytes.length]).to.deep.equal([500, 0]);
  });
});

function send(
  store: RunningPetstore,
  method: string,
  path: string,
  content?: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const type = content === undefined ? {} : { 'Content-Type': 'application/json' };
  return store.send(method, path, { headers: { ...type, ...headers }, ...(content !== undefined && { content }) });
}

function logging(log: RecordingLog): ContainerModule {
  return new ContainerModule(({ rebind }) => void rebind(Log).toConstantValue(log));
}
