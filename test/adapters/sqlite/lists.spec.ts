import { expect } from 'chai';
import { MikroOrmReader } from '../../../src/adapters/mikro-orm/reader.ts';
import type { SqliteDatabase } from '../../../src/adapters/mikro-orm/sqlite/sqlite-database.ts';
import { SqliteReadSession } from '../../../src/adapters/mikro-orm/sqlite/sqlite-sessions.ts';
import type { Position, Reader } from '../../../src/application/ports/reader.ts';
import { desksOn } from '../../conformance/storage/storage-under-test.ts';
import { ObservedConnection } from '../../support/observed-connection.ts';
import { openSqliteStore, type SqliteStore, statementsOn } from '../../support/sqlite-store.ts';

/** A list as somebody may ask for it. `after` is where the page before ended, if it is not the first. */
type Question = (reader: Reader, after?: Position) => Promise<unknown>;

const LIMIT = 20;

const DIRECTIONS = ['', '-'] as const;

/** What is read along an index from end to end of a page, without sorting more than the page itself. */
function questions(): Record<string, { readonly ask: Question; readonly after: Position }> {
  const byId = { key: 5, id: 5 };
  const byName = { key: 'PET 5', id: 5 };
  const all: Record<string, { ask: Question; after: Position }> = {};
  for (const way of DIRECTIONS) {
    for (const [of, filter] of Object.entries({
      pets: {},
      'pets of a status': { status: ['available'] as const },
      'pets of several statuses': { status: ['available', 'sold'] as const },
      'pets of a category': { categoryId: 1 },
      'pets of a category and a status': { categoryId: 1, status: ['sold'] as const },
    })) {
      all[`${of} by ${way}id`] = {
        after: byId,
        ask: (reader, after) =>
          reader.pets(filter, { sort: { by: 'id', descending: way === '-' }, limit: LIMIT, after }),
      };
    }
    for (const [of, filter] of Object.entries({
      pets: {},
      'pets of a category': { categoryId: 1 },
      'pets with a beginning': { name: 'pet' },
      'pets of a category with a beginning': { categoryId: 1, name: 'pet' },
    })) {
      all[`${of} by ${way}name`] = {
        after: byName,
        ask: (reader, after) =>
          reader.pets(filter, { sort: { by: 'name', descending: way === '-' }, limit: LIMIT, after }),
      };
    }
    all[`categories by ${way}id`] = {
      after: byId,
      ask: (reader, after) =>
        reader.categories({}, { sort: { by: 'id', descending: way === '-' }, limit: LIMIT, after }),
    };
    all[`categories by ${way}name`] = {
      after: byName,
      ask: (reader, after) =>
        reader.categories({}, { sort: { by: 'name', descending: way === '-' }, limit: LIMIT, after }),
    };
    for (const [of, filter] of Object.entries({
      orders: {},
      'orders for a pet': { petId: 1 },
      'open orders': { complete: false },
    })) {
      all[`${of} by ${way}id`] = {
        after: byId,
        ask: (reader, after) =>
          reader.orders(filter, { sort: { by: 'id', descending: way === '-' }, limit: LIMIT, after }),
      };
    }
    for (const [of, filter] of Object.entries({
      orders: {},
      'orders of a time': { shipDateFrom: 1, shipDateTo: 9e15 },
    })) {
      all[`${of} by ${way}shipDate`] = {
        after: byId,
        ask: (reader, after) =>
          reader.orders(filter, { sort: { by: 'shipDate', descending: way === '-' }, limit: LIMIT, after }),
      };
    }
    for (const [of, filter] of Object.entries({
      inventory: {},
      'inventory of a status': { status: ['available'] as const },
      'inventory of several statuses': { status: ['available', 'sold'] as const },
    })) {
      for (const field of ['petId', 'quantity'] as const) {
        all[`${of} by ${way}${field}`] = {
          after: byId,
          ask: (reader, after) =>
            reader.inventory(filter, { sort: { by: field, descending: way === '-' }, limit: LIMIT, after }),
        };
      }
    }
    all[`low inventory by ${way}quantity`] = {
      after: byId,
      ask: (reader, after) =>
        reader.inventory({ below: 1e9 }, { sort: { by: 'quantity', descending: way === '-' }, limit: LIMIT, after }),
    };
  }
  all['movements'] = { after: byId, ask: (reader, after) => reader.movements(1, { limit: LIMIT, after }) };
  return all;
}

describe('A list on SQLite', () => {
  let store: SqliteStore;
  before(async () => {
    store = await openSqliteStore();
    const { categories, pets } = desksOn(store);
    await categories.create({ name: 'Dogs' });
    await pets.create({ name: 'Rex', categoryId: 1 });
  });
  after(() => store.dispose());

  async function observe(ask: Question, after?: Position): Promise<ObservedConnection> {
    const observed = new ObservedConnection(store.other);
    const reader = new MikroOrmReader();
    reader.open(new SqliteReadSession(statementsOn(observed as unknown as SqliteDatabase)));
    await ask(reader, after);
    return observed;
  }

  for (const [name, { ask, after }] of Object.entries(questions())) {
    it(`of ${name} reads an index, sorts no more than its page, and starts at the end of the previous page`, async () => {
      for (const plan of (await observe(ask)).plans) {
        // What is merged from several ranges is sorted once more: a page of each.
        if (!plan.includes('UNION ALL')) expect(plan).not.to.contain('TEMP B-TREE');
        expect(plan).not.to.match(/SCAN (?!pets|categories|orders|part|\()/);
        expect(plan).to.match(/^SEARCH |^SCAN (pets|categories|orders)( USING INDEX \w+)?$|UNION ALL/);
      }
      const { plans, firstValues } = await observe(ask, after);
      for (const plan of plans) {
        expect(plan).not.to.match(/SCAN (?!part|\()/);
        expect(plan).not.to.match(/TEMP B-TREE.*TEMP B-TREE/);
      }
      // Among rows that are equal it begins at the identifier, and not at the first of them.
      expect(plans.join()).to.match(/\b(?:id|rowid)[<>]\?/);
      // Of two bounds on one column SQLite goes by the first: that must be the place, and not the filter.
      if (!name.includes('status')) expect(firstValues).to.include(after.key);
    });
  }

  it('of stock records computes every sum with an index', async () => {
    const { plans } = await observe(async (reader) => {
      for await (const _ of reader.stockRecords()) return;
    });

    for (const plan of plans) expect(plan).not.to.match(/SCAN|TEMP B-TREE/);
  });
});
