import { mock } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import {
  FlexibleRateLimiter,
  type LimiterOptions,
  type MakeLimiter,
  type RateSettings,
} from '../../src/adapters/rate-limiting/flexible-rate-limiter.ts';
import { rateLimiterSuite } from '../../src/conformance/rate-limiter-suite.ts';
import type { OpenedLimiter } from '../../src/conformance/rate-limiter-under-test.ts';

/** A burst of a hundred in 24 seconds; of the third one in a minute only fifty are left. */
const SETTINGS: RateSettings = { perMinute: 250, burst: 100 };

const NOW = Date.UTC(2026, 10, 21, 9);

/** The library reads the time and sets its timers by itself. */
function stopTime(): void {
  mock.timers.enable({ apis: ['Date', 'setTimeout'], now: NOW });
}

function over(makeLimiter?: MakeLimiter): () => Promise<OpenedLimiter> {
  return async () => {
    stopTime();
    return {
      limiter: new FlexibleRateLimiter(SETTINGS, { maxClients: 1_000, ...(makeLimiter && { makeLimiter }) }),
      advance: async (ms) => mock.timers.tick(ms),
      dispose: async () => mock.timers.reset(),
    };
  };
}

/** What the library asks of Redis. */
class FakeRedis {
  readonly #entries = new Map<string, { value: number; end: number }>();
  /** Whether it answers, asked anew each time. */
  readonly #answers: () => boolean;
  asked = 0;

  constructor(answers: () => boolean = () => true) {
    this.#answers = answers;
  }

  defineCommand(): void {}

  async rlflxIncr([key = '', points, seconds]: string[]): Promise<[number, number]> {
    this.#mustAnswer();
    const entry = this.#entry(key) ?? { value: 0, end: Date.now() + Number(seconds) * 1000 };
    entry.value += Number(points);
    this.#entries.set(key, entry);
    return [entry.value, entry.end - Date.now()];
  }

