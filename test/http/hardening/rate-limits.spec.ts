import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { KeyDesk } from '../../../src/application/key-desk.ts';
import {
  type Caller,
  CredentialRefused,
  CredentialVerifier,
} from '../../../src/application/ports/credential-verifier.ts';
import { Log } from '../../../src/application/ports/log.ts';
import type { Scope } from '../../../src/domain/scope.ts';
import type { Answer } from '../../support/client.ts';
import { latch } from '../../support/promises.ts';
import { RecordingLog } from '../../support/recording-log.ts';
import { refused } from '../../support/refusals.ts';
import { type Circumstances, RunningPetstore, runningPetstore } from '../../support/running-petstore.ts';
import { sent } from '../raw-socket/raw-requests.ts';

const BURST = 5;
/** Five at once, and the next ones only after 50 seconds: longer than any test. */
const FEW = { rateLimit: true, ratePerMinute: 6, rateBurst: BURST } satisfies Circumstances;

/** A petstore whose document was fetched before, so that the fetch counts for no test. */
function limitedPetstore(circumstances: Circumstances): RunningPetstore {
  before(async () => {
    const first = new RunningPetstore();
    await first.open(circumstances);
    await first.close();
  });
  return runningPetstore(circumstances);
}

const bearer = (credential: string) => ({ Authorization: `Bearer ${credential}` });

/** The remaining requests of the strictest policy, according to the response. */
function left(answer: Answer): number {
  const all = [...(answer.header('ratelimit') ?? '').matchAll(/;r=(\d+)/g)].map(([, r]) => Number(r));
  if (all.length === 0) throw new Error(`The answer does not say what is left: ${answer.rawHeaders}`);
  return Math.min(...all);
}

async function issue(store: RunningPetstore, ...scopes: Scope[]): Promise<string> {
  return (await store.petstore.container.get(KeyDesk).issue({ name: 'a key', scopes })).secret;
}

describe('The rate limit of an address', () => {
  const store = limitedPetstore(FEW);

  it('is in every response, and counted down', async () => {
    const answers = [
      await store.get('/pets'),
      await store.get('/nowhere'),
      await store.send('PUT', '/pets'),
      await store.get('/openapi.json'),
      await store.post('/categories', { name: '' }),
    ];

    expect(answers.map(({ status }) => status)).to.deep.equal([200, 404, 405, 200, 422]);
    expect(answers.map(left)).to.deep.equal([4, 3, 2, 1, 0]);
    for (const answer of answers) expect(answer.header('ratelimit-policy')).to.match(/^"\w+";q=\d+;w=\d+/);
  });

  it('makes every request beyond it 429, with Retry-After', async () => {
    for (let i = 0; i < BURST; i++) expect((await store.get('/pets')).status).to.equal(200);

    for (const answer of [
      await store.get('/pets'),
      await store.get('/pets/1'),
      await store.post('/categories', { name: 'Dogs' }),
      await store.get('/openapi.json'),
      await store.get('/nowhere'),
      await store.send('OPTIONS', '/pets'),
    ]) {
      const { message } = refused(answer, 429, 'rate_limited');
      expect(left(answer)).to.equal(0);
      expect(Number(answer.header('retry-after'))).to.be.within(1, 50);
      expect(message).to.include(`${answer.header('retry-after')} s`);
    }
  });

  it('lets exactly that many requests through, if all arrive at once', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => store.get('/pets')));

    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).to.have.length(BURST);
    expect(statuses.filter((status) => status === 429)).to.have.length(60 - BURST);
  });

  it('does not apply to health checks', async () => {
    for (let i = 0; i < 3 * BURST; i++) expect((await store.get('/health/live')).status).to.equal(200);

    expect(left(await store.get('/pets'))).to.equal(BURST - 1);
    for (let i = 0; i < BURST; i++) await store.get('/pets');
    expect((await store.get('/health/ready')).status).to.equal(200);
  });

  it('counts malformed requests, too', async () => {
    const answer = await sent(store, 'GARBAGE\r\n\r\n');

    expect(answer?.status).to.equal(400);
    expect(answer?.headers.get('ratelimit')).to.match(/;r=4\b/);
    expect(answer?.headers.get('ratelimit-policy')).to.match(/;q=5\b/);
    expect(left(await store.get('/pets'))).to.equal(3);
  });

  it('cannot be evaded by a forged address', async () => {
    for (let i = 0; i < BURST; i++)
      await store.get('/pets', { 'X-Forwarded-For': `10.0.0.${i}`, Forwarded: `for=10.0.0.${i}` });

    refused(await store.get('/pets', { 'X-Forwarded-For': '10.0.0.99' }), 429, 'rate_limited');
  });
});

