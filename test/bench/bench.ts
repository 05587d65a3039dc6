import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { guardedByOpen, serviceByFloor, verdictOf } from './comparison.ts';
import { Contest, type Rival } from './contest.ts';
import { thisMachine } from './machine.ts';
import { plot } from './plot.ts';
import { type Measured, memoryVerdict, mostOf, percent, type Report, whole } from './report.ts';
import { type Plan, Rounds } from './rounds.ts';
import { aligned, tablesOf } from './tables.ts';

const USAGE = `Measures the service against a floor, bare node:http and prepared SQL on the same data, and against itself with
credentials and limits.

  --quick           one round of one second each, no large shop, nothing written
  --no-million      leave out the shop with a million pets
  --no-floor        only the service against itself, on the smaller shop, nothing written
  --out DIR         where benchmark.md and benchmark.svg go (default: docs, or nowhere with --quick)
  --service FILE    what to start as the service (default: dist/petstore.js)
`;

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    quick: { type: 'boolean', default: false },
    million: { type: 'boolean' },
    floor: { type: 'boolean', default: true },
    out: { type: 'string' },
    service: { type: 'string', default: join(root, 'dist/petstore.js') },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(USAGE);
  process.exit();
}
const { quick, floor } = options;
const million = floor && (options.million ?? !quick);
const out = floor ? (options.out ?? (quick ? undefined : join(root, 'docs'))) : undefined;
const program = resolve(options.service);

const folder = await mkdtemp(join(tmpdir(), 'petstore-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const times = { rounds: quick ? 1 : 3, seconds: quick ? 1 : 2.5 };
const rounds = new Rounds(times.rounds, times.seconds);
const machine = thisMachine(join(folder, 'sync'));
const shop = await measured(100_000, floor ? ['floor', 'guarded'] : ['guarded'], {
  works: ['get', 'list', 'order'],
  connections: [1, 16, 64],
  pages: floor,
});
const large = million
  ? await measured(1_000_000, ['floor'], { works: ['get', 'list'], connections: [16], pages: true })
  : undefined;
rounds.end();

const report: Report = { machine, ...times, shop, large };
print(report);
for (const complaint of rounds.complaints) console.error(`\n!!! ${complaint}`);
if (rounds.complaints.length > 0) process.exitCode = 1;
else if (out) await plot(report, out);

async function measured(pets: number, rivals: readonly Rival[], plan: Plan): Promise<Measured> {
  console.log(`\nA shop with ${whole(pets)} pets (${['service', ...rivals].join(' / ')}) …`);
  return rounds.measure(await Contest.open(pets, program, folder, rivals), plan);
}

function print({ shop, large }: Report): void {
  for (const each of large ? [shop, large] : [shop]) {
    console.log(`\n${whole(each.pets)} pets`);
    for (const { title, table } of tablesOf(each)) {
      console.log(`\n${title === undefined ? '' : `${title}\n\n`}${aligned(table)}`);
    }
    if (each.memory.after) console.log(`\nMemory of the service: ${memoryVerdict(each.memory)}`);
  }
  for (const [comparisons, how] of [
    [serviceByFloor(shop.rows), ''],
    [guardedByOpen(shop.rows), ', with credentials and limits'],
  ] as const) {
    const short = comparisons.filter((each) => verdictOf(each) === 'short');
    for (const { work, connections } of short) {
      console.log(`Short of its aim: ${work} at ${connections} connections${how}`);
    }
  }
  const others = mostOf('others', shop.rows);
  if (others > 0.2)
    console.log(
      `Other programs took up to ${percent(others)} of one core meanwhile: measure again on a quiet machine.`,
    );
}
