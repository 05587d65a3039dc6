import { expect } from 'chai';
import { auditStock, auditSummary, type StockRecord } from '../../src/domain/audit.ts';

const sound: StockRecord = {
  petId: 7,
  quantity: 5,
  reserved: 2,
  held: false,
  petStatus: 'available',
  inventoryStatus: 'available',
  openOrders: 2,
  ledgerQuantity: 5,
  ledgerReserved: 2,
};

describe('An audit of the stock of a pet', () => {
  it('finds nothing if every rule is kept', () => {
    expect(auditStock(sound)).to.deep.equal([]);
    expect(auditStock({ ...sound, held: true, petStatus: 'pending', inventoryStatus: 'pending' })).to.deep.equal([]);
  });

  it('finds more reserved units than there are', () => {
    const record = { ...sound, quantity: 1, ledgerQuantity: 1 };

    expect(auditStock(record)).to.deep.equal([
      { petId: 7, rule: 'reserved_within_quantity', message: '2 units are reserved, 1 are on hand' },
    ]);
  });

  it('finds a negative number of reserved units', () => {
    const record = { ...sound, reserved: -1, openOrders: -1, ledgerReserved: -1 };

    expect(auditStock(record)).to.deep.equal([
      { petId: 7, rule: 'reserved_within_quantity', message: '-1 units are reserved, 5 are on hand' },
    ]);
  });

  it('finds reservations without orders, and orders without reservations', () => {
    for (const openOrders of [1, 3]) {
      expect(auditStock({ ...sound, openOrders })).to.deep.equal([
        {
          petId: 7,
          rule: 'reserved_is_open_orders',
          message: `2 units are reserved, but the open orders add up to ${openOrders}`,
        },
      ]);
    }
  });

  it('finds a status that contradicts the stock, on the pet and on its entry', () => {
    expect(auditStock({ ...sound, petStatus: 'sold' })).to.deep.equal([
      {
        petId: 7,
        rule: 'status_is_derived',
        message: 'the pet shows sold and its inventory available, but its stock implies available',
      },
    ]);
    expect(auditStock({ ...sound, inventoryStatus: 'pending' })).to.deep.equal([
      {
        petId: 7,
        rule: 'status_is_derived',
        message: 'the pet shows available and its inventory pending, but its stock implies available',
      },
    ]);
  });

  it('finds a ledger that does not add up, in either column', () => {
    expect(auditStock({ ...sound, ledgerQuantity: 6 })).to.deep.equal([
      {
        petId: 7,
        rule: 'ledger_adds_up',
        message: '5 on hand and 2 reserved, but the ledger adds up to 6 and 2',
      },
    ]);
    expect(auditStock({ ...sound, ledgerReserved: 0 })).to.deep.equal([
      {
        petId: 7,
        rule: 'ledger_adds_up',
        message: '5 on hand and 2 reserved, but the ledger adds up to 5 and 0',
      },
    ]);
  });

  it('finds all violated rules at once', () => {
    const record = { ...sound, reserved: 9, petStatus: 'sold' } as const;

    expect(auditStock(record).map(({ rule }) => rule)).to.deep.equal([
      'reserved_within_quantity',
      'reserved_is_open_orders',
      'status_is_derived',
      'ledger_adds_up',
    ]);
  });
});

describe('An audit of the summary', () => {
  const summary = {
    available: { pets: 2, units: 9 },
    pending: { pets: 1, units: 1 },
    sold: { pets: 0, units: 0 },
  };

  it('finds nothing if the stored figures equal those of the pets', () => {
    expect(auditSummary({ stored: summary, counted: { ...summary } })).to.deep.equal([]);
  });

  it('finds each status whose pets or units differ', () => {
    const counted = { ...summary, available: { pets: 2, units: 8 }, sold: { pets: 1, units: 0 } };

    expect(auditSummary({ stored: summary, counted })).to.deep.equal([
      {
        rule: 'summary_adds_up',
        message: 'the summary has 2 available pets with 9 units, but there are 2 with 8',
      },
      { rule: 'summary_adds_up', message: 'the summary has 0 sold pets with 0 units, but there are 1 with 0' },
    ]);
  });
});
