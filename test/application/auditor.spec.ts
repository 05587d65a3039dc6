import { expect } from 'chai';
import { InventoryItem } from '../../src/domain/inventory-item.ts';
import { Order } from '../../src/domain/order.ts';
import { OPENING, Shop } from './shop.ts';

describe('The auditor', () => {
  let shop: Shop;

  beforeEach(async () => {
    shop = new Shop();
    await shop.categories.create({ name: 'Fish' });
    await shop.pets.createAll([
      { name: 'Guppy', categoryId: 1 },
      { name: 'Betta', categoryId: 1, status: 'pending' },
      { name: 'Molly', categoryId: 1, status: 'sold' },
    ]);
    await shop.stock.count(1, 5);
    await shop.orders.place({ petId: 1, quantity: 2 });
    await shop.orders.place({ petId: 1, quantity: 1, complete: true });
  });

  it('finds nothing in an empty store', async () => {
    expect(await new Shop().auditor.audit()).to.deep.equal({ pets: 0, findings: [] });
  });

  it('reads every pet, and finds nothing while every rule is kept', async () => {
    expect(await shop.auditor.audit()).to.deep.equal({ pets: 3, findings: [] });
  });

  it('names each pet whose stock was changed without the desks, and every rule that it violates', async () => {
    await shop.work.write(async ({ inventory, orders, ledger }) => {
      await orders.add(Order.place({ id: await orders.nextId(), petId: 1, quantity: 1 }));
      await inventory.save(InventoryItem.recall({ petId: 2, quantity: 3, reserved: 0, held: true }));
      await ledger.append({ petId: 3, kind: 'counted', quantity: 4, reserved: 0, at: OPENING });
    });

    expect(await shop.auditor.audit()).to.deep.equal({
      pets: 3,
      findings: [
        { petId: 1, rule: 'reserved_is_open_orders', message: '2 units are reserved, but the open orders add up to 3' },
        {
          petId: 2,
          rule: 'ledger_adds_up',
          message: '3 on hand and 0 reserved, but the ledger adds up to 1 and 0',
        },
        {
          petId: 3,
          rule: 'ledger_adds_up',
          message: '0 on hand and 0 reserved, but the ledger adds up to 4 and 0',
        },
      ],
    });
  });

  it('changes nothing', async () => {
    await shop.leaves(() => shop.auditor.audit());
  });
});
