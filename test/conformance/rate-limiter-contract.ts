import { expect } from 'chai';
import type { Allowance, RateLimiter } from '../../src/application/ports/rate-limiter.ts';

/** A limiter of its own for one test, of which nobody has taken anything. */
export interface RateLimiterUnderTest {
  /** Its policies have windows of more than 2 seconds, and the smallest quota is 2 to 1,000. */
  readonly limiter: RateLimiter;
  /** Lets milliseconds go by. Without it, what happens when a window is over is skipped. */
  readonly pass?: (ms: number) => Promise<void>;
  /** Lets go of everything. Is called once. */
  dispose(): Promise<void>;
}

export type OpenRateLimiter = () => Promise<RateLimiterUnderTest>;

/** The promises of the port `RateLimiter`, as tests that every adapter passes. */
export function rateLimiterContract(name: string, open: OpenRateLimiter): void {
  describe(`${name} keeps the promises of a rate limiter:`, () => {
    let underTest: RateLimiterUnderTest;
    let limiter: RateLimiter;

    beforeEach(async () => {
      underTest = await open();
      limiter = underTest.limiter;
    });
    afterEach(() => underTest.dispose());

    /** What one caller may take at once. */
    const most = () => Math.min(...limiter.policies.map(({ quota }) => quota));

    const take = async (caller: string, times: number): Promise<Allowance[]> => {
      const allowances: Allowance[] = [];
      for (let i = 0; i < times; i++) allowances.push(await limiter.take(caller));
      return allowances;
    };

    /** The longest time until something that is exhausted is whole again, in seconds. */
    const wait = ({ remainders }: Allowance) =>
      Math.max(...remainders.filter(({ left }) => left === 0).map(({ reset }) => reset));

    const passing = (test: Mocha.Context): ((ms: number) => Promise<void>) => underTest.pass ?? test.skip();

    describe('a policy', () => {
      it('has a name of its own, and a quota and a window in whole numbers', () => {
        const names = limiter.policies.map(({ name }) => name);

        expect(names).to.have.length.above(0);
        expect(new Set(names)).to.have.property('size', names.length);
        for (const { name, quota, window } of limiter.policies) {
          expect(name).to.match(/^[\x20-\x7e]+$/);
          expect(quota).to.satisfy(Number.isSafeInteger).and.be.above(0);
          expect(window).to.satisfy(Number.isSafeInteger).and.be.above(0);
        }
      });

      it('has a remainder in every answer, in their order', async () => {
        const answers = [...(await take('Ada', most() + 2)), await limiter.look('Ada'), await limiter.look('Bob')];

        for (const { remainders } of answers) {
          expect(remainders.map(({ policy }) => policy)).to.deep.equal(limiter.policies);
          for (const { policy, left, reset } of remainders) {
            expect(left).to.satisfy(Number.isSafeInteger).and.be.within(0, policy.quota);
            expect(reset).to.satisfy(Number.isSafeInteger).and.be.within(0, policy.window);
          }
        }
      });
    });

    describe('a share', () => {
      it('is the smallest quota, and nothing beyond it', async () => {
        const allowances = await take('Ada', most() + 3);

        expect(allowances.map(({ allowed }) => allowed)).to.deep.equal([
          ...Array<boolean>(most()).fill(true),
          ...[false, false, false],
        ]);
      });

      it('is given once, however many ask at the same time', async () => {
        const allowances = await Promise.all(Array.from({ length: 1000 + most() }, () => limiter.take('Ada')));

        expect(allowances.filter(({ allowed }) => allowed)).to.have.length(most());
        expect(await limiter.take('Ada')).to.have.property('allowed', false);
      });

      it('is not missed by another', async () => {
        await take('Ada', most() + 3);

        expect(await limiter.look('Bob')).to.deep.equal({
          allowed: true,
          remainders: limiter.policies.map((policy) => ({ policy, left: policy.quota, reset: 0 })),
        });
        expect((await take('Bob', most())).every(({ allowed }) => allowed)).to.equal(true);
      });

      it('is the same whoever asks beside, all at the same time', async () => {
        const callers = Array.from({ length: 20 }, (_, i) => `Caller ${i}`);
        const each = Array.from({ length: most() + 5 }, () => callers).flat();

        const allowances = await Promise.all(each.map((caller) => limiter.take(caller)));

        for (const caller of callers) {
          const own = allowances.filter(({ allowed }, i) => allowed && each[i] === caller);
          expect(own, caller).to.have.length(most());
        }
      });

      it('is there for a caller of any name, for each their own', async () => {
        const names = [
          ...[
            '0',
            '__proto__',
            'constructor',
            'toString',
            'Ada',
            'ada',
            'Ada ',
            'A:da',
            'A',
            'da',
            '\u00e9',
            'e\u0301',
          ],
          ...['2001:db8::/64', '192.0.2.7', '*', '%', "'; drop table shares; --", '\ud83d\udc36', 'x'.repeat(200)],
        ];

        for (const name of names) {
          const { remainders } = await limiter.take(name);
          for (const { policy, left } of remainders) expect(left, name).to.equal(policy.quota - 1);
        }
      });
    });

    describe('what is left', () => {
      it('is one less after each request, and never less than nothing', async () => {
        for (const [i, { remainders }] of (await take('Ada', most() + 3)).entries()) {
          for (const { policy, left } of remainders) {
            if (i < most()) expect(left).to.equal(policy.quota - 1 - i);
            if (policy.quota === most()) expect(left).to.equal(Math.max(0, most() - 1 - i));
          }
        }
      });

      it('is never more than there is, however many ask at the same time', async () => {
        const allowances = await Promise.all(Array.from({ length: most() + 50 }, () => limiter.take('Ada')));

        for (const [i, policy] of limiter.policies.entries()) {
          const lefts = allowances.filter(({ allowed }) => allowed).map(({ remainders }) => remainders[i]?.left ?? -1);
          // Each of those who were let through took another one.
          expect(lefts.sort((a, b) => b - a)).to.deep.equal(
            Array.from({ length: most() }, (_, taken) => policy.quota - 1 - taken),
          );
        }
      });

      it('is nothing of at least one policy where somebody is refused, and that is there again later', async () => {
        const refused = (await take('Ada', most() + 1)).at(-1);

        const exhausted = refused?.remainders.filter(({ left }) => left === 0) ?? [];
        expect(exhausted).to.have.length.above(0);
        for (const { reset } of exhausted) expect(reset).to.be.above(0);
      });
    });

    describe('a look', () => {
      it('counts nothing', async () => {
        const fresh = await limiter.look('Ada');
        for (let i = 0; i < 2 * most(); i++) expect(await limiter.look('Ada')).to.deep.equal(fresh);

        expect((await take('Ada', most())).every(({ allowed }) => allowed)).to.equal(true);

        const empty = await limiter.look('Ada');
        expect(empty.remainders.map(({ left }) => left)).to.deep.equal(
          limiter.policies.map(({ quota }) => quota - most()),
        );
      });

      it('shows what the last request has left, and whether another one would be allowed', async () => {
        for (let i = 0; i < most(); i++) {
          const seen = await limiter.look('Ada');
          const taken = await limiter.take('Ada');
          const after = await limiter.look('Ada');

          expect([seen.allowed, taken.allowed, after.allowed]).to.deep.equal([true, true, i < most() - 1]);
          expect(after.remainders.map(({ left }) => left)).to.deep.equal(taken.remainders.map(({ left }) => left));
        }
      });
    });

    describe('a window', () => {
      it('begins with the first request in it', async function () {
        const pass = passing(this);
        await pass(3_700);

        for (const { policy, reset } of (await limiter.take('Ada')).remainders) expect(reset).to.equal(policy.window);
      });

      it('does not move, and its end is counted in seconds, begun ones too', async function () {
        const pass = passing(this);
        await limiter.take('Ada');
        const gone: number[] = [];

        for (const ms of [1, 998, 1, 1, 998, 1]) {
          await pass(ms);
          const { remainders } = await limiter.look('Ada');
          gone.push(...new Set(remainders.map(({ policy, reset }) => policy.window - reset)));
        }

        expect(gone).to.deep.equal([0, 0, 1, 1, 1, 2]);
      });

      it('does not begin anew for who is refused and asks on', async function () {
        const pass = passing(this);
        const refused = (await take('Ada', most() + 1)).at(-1) as Allowance;
        const seconds = wait(refused);

        for (let second = 1; second < seconds; second++) {
          await pass(1_000);
          const { allowed, remainders } = await limiter.take('Ada');
          expect(allowed).to.equal(false);
          expect(wait({ allowed, remainders })).to.equal(seconds - second);
        }
        await pass(1_000);

        expect(await limiter.take('Ada')).to.have.property('allowed', true);
      });

      it('is forgotten when it is over', async function () {
        const pass = passing(this);
        await take('Ada', most() + 1);
        await pass(Math.max(...limiter.policies.map(({ window }) => window)) * 1000);

        const whole = limiter.policies.map((policy) => ({ policy, left: policy.quota, reset: 0 }));
        expect(await limiter.look('Ada')).to.deep.equal({ allowed: true, remainders: whole });
        const again = await take('Ada', most() + 1);
        expect(again.filter(({ allowed }) => allowed)).to.have.length(most());
        expect(again[0]?.remainders).to.deep.equal(
          limiter.policies.map((policy) => ({ policy, left: policy.quota - 1, reset: policy.window })),
        );
      });

      it('never lets more than the quota through, whenever they come', async function () {
        const pass = passing(this);
        const { quota, window } = limiter.policies.reduce((one, other) => (other.window > one.window ? other : one));
        const slices = 12;

        for (const _ of ['one window', 'the next']) {
          let allowed = 0;
          for (let slice = 0; slice < slices; slice++) {
            const taken = await Promise.all(Array.from({ length: most() + 1 }, () => limiter.take('Ada')));
            allowed += taken.filter((allowance) => allowance.allowed).length;
            await pass((window * 1000) / slices);
          }
          expect(allowed).to.be.within(most(), quota);
        }
      });
    });
  });
}
