import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { optionsFrom } from '../../src/composition/options.ts';
import { guardedByOpen, serviceByFloor, verdictOf } from './comparison.ts';
import { Contest, type Rival } from './contest.ts';
import { drawing } from './drawing.ts';
import { thisMachine } from './machine.ts';
import { page } from './page.ts';
import { PostgresqlCluster } from './postgresql/cluster.ts';
import { page as postgresqlPage } from './postgresql/page.ts';
import { PostgresqlStore } from './postgresql/store.ts';
import { type Measured, memoryVerdict, mostOf, percent, type Report, whole } from './report.ts';
import { type Plan, Rounds } from './rounds.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';
import { aligned, tablesOf } from './tables.ts';

const USAGE = `Measures the service against a floor, bare node:http and prepared SQL on the same data, and against itself: with
credentials and limits, or (on PostgreSQL) in several processes.

  --postgresql      on a PostgreSQL of its own in place of SQLite; PETSTORE_POSTGRES_POOL is heeded
  --quick           one round of one second each, no large shop, nothing written
  --no-million      leave out the shop with a million pets
  --no-floor        only the service against itself, on the smaller shop, nothing written
  --out DIR         where the page and its drawing go (default: docs, or nowhere with --quick)
  --service FILE    what to start as the service (default: dist/petstore.js)
`;

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    postgresql: { type: 'boolean', default: false },
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
let cluster: PostgresqlCluster | undefined;
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.once('SIGINT', () => void giveUp(130));
process.once('SIGTERM', () => void giveUp(143));

// Many short ones: a machine that others share is slow for seconds, and then slow for all who take their turn.
const times = { rounds: quick ? 1 : 9, seconds: 0.8 };
const rounds = new Rounds(times.rounds, times.seconds);
const machine = thisMachine(join(folder, 'sync'));
const everything = { works: ['get', 'list', 'order'], connections: [1, 16, 64] } as const;
try {
  await (options.postgresql ? benchPostgresql() : benchSqlite());
} finally {
  await cluster?.stop();
}

async function giveUp(code: number): Promise<void> {
  await cluster?.stop();
  process.exit(code);
}

async function benchSqlite(): Promise<void> {
  const store = new SqliteStore(folder);
  const rivals: Rival[] = floor ? ['floor', 'guarded'] : ['guarded'];
  const shop = await measured(store, 100_000, rivals, { ...everything, pages: floor });
  const large = million
    ? await measured(store, 1_000_000, ['floor'], { works: ['get', 'list'], connections: [16], pages: true })
    : undefined;
  const report: Report = { machine, ...times, shop, large };
  await conclude(report, 'benchmark', 'floor: bare node:http and prepared SQL', page);
}

async function benchPostgresql(): Promise<void> {
  cluster = await PostgresqlCluster.start(folder);
  const pool = optionsFrom(process.env).postgresPool;
  const plan = { ...everything, crews: [1, 2, 4], pages: false };
  const shop = await measured(new PostgresqlStore(cluster, pool), 100_000, floor ? ['floor'] : [], plan);
  const report = { machine, ...times, shop, server: await cluster.describe(), pool };
  await conclude(report, 'benchmark-postgresql', 'floor: bare node:http and pg with prepared SQL', postgresqlPage);
}

async function measured(store: Store, pets: number, rivals: readonly Rival[], plan: Plan): Promise<Measured> {
  console.log(`\nA shop with ${whole(pets)} pets (${['service', ...rivals].join(' / ')}) …`);
  return rounds.measure(await Contest.open({ pets, rivals, store, program, folder }), plan);
}

/** Shows what was measured, and keeps it if all went well. */
async function conclude<What extends Report>(
  report: What,
  name: string,
  what: string,
  write: (report: What) => string,
): Promise<void> {
  rounds.end();
  print(report);
  for (const complaint of rounds.complaints) console.error(`\n!!! ${complaint}`);
  if (rounds.complaints.length > 0) process.exitCode = 1;
  else if (out) {
    await mkdir(out, { recursive: true });
    await writeFile(join(out, `${name}.svg`), drawing(report, what));
    await writeFile(join(out, `${name}.md`), write(report));
  }
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
    [serviceByFloor(shop), ''],
    [guardedByOpen(shop), ', with credentials and limits'],
  ] as const) {
    const short = comparisons.filter((each) => verdictOf(each) === 'missed');
    for (const { work, connections } of short) {
      console.log(`Aim missed: ${work} at ${connections} connections${how}`);
    }
  }
  const others = mostOf('others', shop);
  if (others > 0.2)
    console.log(
      `Other programs used up to ${percent(others)} of one core during the run: repeat it on an idle machine.`,
    );
}
