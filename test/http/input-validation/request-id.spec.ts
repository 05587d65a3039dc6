import { expect } from 'chai';
import { requestIdOf } from '../../support/request-id.ts';

type Parts = Parameters<typeof requestIdOf>;

const REQUEST: Parts = ['key:1', 'post /pets', 'k-1'];

/** Pairs of requests that differ only in where one text ends and the next begins. */
const SHIFTED: readonly (readonly [Parts, Parts])[] = [
  [
    ['ab', 'c', 'd'],
    ['a', 'bc', 'd'],
  ],
  [
    ['a', 'bc', 'd'],
    ['a', 'b', 'cd'],
  ],
  [
    ['', 'a', 'b'],
    ['a', '', 'b'],
  ],
  [
    ['a","b', 'c', 'd'],
    ['a', 'b","c', 'd'],
  ],
  [
    ['a b', 'c', 'd'],
    ['a', 'b c', 'd'],
  ],
  [
    ['a\\', '"b', 'd'],
    ['a', '\\"b', 'd'],
  ],
];

describe('The id of a request under an idempotency key', () => {
  it('is the same for a retry, also after an upgrade of the service', () => {
    expect(requestIdOf(...REQUEST)).to.equal(requestIdOf(...REQUEST));
    expect(requestIdOf(...REQUEST)).to.equal('Qjbn_JGuuRbYi8NC9eX4KbMjvxo-YWc2PlezePe5nSE');
  });

  it('has at most 300 characters, however long caller and key are', () => {
    const long = '\u{1f600}'.repeat(300);

    expect(requestIdOf(long, long, long)).to.have.lengthOf(43);
  });

  for (const [i, part] of ['caller', 'operation', 'key'].entries()) {
    it(`depends on each character of the ${part}, and on its case`, () => {
      const others = ['Key:1', 'key:2', 'key:1 ', ''].map((text) => requestIdOf(...(REQUEST.with(i, text) as Parts)));

      expect(new Set([requestIdOf(...(REQUEST.with(i, 'key:1') as Parts)), ...others])).to.have.property('size', 5);
    });
  }

  it('depends on where one text ends and the next begins', () => {
    for (const [one, other] of SHIFTED) expect(requestIdOf(...one)).not.to.equal(requestIdOf(...other));
  });
});
