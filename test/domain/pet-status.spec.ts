import { expect } from 'chai';
import fc from 'fast-check';
import { PET_STATUSES, statusOf } from '../../src/domain/pet-status.ts';

describe('The status of a pet', () => {
  it('is sold without a unit on hand, whatever the other facts', () => {
    expect(statusOf({ quantity: 0, reserved: 0, held: false })).to.equal('sold');
    expect(statusOf({ quantity: 0, reserved: 0, held: true })).to.equal('sold');
  });

  it('is pending while it is held, however many units are free', () => {
    expect(statusOf({ quantity: 5, reserved: 0, held: true })).to.equal('pending');
    expect(statusOf({ quantity: 5, reserved: 5, held: true })).to.equal('pending');
  });

  it('is pending while open orders reserve every unit', () => {
    expect(statusOf({ quantity: 1, reserved: 1, held: false })).to.equal('pending');
    expect(statusOf({ quantity: 5, reserved: 5, held: false })).to.equal('pending');
  });

  it('is available otherwise', () => {
    expect(statusOf({ quantity: 1, reserved: 0, held: false })).to.equal('available');
    expect(statusOf({ quantity: 5, reserved: 4, held: false })).to.equal('available');
  });

  it('is one of three, and available exactly if a unit can be ordered', () => {
    const stocks = fc
      .record({ free: fc.nat(1_000_000_000), reserved: fc.nat(1_000_000), held: fc.boolean() })
      .map(({ free, reserved, held }) => ({ quantity: free + reserved, reserved, held }));

    fc.assert(
      fc.property(stocks, (stock) => {
        const status = statusOf(stock);

        expect(status).to.be.oneOf([...PET_STATUSES]);
        expect(status === 'available').to.equal(!stock.held && stock.quantity > stock.reserved);
        expect(status === 'sold').to.equal(stock.quantity === 0);
      }),
      { seed: 20261121 },
    );
  });
});
