import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { optionsFrom } from '../../src/composition/options.ts';
import { comparisonsOf } from './comparison.ts';
import { Contest } from './contest.ts';
import { CONTESTANTS, type Contestant, isContestant } from './contestants.ts';
import { drawing } from './drawing.ts';
import { thisMachine } from './machine.ts';
import { page } from './page.ts';
import { PostgresqlCluster } from './postgresql/cluster.ts';
import { page as postgresqlPage } from './postgresql/page.ts';
import { PostgresqlStore } from './postgresql/store.ts';
import { describeMemory, type Measured, mostOf, percent, type Report, whole } from './report.ts';
import { WORK, type Work } from './requests.ts';
import { checkoutOf, type Revision, removeCheckout } from './revision.ts';
import { type Plan, Rounds } from './rounds.ts';
import { benchShapes, postgresqlTarget, sqliteTarget } from './shapes.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';
import { aligned, tablesOf } from './tables.ts';

const STANDARD = { sqlite: ['service', 'fastify', 'floor', 'guarded'], postgresql: ['service', 'floor'] } as const;

/** A pet in high demand is a row that transactions wait for, where there are several. */
const WORKS: Readonly<Record<Store['name'], readonly Work[]>> = {
  sqlite: ['get', 'list', 'order'],
  postgresql: ['get', 'list', 'order', 'hot'],
};

