import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { InMemoryReader } from '../../../src/adapters/in-memory/reader.ts';
import { InMemoryStore } from '../../../src/adapters/in-memory/store.ts';
import { Clock } from '../../../src/application/ports/clock.ts';
import { type Caller, CredentialVerifier } from '../../../src/application/ports/credential-verifier.ts';
import { Log } from '../../../src/application/ports/log.ts';
import { type Allowance, RateLimiter, type RatePolicy } from '../../../src/application/ports/rate-limiter.ts';
import { Reader } from '../../../src/application/ports/reader.ts';
import { petstores, post, statusOf } from '../../composition/petstores.ts';
import { failureOf } from '../../support/promises.ts';

const POLICY: RatePolicy = { name: 'minute', quota: 60, window: 60 };

/** Has a policy name that a header cannot contain. */
class UnspeakableLimiter extends RateLimiter {
  readonly policies = [POLICY];

  async take(): Promise<Allowance> {
    return { allowed: true, remainders: [{ policy: { ...POLICY, name: 'a\r\nb' }, left: 1, reset: 0 }] };
  }

  look(): Promise<Allowance> {
    return this.take();
  }

  async close(): Promise<void> {}
}

/** Fails like a log whose disk is full. */
class FailingLog extends Log {
  debug(): void {}
  info(): void {}

  warn(): void {
    throw new Error('no space left on device');
  }

  error(): void {
    throw new Error('no space left on device');
  }
}

class StoppedClock extends Clock {
  now(): number {
    throw new Error('the clock has stopped');
  }
}

/** Neither accepts nor refuses a credential. */
class SilentVerifier extends CredentialVerifier {
  verify(): Promise<Caller | undefined> {
    return new Promise(() => undefined);
  }
}

/** Never returns a page of pets. */
class SilentReader extends InMemoryReader {
  override pets(): Promise<never> {
    return new Promise(() => undefined);
  }
}

const silentReading = new ContainerModule(({ rebind }) => {
  rebind(Reader)
    .toResolvedValue((store) => new SilentReader(store), [InMemoryStore])
    .inSingletonScope();
});

describe('An adapter of another team that breaks its contract', () => {
  const start = petstores();

  it('closes the connection if no response can be written, and the process continues', async () => {
    const limiting = new ContainerModule(({ bind }) => {
      bind(RateLimiter).toConstantValue(new UnspeakableLimiter());
    });
    const { url } = await start({ modules: [limiting] });

    for (let i = 0; i < 2; i++) {
      const failure = await fetch(`${url}/pets`).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(TypeError);
    }
    expect(await statusOf(`${url}/health/live`)).to.equal(200);
  });

  it('causes a 500 if the log fails as well, and the process continues', async () => {
    const failing = new ContainerModule(({ rebind }) => {
      rebind(Log).toConstantValue(new FailingLog());
      rebind(Clock).toConstantValue(new StoppedClock());
    });
    const { url } = await start({ modules: [failing] });
    const category = await post(`${url}/categories`, '{"name":"Birds"}');
    const pet = await post(`${url}/pets`, '{"name":"Rio","categoryId":1}');

    expect(category.status).to.equal(500);
    expect(pet.status).to.equal(409);
    expect(await statusOf(`${url}/health/live`)).to.equal(200);
  });

  it('closes the connection if a read never ends and its 503 cannot be written either', async () => {
    const limiting = new ContainerModule(({ bind }) => {
      bind(RateLimiter).toConstantValue(new UnspeakableLimiter());
    });
    const limits = { eventLoopLag: 60_000, operationTime: 50 };
    const { url } = await start({ modules: [limiting, silentReading], limits });

    expect(await failureOf(fetch(`${url}/pets`))).to.be.instanceOf(TypeError);

    expect(await statusOf(`${url}/health/live`)).to.equal(200);
  });

  it('causes a 503 if a credential is never verified, and the next request is served', async () => {
    const silent = new ContainerModule(({ bind }) => {
      bind(CredentialVerifier).toConstantValue(new SilentVerifier());
    });
    const limits = { eventLoopLag: 60_000, operationTime: 50, requestsInFlight: 1 };
    const { url } = await start({ auth: ['api-key'], modules: [silent], limits });

    for (let i = 0; i < 2; i++) {
      const response = await fetch(`${url}/pets`, { headers: { Authorization: 'Bearer riddle' } });
      expect(response.status).to.equal(503);
      expect(response.headers.get('retry-after')).to.equal('1');
      expect(await response.json()).to.have.property(
        'message',
        'The credential was not verified within the time limit of 50 ms. Try again in a moment.',
      );
    }
  });
});