  multi() {
    const answers: [null, unknown][] = [];
    const pipeline = {
      get: (key: string) => {
        answers.push([null, this.#entry(key)?.value ?? null]);
        return pipeline;
      },
      pttl: (key: string) => {
        answers.push([null, (this.#entry(key)?.end ?? Date.now() - 2) - Date.now()]);
        return pipeline;
      },
      exec: async () => {
        this.#mustAnswer();
        return answers;
      },
    };
    return pipeline;
  }

  #entry(key: string) {
    const entry = this.#entries.get(key);
    return entry && entry.end > Date.now() ? entry : undefined;
  }

  #mustAnswer(): void {
    this.asked += 1;
    if (!this.#answers()) throw new Error('ECONNREFUSED');
  }
}

const redis =
  (storeClient: FakeRedis, blocked = {}): MakeLimiter =>
  (options) =>
    new RateLimiterRedis({ ...options, ...blocked, storeClient });

/** A limiter that is away, and that the library does not insure. */
class Uninsured extends RateLimiterMemory {
  override consume(): never {
    throw new Error('It cannot even be asked.');
  }
  override async get(): Promise<never> {
    throw new Error('It does not know.');
  }
}

const OVER: Readonly<Record<string, () => Promise<OpenedLimiter>>> = {
  'in memory': over(),
  'over a store': async () => over(redis(new FakeRedis()))(),
  'over a store, with refused clients in memory': async () => {
    const store = new FakeRedis();
    return over((options) => redis(store, { inMemoryBlockOnConsumed: options.points + 1 })(options))();
  },
  'over a store that is unavailable': async () => over(redis(new FakeRedis(() => false)))(),
  'over a store that is unavailable and has no insurance': async () =>
    over(({ points, duration }) => new Uninsured({ points, duration }))(),
};

for (const [where, open] of Object.entries(OVER)) {
  describe(`The rate limiter ${where}`, () => rateLimiterSuite({ open }, { describe, it, beforeEach, afterEach }));
}

describe('The rate limiter of the library', () => {
  beforeEach(stopTime);
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  const limiterOf = (settings: RateSettings) => new FlexibleRateLimiter(settings);

  const times = async (count: number, limiter: FlexibleRateLimiter, caller = 'Ada') => {
    const allowances = [];
    for (let i = 0; i < count; i++) allowances.push(await limiter.take(caller, 'address'));
    return allowances;
  };

  const leftOf = async (limiter: FlexibleRateLimiter, caller = 'Ada') =>
    (await limiter.look(caller, 'address')).remainders.map(({ left }) => left);

  describe('has two policies', () => {
    it('of which one is a burst, in the time in which the rate makes up for it', () => {
      const burstOf = (perMinute: number, burst: number) => limiterOf({ perMinute, burst }).policies[0];

      expect(limiterOf({ perMinute: 600, burst: 100 }).policies).to.deep.equal([
        { name: 'burst', quota: 100, window: 10 },
        { name: 'minute', quota: 600, window: 60 },
      ]);
      expect(burstOf(600, 101)).to.deep.equal({ name: 'burst', quota: 101, window: 11 });
      expect(burstOf(60, 1)).to.deep.equal({ name: 'burst', quota: 1, window: 1 });
      expect(burstOf(60_000, 1)).to.deep.equal({ name: 'burst', quota: 1, window: 1 });
      expect(burstOf(60, 59)).to.deep.equal({ name: 'burst', quota: 59, window: 59 });
    });

    it('unless a burst would take the whole minute', () => {
      const minute = { name: 'minute', quota: 120, window: 60 };

      for (const burst of [119, 120, 121, 10_000]) {
        expect(limiterOf({ perMinute: 120, burst }).policies).to.deep.equal([minute]);
      }
    });
  });

  describe('counts a request that it refuses', () => {
    it('in no policy behind the one that refuses it', async () => {
      const limiter = limiterOf(SETTINGS);
      await times(100 + 500, limiter);

      expect(await leftOf(limiter)).to.deep.equal([0, 150]);
    });

    it('in no policy at all, after the first', async () => {
      const limiter = limiterOf(SETTINGS);
      for (const _ of ['a burst', 'another']) {
        await times(100, limiter);
        mock.timers.tick(24_000);
      }
      await times(50, limiter);
      expect(await leftOf(limiter)).to.deep.equal([50, 0]);

      const refused = await times(500, limiter);

      expect(refused.every(({ allowed }) => !allowed)).to.equal(true);
      expect(await leftOf(limiter)).to.deep.equal([49, 0]);
    });

    it('without asking a store about it again', async () => {
      const store = new FakeRedis();
      const written: string[] = [];
      const incr = store.rlflxIncr.bind(store);
      store.rlflxIncr = (command) => {
        written.push(String(command[0]));
        return incr(command);
      };
      const limiter = new FlexibleRateLimiter(SETTINGS, { makeLimiter: redis(store) });
      await times(100 + 500, limiter);

      expect(written).to.have.length(100 + 100 + 1);
      mock.timers.tick(24_000);
      expect(await limiter.take('Ada', 'address')).to.have.property('allowed', true);
    });
  });

  describe('whose store fails now and then', () => {
    it('never fails, and lets through no more than store and memory would each', async () => {
      let asked = 0;
      const store = new FakeRedis(() => ++asked % 3 > 0);
      const limiter = new FlexibleRateLimiter(SETTINGS, { makeLimiter: redis(store) });

      const allowances = await Promise.all(Array.from({ length: 1000 }, () => limiter.take('Ada', 'address')));

      expect(allowances.filter(({ allowed }) => allowed).length).to.be.within(100, 200);
      expect((await limiter.look('Ada', 'address')).remainders).to.have.length(2);
    });

    it('counts in it again when it is back', async () => {
      let away = true;
      const limiter = new FlexibleRateLimiter(SETTINGS, { makeLimiter: redis(new FakeRedis(() => !away)) });
      await times(30, limiter);
      expect(await leftOf(limiter)).to.deep.equal([70, 220]);

      away = false;
      expect(await leftOf(limiter)).to.deep.equal([100, 250]);
      await times(10, limiter);
      expect(await leftOf(limiter)).to.deep.equal([90, 240]);

      away = true;
      expect(await leftOf(limiter)).to.deep.equal([70, 220]);
    });
  });

  describe('knows that a window is over', () => {
    it('though its timer is late', async () => {
      mock.timers.reset();
      mock.timers.enable({ apis: ['Date'], now: NOW });
      const limiter = limiterOf(SETTINGS);
      await times(101, limiter);

      mock.timers.tick(24_000);

      expect((await limiter.look('Ada', 'address')).remainders[0]).to.deep.include({ left: 100, reset: 0 });
      expect((await limiter.take('Ada', 'address')).remainders[0]).to.deep.include({ left: 99, reset: 24 });
    });

    it('at its time, though the clock was set back', async () => {
      mock.timers.reset();
      mock.timers.enable({ apis: ['setTimeout'] });
      let now = NOW;
      mock.method(Date, 'now', () => now);
      const limiter = limiterOf(SETTINGS);
      await times(101, limiter);

      now -= 3_600_000;
      const { allowed, remainders } = await limiter.take('Ada', 'address');
      mock.timers.tick(24_000);
      const later = await limiter.take('Ada', 'address');

      expect(allowed).to.equal(false);
      expect(remainders.map(({ reset }) => reset)).to.deep.equal([24, 60]);
      expect(later.allowed).to.equal(true);
    });

    it('as soon as a store refuses for no time at all, and refuses all the same', async () => {
      class AtTheLastMoment extends RateLimiterMemory {
        override async consume(): Promise<never> {
          throw new RateLimiterRes(0, 0, 101);
        }
      }
      const limiter = new FlexibleRateLimiter(SETTINGS, { makeLimiter: (options) => new AtTheLastMoment(options) });

      expect(await limiter.take('Ada', 'address')).to.have.property('allowed', false);
    });
  });

  describe('receives for each policy what to count', () => {
    it('under which name, and what insures it', () => {
      const received: LimiterOptions[] = [];
      const limiter = new FlexibleRateLimiter(SETTINGS, {
        makeLimiter: (options) => {
          received.push(options);
          return options.insuranceLimiter;
        },
      });

      expect(limiter.policies).to.have.length(2);
      expect(received.map(({ keyPrefix, points, duration }) => [keyPrefix, points, duration])).to.deep.equal([
        ['caller:burst', 100, 24],
        ['caller:minute', 250, 60],
        ['address:burst', 100, 24],
        ['address:minute', 250, 60],
      ]);
      expect(received[0]?.insuranceLimiter).to.be.instanceOf(RateLimiterMemory);
      expect(new Set(received.map(({ insuranceLimiter }) => insuranceLimiter)).size).to.equal(4);
    });
  });

  describe('keeps only so many callers apart', () => {
    const crowded = (settings = SETTINGS) => new FlexibleRateLimiter(settings, { maxClients: 10 });

    const sendFromMany = async (limiter: FlexibleRateLimiter, from: number, to: number) => {
      for (let i = from; i < to; i++) await limiter.take(`Caller ${i}`, 'address');
    };

    it('and those beyond share one share', async () => {
      const limiter = crowded();
      await sendFromMany(limiter, 0, 10);

      await times(70, limiter, 'Ada');
      expect(await leftOf(limiter, 'Ada')).to.deep.equal([30, 180]);
      expect(await leftOf(limiter, 'Bob')).to.deep.equal([30, 180]);
      const bobs = await times(50, limiter, 'Bob');

      expect(bobs.filter(({ allowed }) => allowed)).to.have.length(30);
      expect(await limiter.take('Cyd', 'address')).to.have.property('allowed', false);
    });

    it('and those that came before keep theirs', async () => {
      const limiter = crowded();
      await sendFromMany(limiter, 0, 10);
      await sendFromMany(limiter, 10, 500);

      for (let i = 0; i < 10; i++) expect(await leftOf(limiter, `Caller ${i}`)).to.deep.equal([99, 249]);
      expect(await leftOf(limiter, 'Caller 10')).to.deep.equal([0, 150]);
    });

    it('and a look adds no client', async () => {
      const limiter = crowded();
      for (let i = 0; i < 50; i++) await limiter.look(`Caller ${i}`, 'address');
      await sendFromMany(limiter, 0, 9);
      await times(5, limiter, 'Ada');

      expect(await leftOf(limiter, 'Ada')).to.deep.equal([95, 245]);
      expect(await leftOf(limiter, 'Bob')).to.deep.equal([100, 250]);
    });

    it('and a window that has begun late is kept to its end', async () => {
      const limiter = crowded({ perMinute: 100, burst: 100 });
      await sendFromMany(limiter, 0, 1);
      mock.timers.tick(59_000);
      await sendFromMany(limiter, 1, 10);
      mock.timers.tick(58_000);
      await times(10, limiter, 'Ada');

      expect(await leftOf(limiter, 'Caller 5')).to.deep.equal([99]);
      await times(1, limiter, 'Caller 5');
      expect(await leftOf(limiter, 'Caller 5')).to.deep.equal([98]);
      expect(await leftOf(limiter, 'Bob')).to.deep.equal([90]);
    });

    it('until those that came before have stayed away for two windows', async () => {
      const limiter = crowded({ perMinute: 100, burst: 100 });
      await sendFromMany(limiter, 0, 10);
      await times(30, limiter, 'Ada');

      mock.timers.tick(60_000);
      await times(1, limiter, 'Caller 0');
      await times(2, limiter, 'Ada');
      expect(await leftOf(limiter, 'Bob')).to.deep.equal([98]);

      mock.timers.tick(60_000);
      await sendFromMany(limiter, 20, 28);
      await times(2, limiter, 'Ada');
      expect(await leftOf(limiter, 'Bob')).to.deep.equal([100]);
      expect(await leftOf(limiter, 'Ada')).to.deep.equal([98]);
      expect(await leftOf(limiter, 'Caller 0')).to.deep.equal([100]);
      expect(await leftOf(limiter, 'Caller 27')).to.deep.equal([99]);
    });

    it('and each of them once, however long they stay', async () => {
      const limiter = crowded({ perMinute: 100, burst: 100 });

      for (let minute = 0; minute < 3; minute++) {
        mock.timers.tick(60_000);
        await sendFromMany(limiter, 0, 9);
      }

      await times(5, limiter, 'Ada');
      expect(await leftOf(limiter, 'Ada')).to.deep.equal([95]);
      expect(await leftOf(limiter, 'Bob')).to.deep.equal([100]);
    });

    it('also when the clock is set back by a day', async () => {
      const limiter = crowded();
      await sendFromMany(limiter, 0, 10);

      mock.timers.reset();
      mock.timers.enable({ apis: ['Date', 'setTimeout'], now: NOW - 86_400_000 });

      await times(3, limiter, 'Ada');
      expect(await leftOf(limiter, 'Ada')).to.deep.equal([97, 247]);
      expect(await leftOf(limiter, 'Bob')).to.deep.equal([100, 250]);
    });

    it('which are fifty thousand by default', async () => {
      const limiter = limiterOf({ perMinute: 1, burst: 1 });
      const caller = (i: number) => limiter.take(`Caller ${i}`, 'address');
      let allowed = 0;

      for (let i = 0; i < 50_010; i++) allowed += Number((await caller(i)).allowed);

      expect(allowed).to.equal(50_001);
    });

    it('of each kind, so that addresses never take the place of callers', async () => {
      const limiter = limiterOf({ perMinute: 2, burst: 2 });
      await limiter.take('key:1', 'caller');
      const addresses = await Promise.all(
        Array.from({ length: 51_000 }, (_, i) => limiter.take(`Net ${i}`, 'address')),
      );

      expect(addresses.at(-1)).to.have.property('allowed', false);
      expect((await limiter.look('key:1', 'caller')).remainders[0]).to.have.property('left', 1);
      expect(await limiter.take('key:2', 'caller')).to.have.property('allowed', true);
    });

    it('so that a flood takes no more memory than they do', async () => {
      const limiter = new FlexibleRateLimiter(SETTINGS, { maxClients: 100 });
      await sendFromMany(limiter, 0, 1000);
      const before = heapUsed();

      await sendFromMany(limiter, 1000, 100_000);

      // Kept apart, they would take 80 MB.
      expect((heapUsed() - before) / 1e6).to.be.below(8);
    });
  });
});

/** Bytes that are in use, without what only waits to be collected. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
