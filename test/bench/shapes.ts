import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LARGEST_TOTAL } from '../../src/api/paging.ts';
import { Storage } from '../../src/application/ports/storage.ts';
import { Shop } from '../../src/application/shop.ts';
import { compose } from '../../src/composition/compose.ts';
import { optionsWith } from '../../src/composition/options.ts';
import { OperationsToken } from '../../src/composition/tokens.ts';
import { listShapes, run, type Shape } from '../support/query-shapes.ts';
import { makeShapesStore } from './shapes-store.ts';
import { aligned } from './tables.ts';

/** How long a query may hold the event loop, in milliseconds. */
const LONGEST_HOLD = 20;
/** How much more CPU a query may take on the larger store, unless it takes very little or returns more. */
const LARGEST_GROWTH = 1.5;
const LITTLE_CPU = 0.25;

const RUNS = 5;
const SIZES = [100_000, 1_000_000] as const;

interface Measured {
  readonly shape: Shape;
  /** In milliseconds: CPU of the process, and the longest time without a turn of the event loop. Both are minima. */
  readonly cpu: number;
  readonly hold: number;
  readonly returned: number;
}

/** Measures every shape on both stores and prints the table. Returns whether all are within the bounds. */
export async function benchShapes(folder: string, sizes: readonly number[] = SIZES): Promise<boolean> {
  const [small, large] = [await measure(folder, sizes[0] ?? 0), await measure(folder, sizes[1] ?? 0)];
  const rows = large.map(({ shape, cpu, hold, returned }, i) => {
    const before = small[i] as Measured;
    const growth = cpu / before.cpu;
    const grew = returned > before.returned || cpu < LITTLE_CPU || growth <= LARGEST_GROWTH;
    const faults = [
      ...(Math.max(hold, before.hold) > LONGEST_HOLD ? ['holds the event loop'] : []),
      ...(grew ? [] : ['grows']),
    ];
    return { name: shape.name, cells: [before.cpu, cpu, growth, before.hold, hold], returned, faults };
  });
  const table = rows
    .toSorted((a, b) => (b.cells[4] ?? 0) - (a.cells[4] ?? 0))
    .map(({ name, cells, returned, faults }) => [
      name,
      ...cells.map((cell) => cell.toFixed(3)),
      String(returned),
      faults.join(', '),
    ]);
  const head = ['query', 'CPU 100k ms', 'CPU 1M ms', 'growth', 'hold 100k ms', 'hold 1M ms', 'rows', ''];
  console.log(aligned([head, ...table]));
  const failed = rows.filter(({ faults }) => faults.length > 0);
  console.log(`\n${rows.length} queries, ${failed.length} beyond the bounds.`);
  return failed.length === 0;
}

async function measure(folder: string, size: number): Promise<Measured[]> {
  const file = join(folder, `shapes-${size}.db`);
  console.log(`Filling a store with ${size} pets and orders …`);
  await makeShapesStore(file, size);
  const container = await compose(optionsWith({ databaseUrl: `sqlite:${file}` }));
  const storage = container.get(Storage);
  await storage.open();
  try {
    const shop = container.get(Shop);
    const measured: Measured[] = [];
    for (const shape of listShapes(container.get(OperationsToken), size)) measured.push(await best(shape, shop));
    return measured;
  } finally {
    await storage.close();
    await rm(file);
  }
}

async function best(shape: Shape, shop: Shop): Promise<Measured> {
  let returned = 0;
  let [cpu, hold] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let i = 0; i < RUNS; i++) {
    const { stop } = watchEventLoop();
    const before = process.cpuUsage();
    const { rows, total } = await run(shape, shop);
    const { user, system } = process.cpuUsage(before);
    hold = Math.min(hold, stop());
    cpu = Math.min(cpu, (user + system) / 1000);
    returned = shape.wantsTotal ? (total ?? LARGEST_TOTAL + 1) : rows;
  }
  return { shape, cpu, hold, returned };
}

/** Notes the longest time between two turns of the event loop. */
function watchEventLoop(): { stop(): number } {
  let last = performance.now();
  let longest = 0;
  let turn = setImmediate(function watch() {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    turn = setImmediate(watch);
  });
  return {
    stop() {
      clearImmediate(turn);
      return Math.max(longest, performance.now() - last);
    },
  };
}