describe('The rate limit of the clients of a proxy', () => {
  const store = limitedPetstore({ ...FEW, trustedProxies: 1 });

  it('is counted for each, by the address that the proxy reports, whatever the client sent', async () => {
    const from = (address: string) => store.get('/pets', { 'X-Forwarded-For': `6.6.6.6, ${address}` });
    for (let i = 0; i < BURST; i++) expect((await from('10.0.0.1')).status).to.equal(200);

    refused(await from('10.0.0.1'), 429, 'rate_limited');
    expect((await from('10.0.0.2')).status).to.equal(200);
    refused(await store.get('/pets', { 'X-Forwarded-For': '10.0.0.2, 10.0.0.1' }), 429, 'rate_limited');
  });
});

describe('An X-Forwarded-For', () => {
  const log = new RecordingLog();
  const logging = new ContainerModule(({ rebind }) => void rebind(Log).toConstantValue(log));
  const warnings = () => log.lines.filter(({ message }) => message.includes('X-Forwarded-For'));
  beforeEach(() => log.lines.splice(0));

  describe('while no proxy is trusted', () => {
    const store = runningPetstore({ modules: [logging] });

    it('is logged as ignored once, with the setting to change', async () => {
      await store.get('/pets');
      expect(warnings()).to.deep.equal([]);

      for (let i = 0; i < 3; i++) await store.get('/pets', { 'X-Forwarded-For': '10.0.0.1' });

      expect(warnings().map(({ level, fields }) => [level, fields])).to.deep.equal([
        ['warn', { variable: 'PETSTORE_TRUSTED_PROXIES' }],
      ]);
    });
  });

  describe('of a trusted proxy', () => {
    const store = runningPetstore({ modules: [logging], trustedProxies: 1 });

    it('is not logged', async () => {
      await store.get('/pets', { 'X-Forwarded-For': '10.0.0.1' });

      expect(warnings()).to.deep.equal([]);
    });
  });
});

describe('The rate limit of a caller', () => {
  const store = limitedPetstore({ ...FEW, auth: ['api-key'] });

  it('is counted for each caller', async () => {
    const [one, two] = [await issue(store, 'admin'), await issue(store, 'admin')];
    for (let i = 0; i < BURST; i++) expect((await store.get('/pets', bearer(one))).status).to.equal(200);

    refused(await store.get('/pets', bearer(one)), 429, 'rate_limited');
    expect(left(await store.get('/pets', bearer(two)))).to.equal(BURST - 1);
    expect(left(await store.get('/openapi.json'))).to.equal(BURST - 1);
  });

  it('is counted in the metrics when it is exceeded', async () => {
    const [busy, looking] = [await issue(store, 'pets:read'), await issue(store, 'store:read')];
    for (let i = 0; i < BURST + 2; i++) await store.get('/pets', bearer(busy));

    expect((await store.get('/metrics', bearer(looking))).text).to.match(
      /^petstore_http_requests_rate_limited_total 2$/m,
    );
  });

  it('includes requests that its scopes do not allow', async () => {
    const narrow = await issue(store, 'store:read');

    const answer = await store.get('/pets', bearer(narrow));

    refused(answer, 403, 'insufficient_scope');
    expect(left(answer)).to.equal(BURST - 1);
  });

  it('does not affect a caller at an address where others guess, and ends their guesses', async () => {
    const good = await issue(store, 'admin');
    await store.get('/pets', bearer(good));
    for (let i = 0; i < BURST; i++) {
      refused(await store.get('/pets', bearer(`petstore_1_${'guess'.padEnd(43, String(i))}`)), 401, 'unauthenticated');
    }

    refused(await store.get('/pets', bearer(`petstore_1_${'guess'.padEnd(43, 'x')}`)), 429, 'rate_limited');
    refused(await store.get('/pets'), 429, 'rate_limited');
    expect((await store.get('/pets', bearer(good))).status).to.equal(200);
  });
});

/** Verifies a credential only when it is released, so that a test decides what happens in the meantime. */
class HeldVerifier extends CredentialVerifier {
  readonly asked: string[] = [];
  readonly revoked = new Set<string>();
  readonly #released = latch();

  release(): void {
    this.#released.open();
  }

  override async verify(credential: string): Promise<Caller> {
    this.asked.push(credential);
    await this.#released.opened;
    if (!credential.startsWith('good') || this.revoked.has(credential))
      throw new CredentialRefused('unknown', 'This credential is not known here.');
    // Another team may name its callers like addresses.
    const name = credential === 'good-host' ? '127.0.0.1' : `acme:${credential}`;
    return { name, scopes: new Set(['admin'] as const) };
  }
}

