import assert from 'node:assert/strict';
import type { OpenedLimiter } from './rate-limiter-under-test.ts';
import type { TestFunctions } from './test-functions.ts';

/** How many addresses send requests in a check: more than the maximum of a limiter that is opened for a check. */
const FLOOD = 2_000;

/** Callers and addresses are counted separately. */
export function clientKindChecks(opened: OpenedLimiter, { it }: TestFunctions): void {
  it('of a caller is separate from that of an address with the same name', async () => {
    const { limiter } = opened;
    const most = Math.min(...limiter.policies.map(({ quota }) => quota));
    for (let i = 0; i < most + 3; i++) await limiter.take('192.0.2.7', 'address');

    assert.equal((await limiter.look('192.0.2.7', 'address')).allowed, false);
    const { remainders } = await limiter.look('192.0.2.7', 'caller');
    assert.ok(remainders.every(({ policy, left }) => left === policy.quota));
  });

  it('of a caller is not affected by any number of addresses', async () => {
    const { limiter } = opened;
    const before = (await limiter.take('Ada', 'caller')).remainders;
    // Not all at once: that would test the time limits of a store.
    for (let i = 0; i < FLOOD; i += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, j) => limiter.take(`198.51.${i}.${j}`, 'address')));
    }

    const { remainders } = await limiter.look('Ada', 'caller');
    assert.ok(remainders.every(({ left }, i) => left === before[i]?.left));
    assert.deepEqual((await limiter.take('Bob', 'caller')).remainders, before);
  });
}
