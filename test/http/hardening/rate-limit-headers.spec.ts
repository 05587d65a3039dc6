import { expect } from 'chai';
import { policyHeader, remainderHeader, retryAfter } from '../../../src/adapters/http/response/rate-limit.ts';
import type { Allowance } from '../../../src/application/ports/rate-limiter.ts';

const burst = { name: 'burst', quota: 100, window: 10 };
const minute = { name: 'minute', quota: 600, window: 60 };

/** The remainders of both policies, and the seconds until they are full. */
const left = (ofBurst: [left: number, reset: number], ofMinute: [left: number, reset: number]) => [
  { policy: burst, left: ofBurst[0], reset: ofBurst[1] },
  { policy: minute, left: ofMinute[0], reset: ofMinute[1] },
];

const refusedWith = (...remainders: Parameters<typeof left>): Allowance => ({
  allowed: false,
  remainders: left(...remainders),
});

describe('RateLimit-Policy', () => {
  it('names every policy with its quota and its window', () => {
    expect(policyHeader([burst, minute])).to.equal('"burst";q=100;w=10, "minute";q=600;w=60');
    expect(policyHeader([minute])).to.equal('"minute";q=600;w=60');
  });

  it('has names that are strings of Structured Fields', () => {
    expect(policyHeader([{ ...minute, name: 'a "good"\\bad day' }])).to.equal('"a \\"good\\"\\\\bad day";q=600;w=60');
  });
});

describe('RateLimit', () => {
  it('states for every policy what remains, and when it is reset', () => {
    expect(remainderHeader(left([37, 4], [512, 43]))).to.equal('"burst";r=37;t=4, "minute";r=512;t=43');
    expect(remainderHeader(left([0, 1], [500, 60]))).to.equal('"burst";r=0;t=1, "minute";r=500;t=60');
  });

  it('has no reset time if no window has begun', () => {
    expect(remainderHeader(left([100, 0], [512, 43]))).to.equal('"burst";r=100, "minute";r=512;t=43');
    expect(remainderHeader(left([100, 0], [600, 0]))).to.equal('"burst";r=100, "minute";r=600');
  });

  it('names the policies as RateLimit-Policy does', () => {
    const odd = { ...minute, name: '"\\' };

    expect(remainderHeader([{ policy: odd, left: 1, reset: 2 }])).to.equal('"\\"\\\\";r=1;t=2');
  });
});

describe('Retry-After', () => {
  it('is the time until the exhausted policy is reset', () => {
    expect(retryAfter(refusedWith([0, 4], [512, 43]))).to.equal(4);
    expect(retryAfter(refusedWith([37, 4], [0, 43]))).to.equal(43);
  });

  it('is the longest time if several are exhausted', () => {
    expect(retryAfter(refusedWith([0, 4], [0, 43]))).to.equal(43);
    expect(retryAfter(refusedWith([0, 9], [0, 2]))).to.equal(9);
  });

  it('is at least a second', () => {
    expect(retryAfter(refusedWith([0, 0], [512, 43]))).to.equal(1);
    expect(retryAfter(refusedWith([100, 0], [600, 0]))).to.equal(1);
  });

  it('is at most a day, as the document says', () => {
    expect(retryAfter(refusedWith([0, 1_000_000], [0, 43]))).to.equal(86_400);
  });
});
