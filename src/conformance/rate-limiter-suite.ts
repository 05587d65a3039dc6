import assert from 'node:assert/strict';
import type { Allowance, RateLimiter } from '../application/ports/rate-limiter.ts';
import { assertWhole } from './assertions.ts';
import { clientKindChecks } from './rate-limiter-kinds.ts';
import type { OpenedLimiter, RateLimiterUnderTest } from './rate-limiter-under-test.ts';
import { itUnless, openedForEach, type RegisterCheck, type TestFunctions } from './test-functions.ts';

/** The contract of the port `RateLimiter`. */
export function rateLimiterSuite({ open, gaps }: RateLimiterUnderTest, test: TestFunctions): void {
  const { describe } = test;
  describe('RateLimiter', () => {
    const opened = openedForEach(open, test);
    shareChecks(opened, test);
    describe('a share', () => clientKindChecks(opened, test));
    describe('a window', () => windowChecks(opened, itUnless(gaps?.advance, test)));
  });
}

function shareChecks(opened: OpenedLimiter, { describe, it }: TestFunctions): void {
  describe('a policy', () => {
    it('has a name of its own, and a quota and a window in whole numbers', () => {
      const { limiter } = opened;
      const names = limiter.policies.map(({ name }) => name);

      assert.ok(names.length > 0);
      assert.equal(new Set(names).size, names.length);
      for (const { name, quota, window } of limiter.policies) {
        assert.match(name, /^[\x20-\x7e]+$/);
        assertWhole(quota, 1);
        assertWhole(window, 1);
      }
    });

    it('has a remainder in every result, in the order of the policies', async () => {
      const { limiter } = opened;
      const answers = [
        ...(await take(limiter, 'Ada', most(limiter) + 2)),
        await limiter.look('Ada', 'caller'),
        await limiter.look('Bob', 'caller'),
      ];

      for (const { remainders } of answers) {
        assert.deepEqual(
          remainders.map(({ policy }) => policy),
          limiter.policies,
        );
        for (const { policy, left, reset } of remainders) {
          assertWhole(left, 0, policy.quota);
          assertWhole(reset, 0, policy.window);
        }
      }
    });
  });

  describe('a share', () => {
    it('is the smallest quota, and nothing beyond it', async () => {
      const { limiter } = opened;
      const allowances = await take(limiter, 'Ada', most(limiter) + 3);

      assert.deepEqual(
        allowances.map(({ allowed }) => allowed),
        [...Array<boolean>(most(limiter)).fill(true), ...[false, false, false]],
      );
    });

    it('is granted once to any number of concurrent requests', async () => {
      const { limiter } = opened;
      const allowances = await Promise.all(
        Array.from({ length: 1000 + most(limiter) }, () => limiter.take('Ada', 'caller')),
      );

      assert.equal(allowances.filter(({ allowed }) => allowed).length, most(limiter));
      assert.equal((await limiter.take('Ada', 'caller')).allowed, false);
    });

    it('is not reduced by the requests of others', async () => {
      const { limiter } = opened;
      await take(limiter, 'Ada', most(limiter) + 3);

      assert.deepEqual(await limiter.look('Bob', 'caller'), {
        allowed: true,
        remainders: limiter.policies.map((policy) => ({ policy, left: policy.quota, reset: 0 })),
      });
      assert.equal(
        (await take(limiter, 'Bob', most(limiter))).every(({ allowed }) => allowed),
        true,
      );
    });

    it('is the same while others send requests concurrently', async () => {
      const { limiter } = opened;
      const callers = Array.from({ length: 20 }, (_, i) => `Caller ${i}`);
      const each = Array.from({ length: most(limiter) + 5 }, () => callers).flat();

      const allowances = await Promise.all(each.map((caller) => limiter.take(caller, 'caller')));

      for (const caller of callers) {
        const own = allowances.filter(({ allowed }, i) => allowed && each[i] === caller);
        assert.equal(own.length, most(limiter), caller);
      }
    });

    it('exists separately for callers with any name', async () => {
      const { limiter } = opened;
      const names = [
        ...['0', '__proto__', 'constructor', 'toString', 'Ada', 'ada', 'Ada ', 'A:da', 'A', 'da', '\u00e9', 'e\u0301'],
        ...['2001:db8::/64', '192.0.2.7', '*', '%', "'; drop table shares; --", '\ud83d\udc36', 'x'.repeat(200)],
      ];

      for (const name of names) {
        const { remainders } = await limiter.take(name, 'caller');
        for (const { policy, left } of remainders) assert.equal(left, policy.quota - 1, name);
      }
    });
  });

  describe('the remainder', () => {
    it('decreases by one with each request, and is never negative', async () => {
      const { limiter } = opened;
      for (const [i, { remainders }] of (await take(limiter, 'Ada', most(limiter) + 3)).entries()) {
        for (const { policy, left } of remainders) {
          if (i < most(limiter)) assert.equal(left, policy.quota - 1 - i);
          if (policy.quota === most(limiter)) assert.equal(left, Math.max(0, most(limiter) - 1 - i));
        }
      }
    });

    it('is never too large under concurrent requests', async () => {
      const { limiter } = opened;
      const allowances = await Promise.all(
        Array.from({ length: most(limiter) + 50 }, () => limiter.take('Ada', 'caller')),
      );

      for (const [i, policy] of limiter.policies.entries()) {
        const lefts = allowances.filter(({ allowed }) => allowed).map(({ remainders }) => remainders[i]?.left ?? -1);
        // Each allowed request has another remainder.
        assert.deepEqual(
          lefts.sort((a, b) => b - a),
          Array.from({ length: most(limiter) }, (_, taken) => policy.quota - 1 - taken),
        );
      }
    });

    it('is zero for at least one policy when a request is refused, and recovers later', async () => {
      const { limiter } = opened;
      const refused = (await take(limiter, 'Ada', most(limiter) + 1)).at(-1);

      const exhausted = refused?.remainders.filter(({ left }) => left === 0) ?? [];
      assert.ok(exhausted.length > 0);
      for (const { reset } of exhausted) assert.ok(reset > 0);
    });
  });

  describe('a look', () => {
    it('counts nothing', async () => {
      const { limiter } = opened;
      const fresh = await limiter.look('Ada', 'caller');
      for (let i = 0; i < 2 * most(limiter); i++) assert.deepEqual(await limiter.look('Ada', 'caller'), fresh);

      assert.equal(
        (await take(limiter, 'Ada', most(limiter))).every(({ allowed }) => allowed),
        true,
      );

      const empty = await limiter.look('Ada', 'caller');
      assert.deepEqual(
        empty.remainders.map(({ left }) => left),
        limiter.policies.map(({ quota }) => quota - most(limiter)),
      );
    });

    it('returns the remainder after the last request, and whether another one would be allowed', async () => {
      const { limiter } = opened;
      for (let i = 0; i < most(limiter); i++) {
        const seen = await limiter.look('Ada', 'caller');
        const taken = await limiter.take('Ada', 'caller');
        const after = await limiter.look('Ada', 'caller');

        assert.deepEqual([seen.allowed, taken.allowed, after.allowed], [true, true, i < most(limiter) - 1]);
        assert.deepEqual(
          after.remainders.map(({ left }) => left),
          taken.remainders.map(({ left }) => left),
        );
      }
    });
  });
}

