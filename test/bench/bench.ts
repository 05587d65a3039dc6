import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { thisMachine } from './machine.ts';
import { Pair } from './pair.ts';
import { plot } from './plot.ts';
import {
  aligned,
  type Measured,
  memoryVerdict,
  mostOf,
  percent,
  type Report,
  tableOf,
  tableOfPages,
  verdictOf,
  whole,
} from './report.ts';
import type { Work } from './requests.ts';
import { Rounds } from './rounds.ts';

const USAGE = `Measures the service against a floor: bare node:http and prepared SQL on the same data.

  --quick           one round of one second each, no large shop, nothing written
  --no-million      leave out the shop with a million pets
  --out DIR         where benchmark.md and benchmark.svg go (default: docs, or nowhere with --quick)
  --service FILE    what to start as the service (default: dist/petstore.js)
`;

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    quick: { type: 'boolean', default: false },
    million: { type: 'boolean' },
    out: { type: 'string' },
    service: { type: 'string', default: join(root, 'dist/petstore.js') },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(USAGE);
  process.exit();
}
const { quick, million = !quick, out = quick ? undefined : join(root, 'docs') } = options;
const program = resolve(options.service);

const folder = await mkdtemp(join(tmpdir(), 'petstore-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const times = { rounds: quick ? 1 : 3, seconds: quick ? 1 : 3 };
const rounds = new Rounds(times.rounds, times.seconds);
const machine = thisMachine(join(folder, 'sync'));
const shop = await measured(100_000, ['get', 'list', 'order'], [1, 16, 64]);
const large = million ? await measured(1_000_000, ['get', 'list'], [16]) : undefined;
rounds.end();

const report: Report = { machine, ...times, shop, large };
print(report);
for (const complaint of rounds.complaints) console.error(`\n!!! ${complaint}`);
if (rounds.complaints.length > 0) process.exitCode = 1;
else if (out) await plot(report, out);

async function measured(pets: number, works: readonly Work[], connections: readonly number[]): Promise<Measured> {
  console.log(`\nA shop with ${whole(pets)} pets (service / floor) …`);
  return rounds.measure(await Pair.open(pets, program, folder), works, connections);
}

function print({ shop, large }: Report): void {
  for (const each of large ? [shop, large] : [shop]) {
    console.log(`\n${whole(each.pets)} pets\n\n${aligned(tableOf(each.rows))}\n\n${aligned(tableOfPages(each))}`);
    if (each.memory.after) console.log(`\nMemory of the service: ${memoryVerdict(each.memory)}`);
  }
  const short = shop.rows.filter((row) => verdictOf(row) === 'short');
  for (const { work, connections } of short) console.log(`Short of its aim: ${work} at ${connections} connections`);
  const others = mostOf('others', shop.rows);
  if (others > 0.2)
    console.log(
      `Other programs took up to ${percent(others)} of one core meanwhile: measure again on a quiet machine.`,
    );
}
