import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { desksOn } from '../../../src/conformance/storage/shop.ts';
import { CategoryNameTaken } from '../../../src/domain/refusals.ts';
import { postgresServer } from '../../support/postgres-server.ts';
import { openStoreIn } from '../../support/postgresql-store.ts';
import { failureOf } from '../../support/promises.ts';

const DISTRIBUTE = readFileSync(new URL('../../../docs/deploying/citus.sql', import.meta.url), 'utf8');

/** What Citus has and the file uses: on a server without it, tables stay as they are. */
const STAND_IN = `
  create table pg_dist_partition (logicalrelid regclass);
  create function create_reference_table(name text) returns void language sql as '';
  create function create_distributed_table(name text, key text, colocate_with text default '') returns void
    language sql as 'insert into pg_dist_partition values (cast(name as regclass))'`;

/** Two nodes on a distributed store do what stores do. */
async function use(url: string): Promise<void> {
  const nodes = await Promise.all([openStoreIn(url), openStoreIn(url)]);
  const [one, other] = nodes;
  try {
    const { categories, pets, stock, orders, auditor } = desksOn(one);
    const dogs = await categories.create({ name: 'Dogs' });
    expect(await failureOf(categories.create({ name: 'DOGS' }))).to.be.instanceOf(CategoryNameTaken);
    const created = await pets.createAll(
      Array.from({ length: 8 }, (_, i) => ({ name: `Rex ${i}`, categoryId: dogs.id })),
    );
    for (const { id } of created) await stock.count(id, 30);

    const placing = Array.from({ length: 120 }, (_, i) =>
      desksOn(i % 2 ? one : other).orders.place({ petId: created[i % 8]?.id ?? 0, quantity: 1 }),
    );
    const placed = await Promise.all(placing);
    const changing = placed
      .slice(0, 60)
      .map(({ id }, i) =>
        i % 3 === 0
          ? orders.cancel(id)
          : i % 3 === 1
            ? orders.change(id, { complete: true })
            : orders.change(id, { quantity: 2 }),
      );
    await Promise.all(changing);
    await one.work.write(async ({ idempotency }) => {
      await idempotency.lock('request-1');
      await idempotency.save('request-1', { fingerprint: 'f', response: 'r', savedAt: 0 });
    });

    expect(await one.reader.countOrders({})).to.equal(100);
    expect(await one.reader.countOrders({ complete: true })).to.equal(20);
    expect((await one.reader.summary()).available).to.deep.equal({ pets: 8, units: 220 });
    expect((await auditor.audit()).findings).to.deep.equal([]);
  } finally {
    for (const node of nodes) await node.dispose();
  }
}

describe('A store that Citus distributes', () => {
  let url = '';
  beforeEach(async () => {
    url = await postgresServer.makeDatabase();
  });
  afterEach(() => postgresServer.drop(url));

  it('serves several nodes as the distributed tables allow it', async () => {
    await (await openStoreIn(url)).dispose();
    await postgresServer.ask(url, STAND_IN);

    await postgresServer.ask(url, DISTRIBUTE);

    await use(url);
  });

  it('serves several nodes on a cluster in PETSTORE_TEST_POSTGRES_URL that has the extension', async function () {
    const available = await postgresServer.ask(url, "select 1 from pg_available_extensions where name = 'citus'");
    // Only a server with the extension can run this.
    if (available.length === 0) this.skip();
    await postgresServer.ask(url, 'create extension citus');
    await (await openStoreIn(url)).dispose();

    await postgresServer.ask(url, DISTRIBUTE);

    await use(url);
  });
});