function windowChecks(opened: OpenedLimiter, it: RegisterCheck): void {
  it('begins with the first request in it', async () => {
    const { limiter, advance } = inTime(opened);
    await advance(3_700);

    for (const { policy, reset } of (await limiter.take('Ada', 'caller')).remainders)
      assert.equal(reset, policy.window);
  });

  it('does not move, and reports its end in seconds, rounded up', async () => {
    const { limiter, advance } = inTime(opened);
    await limiter.take('Ada', 'caller');
    const gone: number[] = [];

    for (const ms of [1, 998, 1, 1, 998, 1]) {
      await advance(ms);
      const { remainders } = await limiter.look('Ada', 'caller');
      gone.push(...new Set(remainders.map(({ policy, reset }) => policy.window - reset)));
    }

    assert.deepEqual(gone, [0, 0, 1, 1, 1, 2]);
  });

  it('does not restart for a caller who is refused and continues', async () => {
    const { limiter, advance } = inTime(opened);
    const refused = (await take(limiter, 'Ada', most(limiter) + 1)).at(-1) as Allowance;
    const seconds = wait(refused);

    for (let second = 1; second < seconds; second++) {
      await advance(1_000);
      const { allowed, remainders } = await limiter.take('Ada', 'caller');
      assert.equal(allowed, false);
      assert.equal(wait({ allowed, remainders }), seconds - second);
    }
    await advance(1_000);

    assert.equal((await limiter.take('Ada', 'caller')).allowed, true);
  });

  it('is deleted when it has ended', async () => {
    const { limiter, advance } = inTime(opened);
    await take(limiter, 'Ada', most(limiter) + 1);
    await advance(Math.max(...limiter.policies.map(({ window }) => window)) * 1000);

    const whole = limiter.policies.map((policy) => ({ policy, left: policy.quota, reset: 0 }));
    assert.deepEqual(await limiter.look('Ada', 'caller'), { allowed: true, remainders: whole });
    const again = await take(limiter, 'Ada', most(limiter) + 1);
    assert.equal(again.filter(({ allowed }) => allowed).length, most(limiter));
    assert.deepEqual(
      again[0]?.remainders,
      limiter.policies.map((policy) => ({ policy, left: policy.quota - 1, reset: policy.window })),
    );
  });

  it('never allows more requests than the quota, at any time', async () => {
    const { limiter, advance } = inTime(opened);
    const { quota, window } = limiter.policies.reduce((one, other) => (other.window > one.window ? other : one));
    const slices = 12;

    for (const _ of ['one window', 'the next']) {
      let allowed = 0;
      for (let slice = 0; slice < slices; slice++) {
        const taken = await Promise.all(Array.from({ length: most(limiter) + 1 }, () => limiter.take('Ada', 'caller')));
        allowed += taken.filter((allowance) => allowance.allowed).length;
        await advance((window * 1000) / slices);
      }
      assertWhole(allowed, most(limiter), quota);
    }
  });
}

/** How many requests of one client are allowed at once. */
function most({ policies }: RateLimiter): number {
  return Math.min(...policies.map(({ quota }) => quota));
}

async function take(limiter: RateLimiter, caller: string, times: number): Promise<Allowance[]> {
  const allowances: Allowance[] = [];
  for (let i = 0; i < times; i++) allowances.push(await limiter.take(caller, 'caller'));
  return allowances;
}

/** The seconds until every exhausted policy is reset. */
function wait({ remainders }: Allowance): number {
  return Math.max(...remainders.filter(({ left }) => left === 0).map(({ reset }) => reset));
}

function inTime({ limiter, advance }: OpenedLimiter) {
  assert.ok(advance, 'there is no `advance`; if the adapter cannot support it, declare the gap "advance"');
  return { limiter, advance };
}