const USAGE = `Measures the service beside others that do the same operations on the same data: CPU time per request, requests per
second and latency, in short rounds that alternate between the contestants.

  --contestants LIST   some of ${Object.keys(CONTESTANTS).join(', ')}
                       (default: ${STANDARD.sqlite.join(',')}; on PostgreSQL ${STANDARD.postgresql.join(',')})
  --compare REV        adds "before": the service as of another revision of this repository
  --works LIST         some of ${Object.keys(WORK).join(', ')} (default: ${WORKS.sqlite.join(',')}; on PostgreSQL all)
  --connections LIST   numbers of open connections (default: 1,16,64)
  --pets N             size of the shop (default: 1000000; 100000 on PostgreSQL)
  --rounds N           rounds of each figure (default: 10)
  --seconds S          length of a round (default: 0.8)
  --quick              10000 pets, 2 rounds of 0.4 s: shows that all works
  --shapes             every query of the lists in place of contestants, on two sizes; fails if one is beyond its bound
  --streams            1,000 event streams on one node: memory, delay, and what they cost orders
  --postgresql         on a PostgreSQL of its own in place of SQLite; reads PETSTORE_POSTGRES_POOL
  --commit-delay MS    with --postgresql: every commit takes so much longer, as on a slower disk (default: 0)
  --service FILE       the start file of the service (default: dist/petstore.js)
  --out DIR            where to write the page and its drawing (default: docs for a run without options, else nowhere)
`;

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values: options } = parseArgs({
  options: {
    contestants: { type: 'string' },
    compare: { type: 'string' },
    works: { type: 'string' },
    connections: { type: 'string' },
    pets: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    shapes: { type: 'boolean', default: false },
    streams: { type: 'boolean', default: false },
    postgresql: { type: 'boolean', default: false },
    'commit-delay': { type: 'string', default: '0' },
    service: { type: 'string', default: join(root, 'dist/petstore.js') },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(USAGE);
  process.exit();
}

if (options.streams) {
  await import('./streams.ts');
  process.exit();
}

const { quick, postgresql, compare } = options;
const args = process.argv.slice(2);
const command = ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
const isStandard = args.every((argument) => argument === '--postgresql');
const out = options.out ?? (isStandard ? join(root, 'docs') : undefined);
const names = listIn(options.contestants) ?? [...STANDARD[postgresql ? 'postgresql' : 'sqlite']];
const contestants = [...names, ...(compare === undefined ? [] : ['before'])].map(asContestant);
const plan: Plan = {
  works: listIn(options.works)?.map(asWork) ?? WORKS[postgresql ? 'postgresql' : 'sqlite'],
  connections: listIn(options.connections)?.map(Number) ?? [1, 16, 64],
  pages: !postgresql && isStandard,
  ...(postgresql && isStandard && { crews: [1, 2, 4] }),
};
const pets = Number(options.pets ?? (quick ? 10_000 : postgresql ? 100_000 : 1_000_000));
// Many short rounds: what slows the machine for some seconds then slows all contestants.
const times = {
  rounds: Number(options.rounds ?? (quick ? 2 : 10)),
  seconds: Number(options.seconds ?? (quick ? 0.4 : 0.8)),
};

const folder = await mkdtemp(join(tmpdir(), 'petstore-bench-'));
const settings = { commitDelay: Number(options['commit-delay']) };
let cluster: PostgresqlCluster | undefined;
let before: Revision | undefined;
process.once('exit', () => {
  if (compare !== undefined) removeCheckout(root, join(folder, 'before'));
  rmSync(folder, { recursive: true, force: true });
});
process.once('SIGINT', () => void giveUp(130));
process.once('SIGTERM', () => void giveUp(143));

const started = performance.now();
const rounds = new Rounds(times.rounds, times.seconds);
const machine = thisMachine(join(folder, 'sync'));
try {
  if (options.shapes) {
    if (postgresql) cluster = await PostgresqlCluster.start(folder, settings);
    const isWithinBounds = await benchShapes(cluster ? postgresqlTarget(cluster) : sqliteTarget(folder));
    if (!isWithinBounds) process.exitCode = 1;
  } else await (postgresql ? benchPostgresql() : benchSqlite());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rounds.end();
  await cluster?.stop();
}
// The servers of a contest that was not closed would keep this process.
process.exit();

async function giveUp(code: number): Promise<void> {
  await cluster?.stop();
  process.exit(code);
}

async function benchSqlite(): Promise<void> {
  if (compare !== undefined) before = checkoutOf(compare, root, join(folder, 'before'));
  const shop = await measured(new SqliteStore(folder), await before?.sqliteStore(folder));
  await conclude(reportOf(shop), 'benchmark', 'floor: bare node:http and prepared SQL', page);
}

async function benchPostgresql(): Promise<void> {
  if (compare !== undefined) before = checkoutOf(compare, root, join(folder, 'before'));
  cluster = await PostgresqlCluster.start(folder, settings);
  const pool = optionsFrom(process.env).postgresPool;
  const shop = await measured(new PostgresqlStore(cluster, pool), await before?.postgresqlStore(cluster, pool));
  const report = { ...reportOf(shop), server: await cluster.describe(), pool };
  await conclude(report, 'benchmark-postgresql', 'floor: bare node:http and pg with prepared SQL', postgresqlPage);
}

async function measured(store: Store, shopStore?: Store): Promise<Measured> {
  console.log(`${command}: a shop with ${whole(pets)} pets; ${contestants.join(', ')} …`);
  const service = { folder: root, program: resolve(options.service) };
  const terms = { pets, contestants, store, shopStore, service, before, folder };
  return rounds.measure(await Contest.open(terms), plan);
}

function reportOf(shop: Measured): Report {
  return { machine, command, minutes: (performance.now() - started) / 60_000, ...times, shop };
}

/** Shows what was measured, and writes it if nothing went wrong. */
async function conclude<What extends Report>(
  report: What,
  name: string,
  floor: string,
  write: (report: What) => string,
): Promise<void> {
  print(report);
  for (const complaint of rounds.complaints) console.error(`\n!!! ${complaint}`);
  if (rounds.complaints.length > 0) process.exitCode = 1;
  else if (out) {
    await mkdir(out, { recursive: true });
    await writeFile(join(out, `${name}.svg`), drawing(report, floor));
    await writeFile(join(out, `${name}.md`), write(report));
  }
}

function print({ shop, minutes }: Report): void {
  for (const { title, table } of tablesOf(shop)) console.log(`\n${title}\n\n${aligned(table)}`);
  if (shop.memory.after) console.log(`\nMemory of the service: ${describeMemory(shop.memory)}`);
  const missed = comparisonsOf(shop).filter(({ met }) => !met).length;
  console.log(`\n${command}: ${minutes.toFixed(1)} min; ${missed} targets missed.`);
  const others = mostOf('others', shop);
  if (others > 0.2) {
    console.log(`Other programs used up to ${percent(others)} of one core: repeat the run on an idle machine.`);
  }
}

function listIn(text: string | undefined): string[] | undefined {
  return text?.split(',');
}

function asContestant(name: string): Contestant {
  if (isContestant(name)) return name;
  throw new Error(`There is no contestant ${name}.`);
}

function asWork(name: string): Work {
  if (Object.hasOwn(WORK, name)) return name as Work;
  throw new Error(`There is no operation ${name}.`);
}
