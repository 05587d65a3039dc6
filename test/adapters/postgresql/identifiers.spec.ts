import { expect } from 'chai';
import fc from 'fast-check';
import { desksOn } from '../../../src/conformance/storage/shop.ts';
import { UnknownCategory } from '../../../src/domain/refusals.ts';
import { openPostgresqlStore, openStoreIn, type PostgresqlStore } from '../../support/postgresql-store.ts';

/** A unit of work: on which node, with how many pets, and whether it is refused after it has taken their identifiers. */
const UNIT = fc.record({ node: fc.nat(2), pets: fc.integer({ min: 1, max: 20 }), refused: fc.boolean() });

/** Units that run at once, and after them others. */
const ROUNDS = fc.array(fc.array(UNIT, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 6 });

describe('Identifiers on PostgreSQL', () => {
  const nodes: PostgresqlStore[] = [];
  beforeEach(async () => {
    const first = await openPostgresqlStore({ pool: 3 });
    nodes.push(first, await openStoreIn(first.url, { pool: 3 }), await openStoreIn(first.url, { pool: 3 }));
    await desksOn(first).categories.create({ name: 'Dogs' });
  });
  afterEach(async () => {
    for (const node of nodes.splice(0).reverse()) await node.dispose();
  });

  it('are larger than every one that was acknowledged before, whichever node assigns them', async () => {
    const assigned = new Set<number>();
    let acknowledged = 0;
    const run = async ({ node, pets, refused }: { node: number; pets: number; refused: boolean }) => {
      const before = acknowledged;
      const wishes = Array.from({ length: pets }, () => ({ name: 'Rex', categoryId: 1 }));
      const { pets: catalog } = desksOn(nodes[node] as PostgresqlStore);
      const [settled] = await Promise.allSettled([
        catalog.createAll(refused ? [...wishes, { name: 'Rex', categoryId: 9 }] : wishes),
      ]);
      if (settled.status === 'rejected') {
        expect(refused && settled.reason).to.be.instanceOf(UnknownCategory);
        return;
      }
      const ids = settled.value.map(({ id }) => id);
      for (const [i, id] of ids.entries()) {
        expect(id).to.be.above(ids[i - 1] ?? before);
        expect(assigned.has(id)).to.equal(false);
        assigned.add(id);
      }
      acknowledged = Math.max(acknowledged, ...ids);
    };

    await fc.assert(
      fc.asyncProperty(ROUNDS, async (rounds) => {
        for (const units of rounds) await Promise.all(units.map(run));
      }),
      { numRuns: 25 },
    );

    expect(assigned.size).to.be.above(100);
    expect(await nodes[1]?.reader.countPets({})).to.equal(assigned.size);
  });

  it('are one block for a batch, which the next batch on the same connection does not continue', async () => {
    const { pets } = desksOn(nodes[0] as PostgresqlStore);
    const batch = Array.from({ length: 5 }, () => ({ name: 'Rex', categoryId: 1 }));

    const ids = [];
    for (const wishes of [batch, batch.slice(0, 1), batch, batch.slice(0, 1)]) {
      ids.push(...(await pets.createAll(wishes)).map(({ id }) => id));
    }

    expect(ids).to.deep.equal(ids.toSorted((a, b) => a - b));
    expect(new Set(ids).size).to.equal(12);
  });

  it('come from sequences without a cache per connection', async () => {
    const sequences = await (nodes[0] as PostgresqlStore).ask<{ cache_size: string }>(
      "select cache_size from pg_sequences where schemaname = 'public'",
    );

    expect(new Set(sequences.map(({ cache_size }) => Number(cache_size)))).to.deep.equal(new Set([1]));
  });
});
