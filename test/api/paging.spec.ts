import { expect } from 'chai';
import { LARGEST_TOTAL, pageResponse } from '../../src/api/paging.ts';

describe('The total of a list', () => {
  const totalOf = async (rows: number, wantsTotal = true) => {
    const cursors = { make: () => '', open: () => ({ key: 1, id: 1 }) };
    const { total } = await pageResponse({ cursors, wantsTotal } as never, {
      of: 'pets',
      filter: {},
      sort: 'id',
      limit: 1,
      cursor: undefined,
      read: async () => ({ rows: [] }),
      count: async (most) => Math.min(rows, most),
    });
    return total;
  };

  it('is exact up to the largest one', async () => {
    expect(await totalOf(0)).to.equal(0);
    expect(await totalOf(LARGEST_TOTAL)).to.equal(100_000);
  });

  it('is missing beyond that, and when it is not wanted', async () => {
    expect(await totalOf(LARGEST_TOTAL + 1)).to.equal(undefined);
    expect(await totalOf(5_000_000)).to.equal(undefined);
    expect(await totalOf(3, false)).to.equal(undefined);
  });
});
