import { expect } from 'chai';
import { crash } from './crash.ts';

const [ROUNDS, ORDERS] = [12, 5_000];

describe('The service on SQLite, killed without warning', () => {
  for (const services of [1, 2] as const) {
    it(`keeps every acknowledged order and no half-written one, ${services === 1 ? 'alone on its file' : 'with another service on the file'}`, async () => {
      const { faults, kills, acknowledged, unavailable } = await crash({
        services,
        rounds: ROUNDS,
        orders: ORDERS,
        seed: 7,
      });

      expect(faults).to.deep.equal([]);
      expect(kills).to.be.at.least(ROUNDS);
      expect(acknowledged).to.be.at.least(ORDERS);
      expect(unavailable).to.equal(0);
    });
  }
});