describe('Guesses of one address that arrive at once', () => {
  let verifier: HeldVerifier;
  const store = limitedPetstore({
    ...FEW,
    auth: ['api-key'],
    modules: [
      new ContainerModule(({ rebind }) => {
        verifier = new HeldVerifier();
        rebind(CredentialVerifier).toConstantValue(verifier);
      }),
    ],
  });

  it('are verified only as far as the address has requests left', async () => {
    const guesses = Array.from({ length: 10 * BURST }, (_, i) => store.get('/pets', bearer(`guess-${i}`)));
    const isAnswered = Promise.all(guesses.slice(BURST));
    await isAnswered;
    verifier.release();

    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(verifier.asked).to.have.length(BURST);
    expect(statuses.filter((status) => status === 401)).to.have.length(BURST);
    expect(statuses.filter((status) => status === 429)).to.have.length(9 * BURST);
    refused(await store.get('/pets', bearer('another')), 429, 'rate_limited');
    expect(verifier.asked).to.have.length(BURST);
  });

  it('include a credential that is no longer valid', async () => {
    verifier.release();
    expect((await store.get('/pets', bearer('good'))).status).to.equal(200);
    verifier.revoked.add('good');
    for (let i = 0; i < BURST; i++) refused(await store.get('/pets', bearer('good')), 401, 'unauthenticated');
    const asked = verifier.asked.length;

    refused(await store.get('/pets', bearer('good')), 429, 'rate_limited');

    expect(verifier.asked).to.have.length(asked);
  });

  it('cost the address nothing if they are correct', async () => {
    verifier.release();
    for (let i = 0; i < 3 * BURST; i++) {
      expect((await store.get('/pets', bearer(`good-${i}`))).status).to.equal(200);
    }

    expect(left(await store.get('/pets'))).to.equal(BURST - 1);
    expect(left(await store.get('/pets', bearer('good-host')))).to.equal(BURST - 1);
  });
});

describe('A flood of anonymous requests', () => {
  const store = limitedPetstore({ ...FEW, auth: ['api-key'], trustedProxies: 1 });

  it('from a whole /48 costs no caller anything, and counts as one from 256 addresses', async () => {
    const [known, other] = [await issue(store, 'admin'), await issue(store, 'admin')];
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    await store.get('/pets', { ...bearer(known), ...from('2001:db8:7::1') });
    const net = (i: number) => `2001:db8:7:${(i * 64).toString(16)}::1`;
    let passed = 0;
    for (let i = 0; i < 1_024; i += 64) {
      const answers = await Promise.all(Array.from({ length: 64 }, (_, j) => store.get('/pets', from(net(i + j)))));
      passed += answers.filter(({ status }) => status === 401).length;
    }
    // Four addresses of each /56 have sent one request.
    expect(passed).to.equal(1_024);
    for (let i = 0; i < 4; i++) await store.get('/pets', from(net(4 + i)));
    refused(await store.get('/pets', from(net(7))), 429, 'rate_limited');

    expect(left(await store.get('/pets', { ...bearer(known), ...from(net(7)) }))).to.equal(BURST - 2);
    expect(left(await store.get('/pets', { ...bearer(other), ...from('203.0.113.9') }))).to.equal(BURST - 1);
  });
});

describe('Without rate limits', () => {
  for (const circumstances of [{}, { auth: ['api-key'], rateLimit: false }] satisfies Circumstances[]) {
    describe(JSON.stringify(circumstances), () => {
      const store = runningPetstore(circumstances);

      it('no response has rate limit fields, nor does the document', async () => {
        expect((await store.get('/pets')).header('ratelimit')).to.equal(undefined);
        expect(store.document.components.headers).to.not.have.property('RateLimit');
        expect(Object.keys(store.document.paths['/pets']?.['get']?.responses ?? {})).to.not.include('429');
      });
    });
  }

  describe('by default, while authentication is on,', () => {
    const store = limitedPetstore({ auth: ['api-key'] });

    it('callers are limited to 600 requests a minute, 100 at once', async () => {
      const answer = await store.get('/pets', bearer(await issue(store, 'admin')));

      expect(answer.header('ratelimit-policy')).to.equal('"burst";q=100;w=10, "minute";q=600;w=60');
      expect(answer.header('ratelimit')).to.match(/^"burst";r=99;t=\d+, "minute";r=599;t=\d+$/);
    });
  });
});
