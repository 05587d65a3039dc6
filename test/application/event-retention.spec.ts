import { expect } from 'chai';
import { EventRetention, type RetentionLimits } from '../../src/application/event-retention.ts';
import { EventsExpired } from '../../src/application/ports/event-log.ts';
import { UnitOfWork, type WriteScope } from '../../src/application/ports/unit-of-work.ts';
import { failureOf } from '../support/promises.ts';
import { OPENING, Shop } from './shop.ts';

const NEVER = Number.MAX_SAFE_INTEGER;

describe('The retention of events', () => {
  let shop: Shop;
  const purge = (limits: RetentionLimits) => new EventRetention(shop.work, shop.eventLog, shop.clock, limits).purge();
  const positions = async () => {
    const { events } = await shop.eventLog.read({ limit: 10_000 });
    return events.map(({ position }) => position);
  };

  beforeEach(async () => {
    shop = new Shop();
    for (let i = 0; i < 5; i++) {
      shop.clock.set(OPENING + i * 1_000);
      await shop.categories.create({ name: `Shelf ${i}` });
    }
  });

  it('removes events that are older than the limit', async () => {
    shop.clock.set(OPENING + 10_000);

    expect(await purge({ age: 8_000, count: NEVER })).to.equal(2);

    expect(await positions()).to.deep.equal([3, 4, 5]);
  });

  it('keeps the newest events up to the limit', async () => {
    expect(await purge({ age: NEVER, count: 2 })).to.equal(3);

    expect(await positions()).to.deep.equal([4, 5]);
    expect(await failureOf(shop.eventLog.read({ after: 2, limit: 1 })))
      .to.be.instanceOf(EventsExpired)
      .with.property('oldest', 4);
  });

  it('removes nothing within both limits', async () => {
    expect(await purge({ age: 5_000, count: 5 })).to.equal(0);

    expect(await positions()).to.have.lengthOf(5);
  });

  it('goes on in steps until everything that is due is removed', async () => {
    await shop.work.write(async ({ outbox }) => {
      for (let i = 0; i < 1_200; i++) {
        await outbox.append({ type: 'category.created', data: { id: 1, name: 'Dogs' }, at: OPENING });
      }
    });
    let units = 0;
    const counting = new (class extends UnitOfWork {
      write<Result>(work: (scope: WriteScope) => Promise<Result>): Promise<Result> {
        units += 1;
        return shop.work.write(work);
      }
    })();

    const purged = await new EventRetention(counting, shop.eventLog, shop.clock, { age: NEVER, count: 1 }).purge();

    expect(purged).to.equal(1_204);
    expect(units).to.equal(3);
    expect(await positions()).to.deep.equal([1_205]);
  });
});
