import { expect } from 'chai';
import { FlexibleRateLimiter } from '../../../src/adapters/rate-limiting/flexible-rate-limiter.ts';
import { PostgresCounting } from '../../../src/adapters/rate-limiting/postgres-counting.ts';
import { postgresServer } from '../../support/postgres-server.ts';

const FEW = { perMinute: 60, burst: 20 };

describe('Rates that are counted in PostgreSQL', () => {
  const limiters: FlexibleRateLimiter[] = [];
  const limiterOf = (url: string) => {
    const limiter = new FlexibleRateLimiter(FEW, new PostgresCounting(url));
    limiters.push(limiter);
    return limiter;
  };
  afterEach(async () => {
    for (const limiter of limiters.splice(0)) await limiter.close();
  });

  it('are counted by all nodes together', async () => {
    const url = await postgresServer.makeStore();
    const nodes = [limiterOf(url), limiterOf(url), limiterOf(url)];

    const takes = await Promise.all(
      Array.from({ length: 30 }, (_, i) => nodes[i % 3]?.take('somebody', 'caller') ?? expect.fail('There is none.')),
    );

    expect(takes.filter(({ allowed }) => allowed)).to.have.length(20);
    for (const node of nodes) {
      expect((await node.take('somebody', 'caller')).allowed).to.equal(false);
      expect((await node.look('somebody', 'caller')).remainders[0]?.left).to.equal(0);
    }
    expect((await nodes[1]?.take('somebody else', 'caller'))?.allowed).to.equal(true);
  });

  it('count a caller and an address apart, also under the same name', async () => {
    const url = await postgresServer.makeStore();
    const [one, two] = [limiterOf(url), limiterOf(url)];
    for (let i = 0; i < 25; i++) await one.take('192.0.2.7', 'address');

    expect((await two.look('192.0.2.7', 'address')).allowed).to.equal(false);
    expect((await two.take('192.0.2.7', 'caller')).remainders[0]?.left).to.equal(19);
  });

  it('distinguish callers with names of the maximum length', async () => {
    const url = await postgresServer.makeStore();
    const [one, two] = [limiterOf(url), limiterOf(url)];
    const name = `jwt:${'ä'.repeat(295)}`;
    for (let i = 0; i < 20; i++) await one.take(`${name}1`, 'caller');

    expect((await two.take(`${name}1`, 'caller')).allowed).to.equal(false);
    expect((await two.take(`${name}2`, 'caller')).allowed).to.equal(true);
  });

  it('are counted in memory while the database is unavailable', async () => {
    const url = new URL(await postgresServer.addressOf('there_is_no_such_database'));
    const limiter = limiterOf(url.href);

    const takes = await Promise.all(Array.from({ length: 30 }, () => limiter.take('somebody', 'caller')));

    expect(takes.filter(({ allowed }) => allowed)).to.have.length(20);
  });
});
