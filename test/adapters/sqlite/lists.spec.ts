import { expect } from 'chai';
import { MikroOrmReader } from '../../../src/adapters/mikro-orm/reader.ts';
import type { SqliteDatabase } from '../../../src/adapters/mikro-orm/sqlite/sqlite-database.ts';
import { SqliteReadSession } from '../../../src/adapters/mikro-orm/sqlite/sqlite-sessions.ts';
import { NodeSecrets } from '../../../src/adapters/node-crypto/node-secrets.ts';
import type { Operation } from '../../../src/api/operation.ts';
import { Shop } from '../../../src/application/shop.ts';
import { compose } from '../../../src/composition/compose.ts';
import { optionsWith } from '../../../src/composition/options.ts';
import { OperationsToken } from '../../../src/composition/tokens.ts';
import { FixedClock } from '../../../src/conformance/fixed-clock.ts';
import { desksOn } from '../../conformance/storage/storage-under-test.ts';
import { ObservedConnection, type ObservedStatement } from '../../support/observed-connection.ts';
import { isSearch, listShapes, run, type Shape } from '../../support/query-shapes.ts';
import { openSqliteStore, type SqliteStore, statementsOn } from '../../support/sqlite-store.ts';

const ROWS = 1_000;

/** How many values a statement compares with columns. */
const comparisonsIn = (sql: string) =>
  sql.match(/(?<!order by )\b[a-z_]+"? (?:(?:[<>]=?|=) \?|is (?:not )?null)/g)?.length ?? 0;
/** How many of them an index answers, so that it reads no row that it then drops. */
const comparisonsByIndex = (plan: readonly string[]) => plan.join().match(/\b\w+[<>=]\?/g)?.length ?? 0;

describe('A list on SQLite', () => {
  let store: SqliteStore;
  let shapes: Shape[];
  let observed: ObservedConnection;
  let shop: Shop;
  before(async () => {
    store = await openSqliteStore();
    const { categories, pets } = desksOn(store);
    await categories.create({ name: 'Dogs' });
    await pets.create({ name: 'Rex', categoryId: 1 });
    const container = await compose(optionsWith({ databaseUrl: 'memory:' }));
    observed = new ObservedConnection(store.other);
    const reader = new MikroOrmReader();
    reader.open(new SqliteReadSession(statementsOn(observed as unknown as SqliteDatabase)));
    shop = new Shop(store.work, reader, store.eventLog, new FixedClock(), new NodeSecrets());
    await shop.webhookDesk.create({ url: 'https://example.com/hook', types: ['pet.created'], active: false });
    shapes = listShapes(container.get<readonly Operation[]>(OperationsToken), ROWS);
  });
  after(() => store.dispose());

  async function observe(shape: Shape): Promise<readonly ObservedStatement[]> {
    observed.statements.length = 0;
    await run(shape, shop);
    return [...observed.statements];
  }

  const isBounded = ({ query }: Shape) => query['id'] !== undefined || Array.isArray(query['petId']);

  it('exists in every combination of filters, sort, direction, place and total', () => {
    expect(shapes).to.have.lengthOf.above(3_000);
    expect(new Set(shapes.map(({ name }) => name))).to.have.lengthOf(shapes.length);
  });

  it('reads no row that it does not return, and sorts no more than a page of each range', async () => {
    const lists = shapes.filter((each) => each.operation.paged && !isSearch(each) && !isBounded(each));
    let observedStatements = 0;
    for (const shape of lists) {
      for (const { sql, plan } of await observe(shape)) {
        observedStatements += 1;
        const statement = `${shape.name}: ${sql} ${plan.join('; ')}`;
        // Without a condition, every row that is read is returned, up to the limit.
        if (plan.some((step) => /^SCAN (pets|orders|categories|movements)/.test(step))) {
          expect(sql, statement).not.to.contain('where');
        }
        expect(comparisonsByIndex(plan), statement).to.equal(comparisonsIn(sql));
        const sorts = plan.filter((step) => step.includes('TEMP B-TREE'));
        expect(sorts, statement).to.have.lengthOf.at.most(sql.includes('union all') ? 1 : 0);
      }
    }
    // A list needs none if its filters contradict each other, or its cursor is beyond them.
    expect(observedStatements).to.be.above(lists.length * 0.5);
  });

  it('of given identifiers looks them up', async () => {
    for (const shape of shapes.filter(isBounded)) {
      for (const { plan } of await observe(shape)) {
        expect(plan.join('; '), shape.name).not.to.match(/SCAN (pets|orders)/);
      }
    }
  });

  it('that is sorted by identifier and filtered by a range counts the matches by an index, and sorts a few', async () => {
    for (const shape of shapes.filter((each) => isSearch(each) && !each.wantsTotal)) {
      const [count, page, ...others] = await observe(shape);
      const { shipDateFrom, shipDateTo } = shape.query as { shipDateFrom?: number; shipDateTo?: number };
      if (shipDateFrom !== undefined && shipDateTo !== undefined && shipDateFrom >= shipDateTo) {
        expect(count, shape.name).to.equal(undefined);
        continue;
      }
      expect(comparisonsByIndex(count?.plan ?? []), shape.name).to.equal(comparisonsIn(count?.sql ?? ''));
      expect(count?.sql, shape.name).to.match(/^select count\(\*\) .* limit \? \+ 0\) as matches$/);
      expect(page?.plan.join('; '), shape.name).not.to.match(/SCAN (pets|orders|categories)/);
      expect(others, shape.name).to.deep.equal([]);
    }
  });

  it('is not read for the inventory summary', async () => {
    const shape = shapes.find(({ operation }) => operation.operationId === 'getInventorySummary') as Shape;

    const plans = (await observe(shape)).map(({ plan }) => plan.join('; '));

    expect(plans).to.deep.equal(['SCAN stock_summary; USE TEMP B-TREE FOR GROUP BY']);
  });

  it('of stock records computes every sum with an index', async () => {
    const observed = new ObservedConnection(store.other);
    const reader = new MikroOrmReader();
    reader.open(new SqliteReadSession(statementsOn(observed as unknown as SqliteDatabase)));

    for await (const _ of reader.stockRecords()) break;

    expect(observed.plans).to.have.lengthOf(1);
    for (const plan of observed.plans) expect(plan).not.to.match(/SCAN|TEMP B-TREE/);
  });
});
