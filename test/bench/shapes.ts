import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LARGEST_TOTAL } from '../../src/api/paging.ts';
import { Storage } from '../../src/application/ports/storage.ts';
import { Shop } from '../../src/application/shop.ts';
import { compose } from '../../src/composition/compose.ts';
import { optionsWith } from '../../src/composition/options.ts';
import { OperationsToken } from '../../src/composition/tokens.ts';
import { isSearch, listShapes, run, type Shape } from '../support/query-shapes.ts';
import type { PostgresqlCluster } from './postgresql/cluster.ts';
import { whole } from './report.ts';
import { makePostgresqlShapes, makeSqliteShapes } from './shapes-store.ts';
import { aligned } from './tables.ts';

/* Measures every query that the lists of the interface offer, on a store and on one ten times as large. */

/** How long a query may hold the event loop, in milliseconds. */
const LONGEST_HOLD = 20;
/** How much more a query may cost on the larger store, unless it costs little or returns more. */
const LARGEST_GROWTH = 1.5;
const LITTLE = 0.25;
/** How often a query is run: all figures are minima. More often while it is beyond a bound, as on a busy machine. */
const RUNS = 5;
const MOST_RUNS = 40;

interface Figures {
  readonly shape: Shape;
  /** In milliseconds: CPU time of this process, or on PostgreSQL the time until the response. */
  readonly cost: number;
  /** The longest time without a turn of the event loop, in milliseconds. */
  readonly hold: number;
  readonly returned: number;
}

interface Target {
  readonly sizes: readonly [number, number];
  /** What is measured as the cost of a query. */
  readonly cost: 'CPU' | 'time';
  make(rows: number): Promise<string>;
  remove?(rows: number): Promise<void>;
}

export function sqliteTarget(folder: string): Target {
  const fileOf = (rows: number) => join(folder, `shapes-${rows}.db`);
  return {
    sizes: [100_000, 1_000_000],
    cost: 'CPU',
    make: (rows) => makeSqliteShapes(fileOf(rows), rows),
    remove: (rows) => rm(fileOf(rows)),
  };
}

/** Smaller: PostgreSQL is filled more slowly. */
export function postgresqlTarget(cluster: PostgresqlCluster): Target {
  return { sizes: [20_000, 200_000], cost: 'time', make: (rows) => makePostgresqlShapes(cluster, rows) };
}

/** Prints a table of all queries. Returns whether all are within the bounds. */
export async function benchShapes(target: Target): Promise<boolean> {
  const [small, large] = target.sizes;
  const before = await measure(target, small);
  const rows = (await measure(target, large, before)).map((now, i) => {
    const { shape, cost, hold, returned } = now;
    const old = before[i] as Figures;
    const faults = faultsOf(target, now, old);
    const cells = [old.cost, cost, cost / old.cost, old.hold, hold].map((figure) => figure.toFixed(3));
    return { hold, faults, cells: [shape.name, kindOf(shape), ...cells, whole(returned), faults.join(', ')] };
  });
  const sizes = target.sizes.map((size) => `${size / 1_000}k`);
  const head = ['query', 'kind', ...sizes.map((size) => `${target.cost} ${size} ms`), 'growth'];
  head.push(...sizes.map((size) => `hold ${size} ms`), 'returned', 'beyond its bound');
  console.log(aligned([head, ...rows.toSorted((a, b) => b.hold - a.hold).map(({ cells }) => cells)]));
  const beyond = rows.filter(({ faults }) => faults.length > 0);
  console.log(
    `\n${rows.length} queries, of which ${beyond.length} are beyond a bound: the event loop is held for at most`,
  );
  console.log(
    `${LONGEST_HOLD} ms, and pages and totals cost at most ${LARGEST_GROWTH} times as much, or ${LITTLE} ms.`,
  );
  return beyond.length === 0;
}

/** A search may read the whole table, beside the event loop. On PostgreSQL, the limit of a query is its statement timeout. */
function faultsOf({ cost }: Target, now: Figures, before: Figures): string[] {
  const isBounded = cost === 'time' || kindOf(now.shape) === 'search';
  const grows = now.returned <= before.returned && now.cost > LITTLE && now.cost / before.cost > LARGEST_GROWTH;
  return [...(now.hold > LONGEST_HOLD ? ['hold'] : []), ...(grows && !isBounded ? ['growth'] : [])];
}

function kindOf(shape: Shape): 'search' | 'total' | 'page' {
  if (isSearch(shape)) return 'search';
  return shape.wantsTotal ? 'total' : 'page';
}

async function measure(target: Target, size: number, before?: readonly Figures[]): Promise<Figures[]> {
  console.log(`Filling a store with ${whole(size)} pets, orders and movements …`);
  const databaseUrl = await target.make(size);
  const container = await compose(optionsWith({ databaseUrl }));
  const storage = container.get(Storage);
  await storage.open();
  try {
    const shop = container.get(Shop);
    const measured: Figures[] = [];
    for (const [i, shape] of listShapes(container.get(OperationsToken), size).entries()) {
      let figures = await once(target, shape, shop);
      for (let runs = 1; runs < MOST_RUNS; runs++) {
        if (runs >= RUNS && faultsOf(target, figures, before?.[i] ?? figures).length === 0) break;
        const again = await once(target, shape, shop);
        const [cost, hold] = [Math.min(figures.cost, again.cost), Math.min(figures.hold, again.hold)];
        figures = { ...figures, cost, hold };
      }
      measured.push(figures);
    }
    return measured;
  } finally {
    await storage.close();
    await target.remove?.(size);
  }
}

/** Runs a query twice: watching the event loop costs CPU time. */
async function once(target: Target, shape: Shape, shop: Shop): Promise<Figures> {
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  const { rows, total } = await run(shape, shop);
  const { user, system } = process.cpuUsage(cpu);
  const cost = target.cost === 'CPU' ? (user + system) / 1000 : performance.now() - begun;

  const { stop } = watchEventLoop();
  await run(shape, shop);
  return { shape, cost, hold: stop(), returned: shape.wantsTotal ? (total ?? LARGEST_TOTAL + 1) : rows };
}

/** Notes the longest time between two turns of the event loop. */
function watchEventLoop(): { stop(): number } {
  let last = performance.now();
  let longest = 0;
  const watch = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    turn = setImmediate(watch);
  };
  let turn = setImmediate(watch);
  return {
    stop() {
      clearImmediate(turn);
      return Math.max(longest, performance.now() - last);
    },
  };
}
