import { expect } from 'chai';
import { Demonstration } from '../../src/application/demonstration.ts';
import { CATALOGUE } from '../../src/application/demonstration-catalogue.ts';
import type { UnitOfWork } from '../../src/application/ports/unit-of-work.ts';
import { FailingUnitOfWork } from '../../src/conformance/failing-unit-of-work.ts';
import { ApiKey } from '../../src/domain/api-key.ts';
import { Category } from '../../src/domain/category.ts';
import { failureOf } from '../support/promises.ts';
import { OPENING, Shop } from './shop.ts';

const DAY = 86_400_000;

describe('A demonstration', () => {
  let shop: Shop;
  let demonstration: Demonstration;

  beforeEach(() => {
    shop = new Shop();
    demonstration = new Demonstration(shop.work, shop.reader, shop.clock);
  });

  describe('fills a new store', () => {
    it('with ten categories, a hundred pets and some orders, open and complete', async () => {
      expect(await demonstration.fill()).to.equal(true);

      const { categories, pets, orders, inventory } = await shop.picture();
      expect(categories).to.have.length(10);
      for (const { id, description } of categories) {
        expect(description).to.be.a('string').and.not.equal('');
        expect(await shop.pets.count({ categoryId: id })).to.equal(10);
      }
      expect(pets).to.have.length(100);
      expect(new Set(pets.map(({ name }) => name)).size).to.equal(100);
      expect(inventory).to.have.length(100);
      expect(orders.filter(({ complete }) => complete)).to.have.length(6);
      expect(orders.filter(({ complete }) => !complete)).to.have.length(10);
    });

    it('with texts and numbers that the interface accepts', async () => {
      await demonstration.fill();

      const { categories, pets, orders, inventory } = await shop.picture();
      for (const { name } of [...categories, ...pets]) expect(name).to.match(/^\S(.{0,98}\S)?$/u);
      for (const { description = '' } of categories) expect(description).to.match(/^\S.{0,998}\S$/u);
      for (const { quantity } of inventory) expect(quantity).to.be.within(0, 1_000_000_000);
      for (const { quantity } of orders) expect(quantity).to.be.within(1, 1_000_000);
    });

    it('so that every status occurs, for each of its reasons', async () => {
      await demonstration.fill();

      const { available, pending, sold } = await shop.stock.summary();
      const { stock, orders } = await shop.picture();
      expect([available.pets, pending.pets, sold.pets]).to.deep.equal([78, 12, 10]);
      expect(available.units).to.be.above(1_000);
      expect(stock.filter(({ held }) => held)).to.have.length(8);
      expect(
        stock.filter(({ quantity, reserved, held }) => quantity > 0 && quantity === reserved && !held),
      ).to.have.length(4);
      const ordered = new Set(orders.map(({ petId }) => petId));
      expect(stock.filter(({ petId, quantity }) => quantity === 0 && ordered.has(petId))).to.have.length(2);
    });

    it('with ship dates around now: past for complete orders, future or none for open ones', async () => {
      const now = OPENING + 100 * DAY;
      shop.clock.set(now);

      await demonstration.fill();

      const { orders } = await shop.picture();
      for (const { shipDate, complete } of orders) {
        if (complete) expect(shipDate).to.be.within(now - 30 * DAY, now);
        else if (shipDate !== undefined) expect(shipDate).to.be.within(now, now + 30 * DAY);
      }
      expect(orders.filter(({ shipDate }) => shipDate === undefined)).to.have.length(2);
    });

    it('so that the orders were placed in the order of their ship dates', async () => {
      await demonstration.fill();

      const { rows } = await shop.orders.list({}, { sort: { by: 'shipDate' }, limit: 100 });
      expect(rows.map(({ id }) => id)).to.deep.equal(rows.map((_, place) => place + 1));
    });

    it('according to the rules of the store', async () => {
      await demonstration.fill();

      expect(await shop.auditor.audit()).to.deep.equal({ pets: 100, findings: [] });
    });

    it('with events, like every change', async () => {
      const { events } = await shop.watch(() => demonstration.fill());

      const eventsOfType = (type: string) => events.filter((event) => event.type === type).length;
      expect(eventsOfType('category.created')).to.equal(10);
      expect(eventsOfType('pet.created')).to.equal(100);
      expect(eventsOfType('order.placed')).to.equal(16);
      expect(eventsOfType('order.completed')).to.equal(6);
      expect(eventsOfType('pet.status_changed'), 'by orders for every unit').to.equal(6);
    });
  });

  describe('does not change a store', () => {
    it('that it has already filled', async () => {
      await demonstration.fill();

      expect(await shop.leaves(() => demonstration.fill())).to.equal(false);
    });

    it('that was used, even if it is empty again', async () => {
      await shop.categories.create({ name: 'Dogs' });
      await shop.categories.delete(1);

      expect(await shop.leaves(() => demonstration.fill())).to.equal(false);
    });

    it('that has an API key', async () => {
      await shop.work.write(({ apiKeys }) =>
        apiKeys.add(ApiKey.issue({ id: 1, name: 'till', scopes: [], digest: 'd', createdAt: 0 })),
      );

      expect(await shop.leaves(() => demonstration.fill())).to.equal(false);
    });

    for (const kind of ['categories', 'pets', 'orders'] as const) {
      it(`whose first ids of ${kind} another node has used, and rolls back`, async () => {
        const behind: UnitOfWork = {
          write: (act) =>
            shop.work.write(async (scope) => {
              await scope[kind].nextId();
              return act(scope);
            }),
        };

        const filled = await shop.leaves(() => new Demonstration(behind, shop.reader, shop.clock).fill());

        expect(filled).to.equal(false);
      });
    }

    it('if another node takes one of its names meanwhile', async () => {
      const [{ name }] = CATALOGUE as unknown as [{ readonly name: string }];
      const behind: UnitOfWork = {
        write: async (act) => {
          await shop.work.write(({ categories }) => categories.add(Category.create({ id: 7, name })));
          return shop.work.write(act);
        },
      };

      expect(await new Demonstration(behind, shop.reader, shop.clock).fill()).to.equal(false);

      expect(await shop.categories.count({})).to.equal(1);
      expect(await shop.pets.count({})).to.equal(0);
    });

    it('that another node fills at the same time', async () => {
      const other = new Demonstration(shop.work, shop.reader, shop.clock);

      const filled = await Promise.all([demonstration.fill(), other.fill()]);

      expect(filled).to.have.members([true, false]);
      expect(await shop.pets.count({})).to.equal(100);
    });
  });

  it('fills the store completely or not at all', async () => {
    const untouched = await shop.picture();

    for (const call of [1, 2, 100, 500, 900]) {
      const work = new FailingUnitOfWork(shop.work, call, 'after');
      const failing = new Demonstration(work, shop.reader, shop.clock);
      expect(await failureOf(failing.fill())).to.equal(work.injectedFault);
      expect(await shop.picture()).to.deep.equal(untouched);
    }

    expect(await demonstration.fill()).to.equal(true);
  });
});
